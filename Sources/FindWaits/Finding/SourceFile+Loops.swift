extension SourceFile {
  /// The number of turns of `_ in 0..<10`; nil if its bounds are no literals.
  func literalTimes(in header: Range<Int>) -> Int? {
    let words = tokens[header].drop { !$0.isWord("in") }.dropFirst().map(\.text)
    guard words.count == 3, let first = Int(words[0]), let last = Int(words[2]) else { return nil }
    switch words[1] {
    case "..<": return max(0, last - first)
    case "...": return max(0, last - first + 1)
    default: return nil
    }
  }

  /// Whether a loop that pauses waits for something: it may end before its last turn.
  func isPolling(_ loop: BodyReader.Loop) -> Bool {
    let leaves = tokens[loop.body].contains { $0.isWord("break") || $0.isWord("return") }
    guard let condition = loop.condition else { return leaves }
    let words = tokens[condition].map(\.text)
    if words == ["true"] || words.contains("isCancelled") { return leaves }
    return !words.contains("next")
  }

  /// The source of the condition that ends a loop, without what limits its time; nil if there is none to read.
  func endCondition(of loop: BodyReader.Loop) -> String? {
    if let condition = loop.condition, tokens[condition].map(\.text) != ["true"] {
      return negation(ofAll: parts(of: condition, between: "&&"))
    }
    // `if model.isLoaded { break }`
    guard
      let start = loop.body.first(where: { tokens[$0].isWord("if") }),
      let brace = index(of: "{", in: start..<loop.body.upperBound),
      tokens[brace..<partner(of: brace)].contains(where: {
        $0.isWord("break") || $0.isWord("return")
      }),
      !tokens[start..<brace].contains(where: { $0.isWord("let") || $0.isWord("var") })
    else { return nil }
    return source(of: (start + 1)..<brace)
  }

  private func parts(of range: Range<Int>, between sign: String) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    while let end = index(of: sign, in: start..<range.upperBound) {
      parts.append(start..<end)
      start = end + 1
    }
    return parts + [start..<range.upperBound]
  }

  private static let timeWords: Set = [
    "Date", "now", "deadline", "timeout", "attempts", "retries", "elapsed", "ContinuousClock",
    "timeIntervalSince", "timeIntervalSinceNow", "isCancelled",
  ]

  private func negation(ofAll parts: [Range<Int>]) -> String? {
    let conditions = parts.filter { part in
      !tokens[part].contains {
        Self.timeWords.contains($0.text) || $0.isWord("let") || $0.isWord("var")
      }
    }
    guard !conditions.isEmpty else { return nil }
    return conditions.map(negation).joined(separator: " || ")
  }

  private static let opposites = [
    "==": "!=", "!=": "==", "<": ">=", ">": "<=", "<=": ">", ">=": "<",
  ]

  private func negation(of condition: Range<Int>) -> String {
    let start = condition.lowerBound
    if tokens[start].isWord("await") || tokens[start].isWord("try") {
      return "\(tokens[start].text) \(negation(of: (start + 1)..<condition.upperBound))"
    }
    let or = index(of: "||", in: condition)
    let comparisons = condition.filter { Self.opposites[tokens[$0].text] != nil }
    if or == nil, comparisons.count == 1, tokens[comparisons[0]].kind == .sign,
      !tokens[start].isSign("!"),
      index(of: tokens[comparisons[0]].text, in: condition) == comparisons[0]
    {
      let sign = comparisons[0]
      return
        "\(source(of: start..<sign)) \(Self.opposites[tokens[sign].text]!) "
        + source(of: (sign + 1)..<condition.upperBound)
    }
    if or == nil, comparisons.isEmpty, tokens[start].isSign("!") {
      let rest = (start + 1)..<condition.upperBound
      let isInBrackets =
        tokens[rest.lowerBound].isSign("(") && partner(of: rest.lowerBound) == rest.last
      return source(of: isInBrackets ? rest.dropFirst().dropLast() : rest)
    }
    let isSimple = condition.allSatisfy {
      tokens[$0].isName || [".", "(", ")"].contains(tokens[$0].text)
    }
    if isSimple { return "!\(source(of: condition))" }
    return "!(\(source(of: condition)))"
  }
}
