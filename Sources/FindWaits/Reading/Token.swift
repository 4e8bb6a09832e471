/// The smallest part of Swift source that has a meaning. Comments and white space are left out.
struct Token: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// A keyword or an identifier.
    case word
    /// An identifier in backticks; its text is without them. It is never a keyword.
    case quotedWord
    case number
    /// A whole string literal with its quotes. The code of its interpolations follows as tokens in brackets.
    case string
    /// A bracket, an operator or another sign.
    case sign
    /// A word that begins with `#`, such as `#if` or `#expect`.
    case pound
  }

  let kind: Kind
  let text: String
  /// Counted from 1.
  let line: Int
  /// Whether it is the first token of its line.
  let startsLine: Bool
  /// Its place in the file's bytes.
  let range: Range<Int>

  func isSign(_ sign: String) -> Bool { kind == .sign && text == sign }

  func isWord(_ word: String) -> Bool { kind == .word && text == word }

  /// Whether it is a bracket that has a partner behind it.
  var isOpening: Bool { kind == .sign && (text == "(" || text == "[" || text == "{") }

  var isName: Bool { kind == .word || kind == .quotedWord }
}
