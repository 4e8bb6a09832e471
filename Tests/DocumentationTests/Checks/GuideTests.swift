import Testing

/// The pages for people who come from another library.
@Suite struct GuideTests {
  @Test func `each line of code to write in a guide's table is in a test`() throws {
    let examples = try TextFile(path: "Tests/DocumentationTests/MovingInExamples.swift")
    let guides = try TextFile.all(under: "Sources", ending: ".md").filter {
      $0.path.contains(".docc/From")
    }
    #expect(guides.count == 6)
    for guide in guides {
      for code in guide.codeToWrite where !examples.lines.contains(where: { $0.contains(code) }) {
        Issue.record("\(guide.path): no line of \(examples.path) contains \(code)")
      }
    }
  }
}

extension TextFile {
  /// The code in the second column of its tables.
  fileprivate var codeToWrite: [String] {
    lines.filter { $0.hasPrefix("| ") }.flatMap { row in
      row.split(separator: "|").dropFirst().prefix(1).flatMap { cell in
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
          .filter { $0.offset % 2 == 1 }.map { String($0.element) }
      }
    }
  }
}
