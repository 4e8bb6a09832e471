import Foundation
import Testing

/// The failures in the documentation are the ones that users read.
@Suite struct RecorderCatalogueTests {
  @Test func `F3 the documentation shows every failure of a recorder, word for word`() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = root.appendingPathComponent(
      "Sources/SleeplessTesting/SleeplessTesting.docc/RecorderFailures.md")
    let page = try String(contentsOf: article, encoding: .utf8).withoutPlaces
    for failureCase in FailureCase.recording {
      #expect(
        page.contains("```text\n\(failureCase.text.withoutPlaces)\n```"),
        "\(failureCase.name) is missing or different")
    }
  }
}

extension String {
  /// With the same file and line everywhere, and without real times.
  var withoutPlaces: String {
    withoutTimes.replacing(#/[A-Za-z+]+\.swift:\d+/#, with: "Some.swift:1")
  }
}
