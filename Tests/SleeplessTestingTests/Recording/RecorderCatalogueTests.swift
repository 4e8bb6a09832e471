import Testing

/// The failures in the documentation are the ones that users read.
@Suite struct RecorderCatalogueTests {
  @Test func `F3 the documentation shows every failure of a recorder, word for word`() throws {
    try expectCatalogue("RecorderFailures", shows: FailureCase.recording)
  }
}
