/// What a function and its type say about their variables.
struct Variables {
  private var types: [String: String] = [:]
  /// The expectations in the order in which they are made.
  private(set) var expectations: [String] = []
  private(set) var inverted: Set<String> = []

  /// The type of a variable, if its declaration says so.
  func type(of name: String) -> String? { types[name] }

  /// Reads the parameters of a function.
  mutating func add(_ parameters: [FunctionDeclaration.Parameter], in file: SourceFile) {
    for parameter in parameters {
      types[parameter.name] = file.tokens[parameter.type].first { $0.text.isTypeName }?.text
    }
  }

  /// Reads a variable of the type around the function.
  mutating func add(_ member: MemberDeclaration, in file: SourceFile) {
    add(member.name, declaredBy: member.tokens, in: file)
  }

  /// Reads the variables that a function declares, and which expectations it inverts.
  mutating func add(_ range: Range<Int>, in file: SourceFile) {
    let tokens = file.tokens
    for index in range {
      let token = tokens[index]
      if token.isWord("let") || token.isWord("var"), index + 2 < range.upperBound {
        add(tokens[index + 1].text, declaredBy: (index + 2)..<range.upperBound, in: file)
      } else if token.isWord("isInverted"), index > range.lowerBound + 1, index + 2 < range.upperBound,
        tokens[index - 1].isSign("."), tokens[index + 1].isSign("="), tokens[index + 2].isWord("true")
      {
        inverted.insert(tokens[index - 2].text)
      }
    }
  }

  private mutating func add(_ name: String, declaredBy range: Range<Int>, in file: SourceFile) {
    let tokens = file.tokens
    var index = range.lowerBound
    guard index < range.upperBound else { return }
    if tokens[index].isSign(":") {
      index += 1
      while index < range.upperBound, ["any", "some", "inout"].contains(tokens[index].text) { index += 1 }
      if index < range.upperBound, tokens[index].text.isTypeName { types[name] = tokens[index].text }
      return
    }
    guard tokens[index].isSign("=") else { return }
    index += 1
    while index < range.upperBound, ["try", "await", "self", ".", "?", "!"].contains(tokens[index].text)
    {
      index += 1
    }
    guard index + 1 < range.upperBound else { return }
    let word = tokens[index].text
    if word.isTypeName {
      let isCall = tokens[index + 1].isSign("(") || tokens[index + 1].isSign("<")
      let isMember = tokens[index + 1].isSign(".")
      types[name] = isCall || isMember ? word : nil
    } else if ["expectation", "keyValueObservingExpectation"].contains(word) {
      types[name] = "XCTestExpectation"
    }
    if types[name]?.hasSuffix("Expectation") == true { expectations.append(name) }
  }
}
