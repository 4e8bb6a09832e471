import Testing

@testable import FindWaits

@Suite struct LexerTests {
  @Test(arguments: [
    ("a + b", ["a", "+", "b"]),
    ("a /* b /* c */ d */ e", ["a", "e"]),
    ("a // b\nc", ["a", "c"]),
    ("\"a b\" c", ["\"a b\"", "c"]),
    ("\"a \\\" b\" c", ["\"a \\\" b\"", "c"]),
    ("#\"a \" b\"# c", ["#\"a \" b\"#", "c"]),
    ("\"\"\"\na \" // b\n\"\"\" c", ["\"\"\"\na \" // b\n\"\"\"", "c"]),
    ("1_000.5e-3.x 1...3", ["1_000.5e-3", ".", "x", "1", "...", "3"]),
    ("`a b`()", ["a b", "(", ")"]),
    ("a?.b!.c", ["a", "?", ".", "b", "!", ".", "c"]),
    ("#if DEBUG", ["#if", "DEBUG"]),
  ])
  func `source is split at its tokens`(text: String, tokens: [String]) {
    #expect(texts(of: text) == tokens)
  }

  @Test func `the code of an interpolation is read, and its string is one token`() {
    #expect(
      texts(of: "\"a \\(b(\"c\")) d\" e")
        == ["\"a \\(b(\"c\")) d\"", "(", "b", "(", "\"c\"", ")", ")", "e"])
  }

  @Test func `a raw string interpolates with its number of signs only`() {
    #expect(texts(of: "#\"\\(a) \\#(b)\"#") == ["#\"\\(a) \\#(b)\"#", "(", "b", ")"])
  }

  @Test(arguments: [
    "let a = /\"\\(/ ; b", "f(/([^\\s.(\"<\\[]+):\\ /); b", "f(/\\/\"/); b",
    "let a = #/ \" / /#; b",
  ])
  func `quotes in a regular expression begin no string`(text: String) {
    #expect(texts(of: text).suffix(1) == ["b"])
    #expect(unfinished(in: text) == nil)
  }

  @Test func `a quotient is no regular expression`() {
    #expect(texts(of: "a / b / c") == ["a", "/", "b", "/", "c"])
    #expect(texts(of: "(a)/b+c/d") == ["(", "a", ")", "/", "b", "+", "c", "/", "d"])
  }

  @Test(arguments: [
    ("reduce(1, /) // b", ["reduce", "(", "1", ",", "/", ")"]),
    ("f(a: /B.c) // d", ["f", "(", "a", ":", "/", "B", ".", "c", ")"]),
    ("f(/A.b, c: { }) // d", ["f", "(", "/", "A", ".", "b", ",", "c", ":", "{", "}", ")"]),
    ("f(/A.b // c\n)", ["f", "(", "/", "A", ".", "b", ")"]),
    ("f(/(a)[)]\\)/)", ["f", "(", "/(a)[)]\\)/", ")"]),
  ])
  func `an operator that is passed on begins no regular expression`(
    text: String, tokens: [String]
  ) {
    #expect(texts(of: text) == tokens)
  }

  @Test(arguments: [
    ("#\"\"\"# a", ["#\"\"\"#", "a"]), ("##\"\"\"#\"## a", ["##\"\"\"#\"##", "a"]),
    ("#\"\"\"\na \"\n\"\"\"# b", ["#\"\"\"\na \"\n\"\"\"#", "b"]),
  ])
  func `three quotes may be a raw string of one line`(text: String, tokens: [String]) {
    #expect(texts(of: text) == tokens)
  }

  @Test(arguments: [
    ("a\n/* b", "2 comment"), ("\n\n\"a\nb", "3 string"), ("\"\"\"\na", "1 string"),
    ("#/ a", "1 regular expression"),
  ])
  func `what has no end is named with its line`(text: String, problem: String) {
    #expect(unfinished(in: text) == problem)
  }

  @Test func `lines are counted through strings and comments`() {
    let tokens = Lexer.tokens(of: Array("\"\"\"\na\n\"\"\"\n/*\n*/ b".utf8)).tokens
    #expect(tokens.map(\.line) == [1, 5])
  }

  @Test func `text that is no Swift is read to its end`() {
    #expect(texts(of: "\u{0}ä€ 3x \\ ").count == 4)
  }

  private func texts(of text: String) -> [String] {
    Lexer.tokens(of: Array(text.utf8)).tokens.map(\.text)
  }

  private func unfinished(in text: String) -> String? {
    Lexer.tokens(of: Array(text.utf8)).unfinished.map { "\($0.line) \($0.what)" }
  }
}
