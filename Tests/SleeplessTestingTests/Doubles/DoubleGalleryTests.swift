import Foundation
import Testing

/// What the documentation shows of failures is what users read.
@Suite struct DoubleGalleryTests {
  @Test func `F3 the documentation shows every failure of a double, word for word`() throws {
    let root = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let article = root.appendingPathComponent(
      "Sources/SleeplessTesting/SleeplessTesting.docc/DoubleFailures.md")
    let page = try String(contentsOf: article, encoding: .utf8).withoutPlaces
    for mishap in Mishap.doubles {
      #expect(
        page.contains("```text\n\(mishap.text.withoutPlaces)\n```"),
        "\(mishap.name) is missing or different")
    }
  }
}
