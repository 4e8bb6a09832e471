/// A file of Swift source as tokens, with the partner of each bracket.
struct SourceFile: Sendable {
  let path: String
  let tokens: [Token]
  /// For each bracket the index of its partner.
  let partners: [Int32]
  private let bytes: [UInt8]

  /// Reads a text. Throws a problem if its brackets do not match, or a comment or a string has no end.
  init(path: String, text: [UInt8]) throws(Unreadable) {
    self.path = path
    let (all, unfinished) = Lexer.tokens(of: text)
    if let unfinished {
      throw Unreadable(line: unfinished.line, what: "The \(unfinished.what) that begins here has no end.")
    }
    tokens = ConditionalCompilation.compiled(all)
    partners = try Self.partners(in: tokens)
    bytes = text
  }

  /// The source of some tokens.
  func source(of range: Range<Int>) -> String {
    guard let first = range.first, let last = range.last else { return "" }
    return string(tokens[first].range.lowerBound..<tokens[last].range.upperBound)
  }

  /// The line of a token without the white space around it; with a text, the lines of some tokens as they read
  /// when it stands in their place.
  func line(of range: Range<Int>, replacedBy text: String? = nil) -> String {
    guard let first = range.first, let last = range.last else { return text ?? "" }
    let (start, end) = (tokens[first].range.lowerBound, tokens[last].range.upperBound)
    let newLine = UInt8(ascii: "\n")
    let lineStart = bytes[..<start].lastIndex(of: newLine).map { $0 + 1 } ?? 0
    let lineEnd = bytes[end...].firstIndex(of: newLine) ?? bytes.count
    let middle = text ?? string(start..<end)
    return (string(lineStart..<start) + middle + string(end..<lineEnd)).trimmed
  }

  private func string(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  func partner(of index: Int) -> Int { Int(partners[index]) }

  struct Unreadable: Error {
    let line: Int
    let what: String
  }

  private static func partners(in tokens: [Token]) throws(Unreadable) -> [Int32] {
    var partners = [Int32](repeating: -1, count: tokens.count)
    var open: [Int] = []
    for (index, token) in tokens.enumerated() where token.kind == .sign {
      switch token.text {
      case "(", "[", "{":
        open.append(index)
      case ")", "]", "}":
        guard let start = open.popLast(), closing[tokens[start].text] == token.text else {
          throw Unreadable(line: token.line, what: "The \(token.text) here has no partner.")
        }
        partners[start] = Int32(index)
        partners[index] = Int32(start)
      default:
        break
      }
    }
    if let start = open.last {
      throw Unreadable(
        line: tokens[start].line, what: "The \(tokens[start].text) here has no partner.")
    }
    return partners
  }

  private static let closing = ["(": ")", "[": "]", "{": "}"]
}

extension String {
  /// The text without the white space at its ends.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
