import Testing

/// What users read is what we run.
@Suite struct ExamplesTests {
  @Test func `every Swift block in the documentation is a test`() throws {
    // The checks themselves, in Checks/, quote code that is never run.
    let tests =
      try TextFile.all(under: "Tests/DocumentationTests", ending: ".swift")
      .filter { !$0.path.hasPrefix("Tests/DocumentationTests/Checks/") }
      + TextFile.all(under: "Tests/ExampleTests", ending: ".swift")
      // What fails under XCTest, or in a process of its own.
      + TextFile.all(under: "Tests/Fixtures/ReportingFixture/Gallery", ending: ".swift")
    for block in try documentedBlocks() where !block.isManifestFragment {
      guard !tests.contains(where: block.occurs) else { continue }
      record(
        """
        This block must occur, line by line, in a file of Tests/DocumentationTests, \
        Tests/ExampleTests or Tests/Fixtures/ReportingFixture/Gallery, and does not. Copy it from a passing test, or fence it as `text` if \
        it is not Swift.
        """, at: block)
    }
  }

  @Test func `every part of a manifest in the documentation names what this package offers`() throws
  {
    let manifest = Manifest(try TextFile(path: "Package.swift"))
    for block in try documentedBlocks() where block.isManifestFragment {
      for fault in manifest.faults(in: block) { record(fault, at: block) }
    }
  }

  private func documentedBlocks() throws -> [CodeBlock] {
    let sources = try TextFile.all(under: "Sources", ending: ".swift")
    return try pages().flatMap(\.codeBlocks) + sources.flatMap(\.codeBlocksInComments)
  }

  private func pages() throws -> [TextFile] {
    let articles = try TextFile.all(under: "Sources", ending: ".md")
    let others = ["README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", "Benchmarks/README.md"]
    return try others.map(TextFile.init(path:)) + articles.filter { $0.path.contains(".docc/") }
  }

  /// Fails at the block's own line, so that an editor goes there.
  private func record(_ text: String, at block: CodeBlock) {
    Issue.record(
      "\(block.path):\(block.line): \(text)",
      sourceLocation: SourceLocation(
        fileID: "DocumentationTests/\(block.path)", filePath: block.path, line: block.line,
        column: 1))
  }
}
