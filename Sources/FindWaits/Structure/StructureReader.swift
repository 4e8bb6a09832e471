/// Finds the types, functions and variables that a file declares outside functions.
///
/// It is no parser: it reads the heads of declarations and skips what is between their brackets. Code in functions
/// stays one range of tokens.
struct StructureReader {
  private let file: SourceFile
  private(set) var types: [TypeDeclaration] = []
  private(set) var functions: [FunctionDeclaration] = []
  private(set) var members: [MemberDeclaration] = []

  init(_ file: SourceFile) {
    self.file = file
    readDeclarations(in: file.tokens.indices, of: nil)
  }

  private static let typeWords: Set = [
    "class", "struct", "enum", "actor", "protocol", "extension",
  ]
  private static let modifierWords: Set = [
    "public", "private", "fileprivate", "internal", "package", "open", "static", "final",
    "override",
    "nonisolated", "lazy", "weak", "unowned", "mutating", "nonmutating", "required", "convenience",
    "dynamic", "optional", "indirect", "isolated", "distributed", "prefix", "postfix", "infix",
    "consuming", "borrowing", "sending",
  ]
  private static let memberWords: Set = ["var", "let", "case", "typealias", "associatedtype"]
  private static let startWords: Set = [
    "func", "init", "deinit", "subscript", "import", "operator", "precedencegroup", "macro",
  ]

  private var tokens: [Token] { file.tokens }

  // MARK: Lists of declarations

  private mutating func readDeclarations(in range: Range<Int>, of owner: TypeDeclaration?) {
    var index = range.lowerBound
    var attributes: [Attribute] = []
    var modifiers: Set<String> = []
    while index < range.upperBound {
      let token = tokens[index]
      if token.isSign("@") {
        let attribute = readAttribute(at: index, before: range.upperBound)
        attributes.append(attribute)
        index = attribute.tokens.upperBound
        continue
      }
      if token.kind == .word, Self.modifierWords.contains(token.text) || isModifier(index) {
        modifiers.insert(token.text)
        index += 1
        if index < range.upperBound, tokens[index].isSign("("), !isFunction(before: index) {
          index = file.partner(of: index) + 1
        }
        continue
      }
      let head = Head(attributes: attributes, modifiers: modifiers, owner: owner)
      index = readDeclaration(at: index, head, before: range.upperBound)
      attributes = []
      modifiers = []
    }
  }

  private struct Head {
    let attributes: [Attribute]
    let modifiers: Set<String>
    let owner: TypeDeclaration?
  }

  /// Reads what begins at an index, and returns where the next declaration may begin.
  private mutating func readDeclaration(at index: Int, _ head: Head, before end: Int) -> Int {
    let token = tokens[index]
    if token.kind == .word {
      if isType(index, before: end) { return readType(at: index, head, before: end) }
      switch token.text {
      case "func", "init", "deinit", "subscript":
        return readFunction(at: index, head, before: end)
      case _ where Self.memberWords.contains(token.text):
        return readMember(at: index, head, before: end)
      default:
        break
      }
    }
    // Statements of a script, macros, operators: nothing to find but what is in their brackets.
    return token.isOpening ? file.partner(of: index) + 1 : index + 1
  }

  /// `class` in `class func`.
  private func isModifier(_ index: Int) -> Bool {
    guard tokens[index].text == "class", index + 1 < tokens.count else { return false }
    let next = tokens[index + 1].text
    return next == "func" || next == "var" || next == "subscript" || next == "let"
      || Self.modifierWords.contains(next)
  }

  /// Whether the word before a bracket is the name of a function called like a modifier.
  private func isFunction(before index: Int) -> Bool {
    index >= 2 && tokens[index - 2].isWord("func")
  }

  private func isType(_ index: Int, before end: Int) -> Bool {
    Self.typeWords.contains(tokens[index].text) && index + 1 < end && tokens[index + 1].isName
      && !(index > 0
        && (tokens[index - 1].isSign(".") || tokens[index - 1].isWord("func")
          || tokens[index - 1].isWord("import")))
  }

  private func readAttribute(at index: Int, before end: Int) -> Attribute {
    var next = index + 1
    var name = next < end ? tokens[next].text : ""
    next += 1
    while next + 1 < end, tokens[next].isSign("."), tokens[next + 1].isName {
      name = tokens[next + 1].text
      next += 2
    }
    // A bracket on the next line belongs to the declaration: a tuple's pattern, for instance.
    if next < end, tokens[next].isSign("("), !tokens[next].startsLine {
      next = file.partner(of: next) + 1
    }
    return Attribute(name: name, tokens: index..<min(next, end))
  }

  // MARK: Types

  private mutating func readType(at index: Int, _ head: Head, before end: Int) -> Int {
    var next = index + 1
    var name = tokens[next].text
    next += 1
    while next + 1 < end, tokens[next].isSign("."), tokens[next + 1].isName {
      name += "." + tokens[next + 1].text
      next += 2
    }
    var bases: [String] = []
    var depth = 0
    var (isInBases, isAfterBases) = (false, false)
    while next < end, !tokens[next].isSign("{") {
      let token = tokens[next]
      if token.isSign("<") { depth += 1 }
      if token.isSign(">") { depth -= 1 }
      if token.isOpening {
        next = file.partner(of: next) + 1
        continue
      }
      if token.isWord("where") { isAfterBases = true }
      if depth == 0, token.isSign(":") { isInBases = true }
      if isInBases, !isAfterBases, depth == 0, token.isName,
        !["any", "unchecked"].contains(token.text)
      {
        if tokens[next - 1].isSign("."), !bases.isEmpty {
          bases[bases.count - 1] = token.text
        } else {
          bases.append(token.text)
        }
      }
      next += 1
    }
    guard next < end else { return end }
    let close = file.partner(of: next)
    let fullName = head.owner.map { "\($0.name).\(name)" } ?? name
    let type = TypeDeclaration(
      kind: TypeDeclaration.Kind(rawValue: tokens[index].text)!, name: fullName, bases: bases,
      attributes: head.attributes, line: tokens[index].line, body: (next + 1)..<close)
    types.append(type)
    readDeclarations(in: type.body, of: type)
    return close + 1
  }

  // MARK: Functions

  private mutating func readFunction(at index: Int, _ head: Head, before end: Int) -> Int {
    let word = tokens[index].text
    var next = index + 1
    var name = word
    if word == "func", next < end {
      name = tokens[next].text
      next += 1
    }
    while next < end, !tokens[next].isSign("("), !tokens[next].isSign("{") { next += 1 }
    var parameters: [FunctionDeclaration.Parameter] = []
    if next < end, tokens[next].isSign("(") {
      parameters = readParameters(in: (next + 1)..<file.partner(of: next))
      next = file.partner(of: next) + 1
    }
    let signature = next
    while next < end, !tokens[next].isSign("{") {
      let token = tokens[next]
      if token.startsLine, endsSignature(token) { break }
      next = token.isOpening ? file.partner(of: next) + 1 : next + 1
    }
    let isAsync = tokens[signature..<min(next, end)].contains { $0.isWord("async") }
    let hasBody = next < end && tokens[next].isSign("{") && head.owner?.kind != .protocol
    let body = hasBody ? (next + 1)..<file.partner(of: next) : next..<next
    functions.append(
      FunctionDeclaration(
        name: name, parameters: parameters, attributes: head.attributes, modifiers: head.modifiers,
        isAsync: isAsync, line: tokens[index].line, owner: head.owner?.name, body: body))
    if hasBody { return body.upperBound + 1 }
    return next < end && tokens[next].isSign("{") ? file.partner(of: next) + 1 : next
  }

  /// Whether a token that begins a line belongs to the next declaration, because this function has no body.
  private func endsSignature(_ token: Token) -> Bool {
    token.isSign("@") || token.isSign("}")
      || token.kind == .word
        && (Self.typeWords.contains(token.text) || Self.modifierWords.contains(token.text)
          || Self.memberWords.contains(token.text) || Self.startWords.contains(token.text))
  }

  private func readParameters(in range: Range<Int>) -> [FunctionDeclaration.Parameter] {
    file.arguments(in: range).compactMap { part in
      var index = part.lowerBound
      while index < part.upperBound, tokens[index].isSign("@") {
        index = readAttribute(at: index, before: part.upperBound).tokens.upperBound
      }
      guard index + 1 < part.upperBound, tokens[index].isName,
        let colon = part.first(where: { tokens[$0].isSign(":") }), colon > index
      else { return nil }
      let equals = file.index(of: "=", in: (colon + 1)..<part.upperBound)
      return FunctionDeclaration.Parameter(
        label: tokens[index].text == "_" ? nil : tokens[index].text, name: tokens[colon - 1].text,
        type: (colon + 1)..<(equals ?? part.upperBound),
        value: equals.map { ($0 + 1)..<part.upperBound })
    }
  }

  // MARK: Variables

  private mutating func readMember(at index: Int, _ head: Head, before end: Int) -> Int {
    let name = index + 1 < end ? tokens[index + 1].text : ""
    var next = index + 1
    while next < end {
      let token = tokens[next]
      if next > index + 1, token.startsLine, endsSignature(token) || token.kind == .pound { break }
      if token.isSign(";") { break }
      next = token.isOpening ? file.partner(of: next) + 1 : next + 1
    }
    next = min(next, end)
    guard tokens[index].text == "var" || tokens[index].text == "let" else { return next }
    let rest = min(index + 2, next)..<next
    members.append(MemberDeclaration(name: name, owner: head.owner?.name, tokens: rest))
    return next
  }
}

extension SourceFile {
  /// The parts between commas, which are not in brackets of their own.
  func arguments(in range: Range<Int>) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var (start, index, angles) = (range.lowerBound, range.lowerBound, 0)
    while index < range.upperBound {
      let token = tokens[index]
      if token.kind == .sign {
        switch token.text {
        case "(", "[", "{": index = partner(of: index)
        case "<" where tokens[index - 1].isName && tokens[index - 1].text.isTypeName: angles += 1
        case ">" where angles > 0: angles -= 1
        case "," where angles == 0:
          parts.append(start..<index)
          start = index + 1
        default: break
        }
      }
      index += 1
    }
    if start < range.upperBound { parts.append(start..<range.upperBound) }
    return parts
  }

  /// The first place of a sign that is not in brackets of its own.
  func index(of sign: String, in range: Range<Int>) -> Int? {
    var index = range.lowerBound
    while index < range.upperBound {
      if tokens[index].isSign(sign) { return index }
      index = tokens[index].isOpening ? partner(of: index) + 1 : index + 1
    }
    return nil
  }
}

extension String {
  /// Whether it begins with a capital letter, as names of types do.
  var isTypeName: Bool { utf8.first.map { $0 >= 0x41 && $0 <= 0x5A } ?? false }
}
