import Foundation
import Testing

/// The failures in the documentation are the ones that users read.
@Suite struct DoubleCatalogueTests {
  @Test func `F3 the documentation shows every failure of a double, word for word`() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = root.appendingPathComponent(
      "Sources/SleeplessTesting/SleeplessTesting.docc/DoubleFailures.md")
    let page = try String(contentsOf: article, encoding: .utf8).withoutPlaces
    for failureCase in FailureCase.doubles {
      #expect(
        page.contains("```text\n\(failureCase.text.withoutPlaces)\n```"),
        "\(failureCase.name) is missing or different")
    }
  }
}
