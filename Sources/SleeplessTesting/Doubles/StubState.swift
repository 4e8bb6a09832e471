import Sleepless

/// The answers given to a stub: decides which one a call gets.
struct StubState<Arguments: Sendable, Value: Sendable>: Sendable {
  typealias Condition = @Sendable (Arguments) -> Bool

  /// The answer for every call.
  enum Standing: Sendable {
    case answer(StubAnswer<Value>)
    case closure(@Sendable (Arguments) throws -> Value)
  }

  /// The answers of one call of `always` or `inTurn`.
  struct Rule: Sendable {
    let site: CallSite
    /// The condition on a call's arguments; nil for all calls.
    let condition: Condition?
    /// The argument, if the condition only compares with one.
    let argument: Arguments?
    /// The answer of `always`; nil for `inTurn`.
    let standing: Standing?
    /// The unused answers of `inTurn`.
    fileprivate(set) var answers: [StubAnswer<Value>]
    let answerCount: Int
    /// Whether a call has had an answer from it; also true for a default, which may be replaced unused.
    fileprivate(set) var isUsed: Bool
    fileprivate(set) var number = 0

    init(
      at site: CallSite, where condition: Condition? = nil, for argument: Arguments? = nil,
      standing: Standing? = nil, inTurn answers: [StubAnswer<Value>] = [], isUsed: Bool = false
    ) {
      self.site = site
      self.condition = condition
      self.argument = argument
      self.standing = standing
      self.answers = answers
      self.isUsed = isUsed
      answerCount = answers.count
    }

    var isInTurn: Bool { standing == nil }

    /// Whether this rule, if added now, comes before another one.
    fileprivate func isAsked(before other: Rule) -> Bool {
      part < other.part || (part == other.part && !isInTurn)
    }

    private var part: Int { (condition == nil ? 2 : 0) + (isInTurn ? 0 : 1) }
  }

  /// The choice for a call.
  enum Choice: Sendable {
    case standing(Standing, CallSite)
    case answer(StubAnswer<Value>, CallSite)
    /// The answers in turn for such calls are used up.
    case usedUp(Rule)
    case none
  }

  /// In the order in which they apply: rules with a condition before rules for all calls, answers in
  /// turn before a standing one, and the latest standing one first.
  private(set) var rules: [Rule] = []
  private var last = 0
  private var isOver = false

  mutating func add(_ rule: Rule) {
    last += 1
    var rule = rule
    rule.number = last
    let index = rules.firstIndex { rule.isAsked(before: $0) }
    rules.insert(rule, at: index ?? rules.count)
  }

  func numbers(where condition: (Rule) -> Bool) -> Set<Int> {
    Set(rules.filter(condition).map(\.number))
  }

  /// Removes rules that a newer one replaces, and returns them: they hold values of the user's, which
  /// must not be released under the lock.
  mutating func replace(_ numbers: Set<Int>) -> [Rule] {
    let replaced = rules.filter { numbers.contains($0.number) }
    rules.removeAll { numbers.contains($0.number) }
    return replaced
  }

  var standingForArguments: [Rule] { rules.filter { !$0.isInTurn && $0.argument != nil } }

  /// Takes the answer for a call from the first of these rules that has one left.
  mutating func take(from numbers: [Int]) -> Choice {
    var usedUp: Rule?
    for number in numbers {
      guard let index = rules.firstIndex(where: { $0.number == number }) else { continue }
      if let standing = rules[index].standing {
        rules[index].isUsed = true
        return .standing(standing, rules[index].site)
      }
      guard !rules[index].answers.isEmpty else {
        usedUp = rules[index]
        continue
      }
      rules[index].isUsed = true
      return .answer(rules[index].answers.removeFirst(), rules[index].site)
    }
    return usedUp.map(Choice.usedUp) ?? .none
  }

  /// Ends the stub; returns the rules with unused answers in turn, but only the first time.
  mutating func close() -> [Rule] {
    defer { isOver = true }
    return isOver ? [] : rules.filter { $0.isInTurn && !$0.answers.isEmpty }
  }
}
