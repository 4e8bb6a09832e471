extension SourceFile {
  /// The number of turns of `_ in 0..<10`; nil if its bounds are no literals.
  func literalTimes(in header: Range<Int>) -> Int? {
    let words = tokens[header].drop { !$0.isWord("in") }.dropFirst().map(\.text)
    let bounds = words.map { Int($0.filter { $0 != "_" }) }
    guard words.count == 3, let first = bounds[0], let last = bounds[2] else { return nil }
    // The bounds have no sign, so only one more than the greatest number would be too much.
    switch words[1] {
    case "..<": return max(0, last - first)
    case "...": return last < first ? 0 : min(last - first, .max - 1) + 1
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

  /// The source of the condition that ends a loop, without what limits its time. `pauses` are the calls that pause.
  ///
  /// It is nil unless the source shows that a wait for this condition does the same: the loop has no label, and does
  /// nothing but pause and leave. Its condition is one expression.
  func endCondition(of loop: BodyReader.Loop, pausing pauses: [Range<Int>]) -> String? {
    let start = loop.range.lowerBound
    guard start == 0 || !tokens[start - 1].isSign(":") else { return nil }
    let rest = loop.body.filter { index in
      !tokens[index].isSign(";") && !pauses.contains { $0.contains(index) }
    }
    if let condition = loop.condition, tokens[condition].map(\.text) != ["true"] {
      return rest.isEmpty ? negation(of: condition) : nil
    }
    guard loop.condition != nil || isCounted(loop), let exit = exitCondition(rest, in: loop.body),
      isPlain(exit), !isAboutTime(exit)
    else { return nil }
    return source(of: exit)
  }

  /// `for _ in 0..<100 {`: no name and no filter.
  private func isCounted(_ loop: BodyReader.Loop) -> Bool {
    let header = tokens[loop.range.lowerBound..<loop.body.lowerBound]
    return header.dropFirst().prefix(2).map(\.text) == ["_", "in"]
      && !header.contains { $0.isWord("where") }
  }

  /// The condition of `if model.isLoaded { break }`, if that is all that is left of a body.
  private func exitCondition(_ rest: [Int], in body: Range<Int>) -> Range<Int>? {
    guard let start = rest.first, tokens[start].isWord("if"),
      let brace = index(of: "{", in: (start + 1)..<body.upperBound),
      rest == Array(start...partner(of: brace)),
      tokens[(brace + 1)..<partner(of: brace)].map(\.text) == ["break"]
    else { return nil }
    return (start + 1)..<brace
  }

  /// Whether a condition is one expression that can be negated part by part.
  private func isPlain(_ condition: Range<Int>) -> Bool {
    guard let last = condition.last, !["try", "await", "&&"].contains(tokens[last].text),
      index(of: ",", in: condition) == nil,
      // of `a ? b : c`
      index(of: ":", in: condition) == nil,
      index(of: "&&", in: condition) == nil || index(of: "||", in: condition) == nil
    else { return false }
    return condition.allSatisfy { index in
      let token = tokens[index]
      let handlesError =
        ["?", "!"].contains { token.isSign($0) } && index > 0 && tokens[index - 1].isWord("try")
      return token.kind != .pound && !handlesError
        && !["case", "let", "var"].contains { token.isWord($0) }
    }
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

  private func isAboutTime(_ condition: Range<Int>) -> Bool {
    tokens[condition].contains { Self.timeWords.contains($0.text) }
  }

  /// What is true when a loop ends, without the parts that limit its time.
  private func negation(of condition: Range<Int>) -> String? {
    guard isPlain(condition) else { return nil }
    let parts = parts(of: condition, between: "&&")
    let conditions = parts.filter { !$0.isEmpty && !isAboutTime($0) }
    // The `await` of a part that is left out may be meant for the others.
    let hasEffect = ["await", "try"].contains(tokens[condition.lowerBound].text)
    guard let first = conditions.first, !hasEffect || first == parts[0] else { return nil }
    return conditions.map { negation(of: $0, isWhole: conditions.count == 1) }
      .joined(separator: " || ")
  }

  private static let opposites = [
    "==": "!=", "!=": "==", "<": ">=", ">": "<=", "<=": ">", ">=": "<",
  ]

  private func negation(of condition: Range<Int>, isWhole: Bool) -> String {
    let start = condition.lowerBound
    if tokens[start].isWord("await") || tokens[start].isWord("try") {
      let rest = negation(of: (start + 1)..<condition.upperBound, isWhole: isWhole)
      return "\(tokens[start].text) \(rest)"
    }
    if let sign = comparison(in: condition) {
      return
        "\(source(of: start..<sign)) \(Self.opposites[tokens[sign].text]!) "
        + source(of: (sign + 1)..<condition.upperBound)
    }
    let rest = (start + 1)..<condition.upperBound
    if tokens[start].isSign("!"), isOperand(rest) {
      let isInBrackets =
        tokens[rest.lowerBound].isSign("(") && partner(of: rest.lowerBound) == rest.last
      return source(of: isInBrackets && isWhole ? rest.dropFirst().dropLast() : rest)
    }
    return isOperand(condition) ? "!\(source(of: condition))" : "!(\(source(of: condition)))"
  }

  /// The only comparison of a condition that is nothing else.
  private func comparison(in condition: Range<Int>) -> Int? {
    let signs = condition.filter { tokens[$0].kind == .sign }
    let comparisons = signs.filter { Self.opposites[tokens[$0].text] != nil }
    guard comparisons.count == 1, let sign = comparisons.first,
      index(of: tokens[sign].text, in: condition) == sign, sign > condition.lowerBound,
      sign < condition.upperBound - 1, !tokens[condition.lowerBound].isSign("!"),
      index(of: "||", in: condition) == nil
    else { return nil }
    // Not a part of `===`, which is two tokens.
    let around = signs.filter { $0 == sign - 1 || $0 == sign + 1 }
    let isOperator = around.contains { index in
      let (first, second) = (tokens[min(index, sign)], tokens[max(index, sign)])
      return first.range.upperBound == second.range.lowerBound
        && !["(", ")", "[", "]", "."].contains(tokens[index].text)
    }
    return isOperator ? nil : sign
  }

  /// Whether an operator in front of some tokens, or a member behind them, is for all of them: `model.items[0]`.
  func isOperand(_ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      let token = tokens[index]
      if token.isOpening {
        index = partner(of: index) + 1
        continue
      }
      let isPostfix =
        index > range.lowerBound && ["?", "!"].contains { token.isSign($0) }
        && token.range.lowerBound == tokens[index - 1].range.upperBound
      let isOperator = ["is", "as", "in", "try", "await"].contains { token.isWord($0) }
      guard token.kind != .sign && !isOperator || token.isSign(".") || isPostfix else {
        return false
      }
      index += 1
    }
    return !range.isEmpty
  }
}
