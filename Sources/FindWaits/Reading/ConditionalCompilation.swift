/// Leaves out what no compiler sees: the branches of `#if` whose condition is false everywhere.
///
/// A branch that some system or some compiler takes is read. So a test in both branches of `#if os(Linux)` is read
/// twice.
enum ConditionalCompilation {
  /// The tokens of the branches that may be compiled, without the directives.
  static func compiled(_ tokens: [Token]) -> [Token] {
    guard tokens.contains(where: { $0.kind == .pound && $0.text == "#if" }) else { return tokens }
    var result: [Token] = []
    result.reserveCapacity(tokens.count)
    var blocks: [Block] = []
    var index = 0
    while index < tokens.count {
      let token = tokens[index]
      guard token.kind == .pound, token.startsLine, directives.contains(token.text) else {
        if blocks.last?.isRead != false { result.append(token) }
        index += 1
        continue
      }
      let end = tokens[(index + 1)...].firstIndex { $0.line != token.line } ?? tokens.count
      let condition = Condition(tokens[(index + 1)..<end]).value
      switch token.text {
      case "#if":
        blocks.append(Block(condition, isAroundRead: blocks.last?.isRead != false))
      case "#endif":
        _ = blocks.popLast()
      default:
        if !blocks.isEmpty {
          blocks[blocks.count - 1].enterNext(token.text == "#else" ? true : condition)
        }
      }
      index = end
    }
    return result
  }

  private static let directives: Set = ["#if", "#elseif", "#else", "#endif"]

  private struct Block {
    /// Whether the code around the block is read.
    let isAroundRead: Bool
    private(set) var isRead: Bool
    /// Whether an earlier branch is taken everywhere.
    private var isDecided: Bool

    init(_ condition: Bool?, isAroundRead: Bool) {
      self.isAroundRead = isAroundRead
      isRead = isAroundRead && condition != false
      isDecided = condition == true
    }

    mutating func enterNext(_ condition: Bool?) {
      isRead = isAroundRead && !isDecided && condition != false
      isDecided = isDecided || condition == true
    }
  }

  /// A condition in three values: nil stands for "true on some systems".
  private struct Condition {
    private var tokens: ArraySlice<Token>

    init(_ tokens: ArraySlice<Token>) { self.tokens = tokens }

    var value: Bool? {
      var copy = self
      return copy.disjunction()
    }

    private mutating func disjunction() -> Bool? {
      var value = conjunction()
      while take("||") {
        let other = conjunction()
        value = value == true || other == true ? true : value == false ? other : value
      }
      return value
    }

    private mutating func conjunction() -> Bool? {
      var value = primary()
      while take("&&") {
        let other = primary()
        value = value == false || other == false ? false : value == true ? other : value
      }
      return value
    }

    private mutating func primary() -> Bool? {
      if take("!") { return primary().map { !$0 } }
      if take("(") {
        let value = disjunction()
        _ = take(")")
        return value
      }
      let word = tokens.popFirst()
      if take("(") {
        var depth = 1
        while depth > 0, let token = tokens.popFirst() {
          if token.isSign("(") { depth += 1 }
          if token.isSign(")") { depth -= 1 }
        }
        return nil
      }
      return word?.text == "true" ? true : word?.text == "false" ? false : nil
    }

    private mutating func take(_ sign: String) -> Bool {
      guard tokens.first?.isSign(sign) == true else { return false }
      tokens.removeFirst()
      return true
    }
  }
}
