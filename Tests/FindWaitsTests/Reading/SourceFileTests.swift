import Testing

@testable import FindWaits

@Suite struct SourceFileTests {
  @Test(arguments: [
    ("f(\n[1)", "2: The ) here has no partner."), ("a {\nb {\n}", "1: The { here has no partner."),
    ("}", "1: The } here has no partner."),
    ("\n\"a", "2: The string that begins here has no end."),
  ])
  func `source that does not parse is named with its line`(text: String, problem: String) {
    let error = #expect(throws: SourceFile.Unreadable.self) {
      try SourceFile(path: "A.swift", text: Array(text.utf8))
    }
    #expect(error.map { "\($0.line): \($0.what)" } == problem)
  }

  @Test func `a bracket in a string has no partner and needs none`() throws {
    let file = try SourceFile(path: "A.swift", text: Array("f(\"(\", /* ( */ 1)".utf8))
    #expect(file.partner(of: 1) == file.tokens.count - 1)
  }
}
