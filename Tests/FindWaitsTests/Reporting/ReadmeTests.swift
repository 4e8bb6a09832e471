import Foundation
import Testing

@testable import FindWaits

/// The report that README.md shows.
@Suite struct ReadmeTests {
  @Test func `the README shows a part of a report`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let section = try #require(readme.split(separator: "## Where does your suite wait?").last)
    let shown = try #require(section.firstMatch(of: /```text\n((?:.*\n)*?)```/)).1
    let report = ReportText.text(of: Report(ReportTextTests.sample))
    #expect(report.contains(shown), "The report is:\n\(report)")
  }
}
