/// Splits Swift source into tokens.
///
/// It knows what can hide code or look like it: comments, which nest, strings of every form with their
/// interpolations, and regular expressions. It accepts source that no compiler would; what it cannot read is a
/// problem with a line.
struct Lexer {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  private var line = 1
  private var isAtLineStart = true
  private(set) var tokens: [Token] = []
  /// The first thing that has no end: a comment or a string.
  private(set) var unfinished: (line: Int, what: String)?

  /// The tokens of a text, and the first thing in it that has no end.
  static func tokens(
    of text: [UInt8]
  ) -> (tokens: [Token], unfinished: (line: Int, what: String)?) {
    text.withUnsafeBufferPointer { bytes in
      var lexer = Lexer(bytes)
      lexer.readAll()
      return (lexer.tokens, lexer.unfinished)
    }
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    tokens.reserveCapacity(bytes.count / 5)
  }

  private mutating func readAll() {
    if peek() == ascii("#"), peek(1) == ascii("!") { skipLine() }
    while position < bytes.count { readNext() }
  }

  /// Reads one token, or skips one piece of white space or one comment.
  private mutating func readNext() {
    let byte = bytes[position]
    switch byte {
    case ascii("\n"):
      newLine()
    case ascii(" "), ascii("\t"), ascii("\r"):
      position += 1
    case ascii("/") where peek(1) == ascii("/"):
      skipLine()
    case ascii("/") where peek(1) == ascii("*"):
      skipComment()
    case ascii("/") where mayStartRegularExpression && skipRegularExpression():
      break
    case ascii("\""):
      readString(hashes: 0)
    case ascii("#"):
      readPound()
    case ascii("`"):
      readQuotedWord()
    case ascii("0")...ascii("9"):
      readNumber()
    case _ where byte.isPartOfWord:
      let start = position
      while position < bytes.count, bytes[position].isPartOfWord { position += 1 }
      add(.word, from: start)
    default:
      readSign()
    }
  }

  // MARK: Words, numbers, signs

  private mutating func readQuotedWord() {
    let start = position + 1
    position = start
    while let byte = peek(), byte != ascii("`"), byte != ascii("\n") { position += 1 }
    add(.quotedWord, from: start)
    if peek() == ascii("`") { position += 1 }
  }

  private mutating func readNumber() {
    let start = position
    while let byte = peek() {
      let isPoint = byte == ascii(".") && (peek(1)?.isDigit ?? false)
      let before = bytes[max(start, position - 1)]
      let isExponentSign =
        (byte == ascii("-") || byte == ascii("+")) && (before == ascii("e") || before == ascii("E"))
        && bytes[min(start + 1, bytes.count - 1)] != ascii("x")
      guard byte.isPartOfWord || isPoint || isExponentSign else { break }
      position += 1
    }
    add(.number, from: start)
  }

  private static let longSigns = [
    "...", "..<", "->", "==", "!=", "&&", "||", ">=", "<=", "+=", "-=", "*=", "/=", "??",
  ].map { Array($0.utf8) }

  private mutating func readSign() {
    let start = position
    position += 1
    if let next = peek(), next.isPartOfOperator {
      for sign in Self.longSigns where bytes[start...].starts(with: sign) {
        position = start + sign.count
        break
      }
    }
    add(.sign, from: start)
  }

  /// A raw string, a regular expression, a directive or the name of a macro.
  private mutating func readPound() {
    var hashes = 0
    while peek(hashes) == ascii("#") { hashes += 1 }
    switch peek(hashes) {
    case ascii("\""):
      readString(hashes: hashes)
    case ascii("/"):
      skipRegularExpression(hashes: hashes)
    default:
      let start = position
      position += 1
      while let byte = peek(), byte.isPartOfWord { position += 1 }
      add(.pound, from: start)
    }
  }

  // MARK: White space and comments

  private mutating func newLine() {
    position += 1
    line += 1
    isAtLineStart = true
  }

  private mutating func skipLine() {
    while let byte = peek(), byte != ascii("\n") { position += 1 }
  }

  private mutating func skipComment() {
    let start = line
    var depth = 0
    repeat {
      switch (peek(), peek(1)) {
      case (nil, _):
        return noteUnfinished("comment", at: start)
      case (ascii("/"), ascii("*")):
        depth += 1
        position += 2
      case (ascii("*"), ascii("/")):
        depth -= 1
        position += 2
      case (ascii("\n"), _):
        newLine()
      default:
        position += 1
      }
    } while depth > 0
  }

  // MARK: Strings

  private mutating func readString(hashes: Int) {
    let (start, startLine, index) = (position, line, tokens.count)
    let isFirst = isAtLineStart
    isAtLineStart = false
    position += hashes
    let isMultiline =
      peek(1) == ascii("\"") && peek(2) == ascii("\"")
      && !(hashes > 0 && endsOnLine(from: 2, hashes: hashes))
    let quotes = isMultiline ? 3 : 1
    position += quotes
    // Its token comes before those of its interpolations, and its end is known after them.
    tokens.append(
      Token(kind: .string, text: "", line: startLine, startsLine: isFirst, range: start..<start))
    scan: while true {
      switch peek() {
      case nil:
        noteUnfinished("string", at: startLine)
        break scan
      case ascii("\n"):
        if !isMultiline {
          noteUnfinished("string", at: startLine)
          break scan
        }
        newLine()
        isAtLineStart = false
      case ascii("\\") where has(hashes, of: ascii("#"), at: 1):
        position += 1 + hashes
        if peek() == ascii("(") {
          readInterpolation()
        } else if peek() != nil, peek() != ascii("\n") {
          position += 1
        }
      case ascii("\"")
      where has(quotes, of: ascii("\""), at: 0) && has(hashes, of: ascii("#"), at: quotes):
        position += quotes + hashes
        break scan
      default:
        position += 1
      }
    }
    tokens[index] = Token(
      kind: .string, text: text(from: start), line: startLine, startsLine: isFirst,
      range: start..<position)
  }

  /// Whether a raw string of one line could end on this line: `#"""#` is a string of one quote.
  private func endsOnLine(from offset: Int, hashes: Int) -> Bool {
    var offset = offset
    while let byte = peek(offset), byte != ascii("\n") {
      if byte == ascii("\""), has(hashes, of: ascii("#"), at: offset + 1) { return true }
      offset += 1
    }
    return false
  }

  /// Reads the code in the brackets of an interpolation, and the brackets.
  private mutating func readInterpolation() {
    var depth = 0
    repeat {
      let count = tokens.count
      readNext()
      guard tokens.count > count, tokens[count].kind == .sign else { continue }
      if tokens[count].text == "(" { depth += 1 }
      if tokens[count].text == ")" { depth -= 1 }
    } while depth > 0 && position < bytes.count
  }

  // MARK: Regular expressions

  /// Whether a slash here begins a literal and does not divide: it follows no value.
  private var mayStartRegularExpression: Bool {
    guard let next = peek(1), next != ascii(" "), next != ascii("\t"), next != ascii("\n") else {
      return false
    }
    guard let last = tokens.last else { return true }
    switch last.kind {
    case .number, .string, .quotedWord, .pound: return false
    case .word: return ["return", "case", "in", "where", "try", "await"].contains(last.text)
    case .sign: return ![")", "]", "}", "?", "!", ">"].contains(last.text)
    }
  }

  /// Skips `/.../` if it ends on this line; otherwise the slash is an operator.
  ///
  /// As for the compiler, a literal has no bracket that closes none of its own, and no space at its end: so
  /// `reduce(1, /)` and `\Model.state, /State.loaded` have operators.
  private mutating func skipRegularExpression() -> Bool {
    var end = position + 1
    var (depth, classDepth) = (0, 0)
    var isBehindSpace = false
    while end < bytes.count, bytes[end] != ascii("\n") {
      let isSpace = bytes[end] == ascii(" ") || bytes[end] == ascii("\t")
      switch bytes[end] {
      case ascii("\\"): end += 1
      case ascii("["): classDepth += 1
      case ascii("]") where classDepth > 0: classDepth -= 1
      case ascii("(") where classDepth == 0: depth += 1
      case ascii(")") where classDepth == 0:
        if depth == 0 { return false }
        depth -= 1
      case ascii("/"):
        if isBehindSpace { return false }
        let start = position
        position = end + 1
        add(.string, from: start)
        return true
      default: break
      }
      isBehindSpace = isSpace
      end += 1
    }
    return false
  }

  private mutating func skipRegularExpression(hashes: Int) {
    let (start, startLine) = (position, line)
    position += hashes + 1
    while true {
      switch peek() {
      case nil:
        return noteUnfinished("regular expression", at: startLine)
      case ascii("\n"):
        newLine()
      case ascii("/") where has(hashes, of: ascii("#"), at: 1):
        position += 1 + hashes
        return add(.string, from: start)
      default:
        position += 1
      }
    }
  }

  // MARK: Bytes

  private func peek(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private func has(_ count: Int, of byte: UInt8, at offset: Int) -> Bool {
    for index in 0..<count where peek(offset + index) != byte { return false }
    return true
  }

  private func text(from start: Int) -> String {
    String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func add(_ kind: Token.Kind, from start: Int) {
    tokens.append(
      Token(
        kind: kind, text: text(from: start), line: line, startsLine: isAtLineStart,
        range: start..<position))
    isAtLineStart = false
  }

  private mutating func noteUnfinished(_ what: String, at line: Int) {
    if unfinished == nil { unfinished = (line, what) }
  }
}

private func ascii(_ letter: Unicode.Scalar) -> UInt8 { UInt8(truncatingIfNeeded: letter.value) }

extension UInt8 {
  fileprivate var isDigit: Bool { self >= 0x30 && self <= 0x39 }

  /// A letter, a digit, an underscore, a dollar sign, or a part of a letter beyond ASCII.
  fileprivate var isPartOfWord: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x80...0xFF: true
    default: false
    }
  }

  fileprivate var isPartOfOperator: Bool {
    switch self {
    case 0x2E, 0x3C, 0x3E, 0x3D, 0x26, 0x7C, 0x3F: true
    default: false
    }
  }
}
