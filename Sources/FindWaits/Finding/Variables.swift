/// What a function and its type say about their variables.
struct Variables {
  /// The types of a name's declarations in the order of the source. Blocks may declare a name again.
  private var types: [String: [(place: Int, type: String?)]] = [:]
  /// The expectations in the order in which they are made.
  private(set) var expectations: [String] = []
  private(set) var inverted: Set<String> = []

  /// The type of a variable at a token, if the last declaration before it says so.
  func type(of name: String, at place: Int) -> String? {
    types[name]?.last { $0.place <= place }?.type
  }

  /// Reads the parameters of a function.
  mutating func add(_ parameters: [FunctionDeclaration.Parameter], in file: SourceFile) {
    for parameter in parameters {
      let type = file.tokens[parameter.type].first { $0.text.isTypeName }?.text
      types[parameter.name, default: []].append((0, type))
    }
  }

  /// Reads a variable of the type around the function.
  mutating func add(_ member: MemberDeclaration, in file: SourceFile) {
    // A type's variables are known before their declaration, too.
    add(member.name, declaredBy: member.tokens, from: 0, in: file)
  }

  /// Reads the variables that a function declares, and which expectations it inverts.
  mutating func add(_ range: Range<Int>, in file: SourceFile) {
    let tokens = file.tokens
    for index in range {
      let token = tokens[index]
      if token.isWord("let") || token.isWord("var"), index + 2 < range.upperBound {
        add(
          tokens[index + 1].text, declaredBy: (index + 2)..<range.upperBound, from: index, in: file)
      } else if token.isWord("isInverted"), index > range.lowerBound + 1,
        index + 2 < range.upperBound,
        tokens[index - 1].isSign("."), tokens[index + 1].isSign("="),
        tokens[index + 2].isWord("true")
      {
        inverted.insert(tokens[index - 2].text)
      }
    }
  }

  private mutating func add(
    _ name: String, declaredBy range: Range<Int>, from place: Int, in file: SourceFile
  ) {
    let type = type(declaredBy: range, in: file)
    types[name, default: []].append((place, type))
    if type?.hasSuffix("Expectation") == true { expectations.append(name) }
  }

  /// The type in `: Type` or `= Type(…)`.
  private func type(declaredBy range: Range<Int>, in file: SourceFile) -> String? {
    let tokens = file.tokens
    var index = range.lowerBound
    guard index < range.upperBound else { return nil }
    if tokens[index].isSign(":") {
      index += 1
      while index < range.upperBound, ["any", "some", "inout"].contains(tokens[index].text) {
        index += 1
      }
      return index < range.upperBound && tokens[index].text.isTypeName ? tokens[index].text : nil
    }
    guard tokens[index].isSign("=") else { return nil }
    index += 1
    while index < range.upperBound,
      ["try", "await", "self", ".", "?", "!"].contains(tokens[index].text)
    {
      index += 1
    }
    guard index + 1 < range.upperBound else { return nil }
    let word = tokens[index].text
    if word.isTypeName {
      let isCall = tokens[index + 1].isSign("(") || tokens[index + 1].isSign("<")
      let isMember = tokens[index + 1].isSign(".")
      return isCall || isMember ? word : nil
    }
    return ["expectation", "keyValueObservingExpectation"].contains(word)
      ? "XCTestExpectation" : nil
  }
}
