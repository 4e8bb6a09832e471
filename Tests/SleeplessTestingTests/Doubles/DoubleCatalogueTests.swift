import Testing

/// The failures in the documentation are the ones that users read.
@Suite struct DoubleCatalogueTests {
  @Test func `F3 the documentation shows every failure of a double, word for word`() throws {
    try expectCatalogue("DoubleFailures", shows: FailureCase.doubles)
  }
}
