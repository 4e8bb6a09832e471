import Foundation
import Testing

/// What the documentation shows of failures is what users read.
@Suite struct RecorderGalleryTests {
  @Test func `F3 the documentation shows every failure of a recorder, word for word`() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = root.appendingPathComponent(
      "Sources/SleeplessTesting/SleeplessTesting.docc/RecorderFailures.md")
    let page = try String(contentsOf: article, encoding: .utf8).withoutPlaces
    for mishap in Mishap.recording {
      #expect(
        page.contains("```text\n\(mishap.text.withoutPlaces)\n```"),
        "\(mishap.name) is missing or different")
    }
  }
}

extension String {
  /// With the same file and line everywhere, and without real times.
  var withoutPlaces: String {
    withoutTimes.replacing(#/[A-Za-z+]+\.swift:\d+/#, with: "Some.swift:1")
  }
}
