import Sleepless

/// What a stub was told to answer: decides which answer a call gets.
struct StubState<Arguments: Sendable, Value: Sendable>: Sendable {
  typealias Condition = @Sendable (Arguments) -> Bool

  /// The answer for every call.
  enum Standing: Sendable {
    case answer(StubAnswer<Value>)
    case closure(@Sendable (Arguments) throws -> Value)
  }

  /// What one call of `always` or `inTurn` said.
  struct Rule: Sendable {
    let site: CallSite
    /// Which calls it is for; nil for all.
    let condition: Condition?
    /// The argument that the condition asks for, if that is all.
    let argument: Arguments?
    /// The answer of `always`; nil for those of `inTurn`.
    let standing: Standing?
    /// What is left of the answers of `inTurn`.
    fileprivate(set) var answers: [StubAnswer<Value>]
    let answerCount: Int
    /// Whether a call has had an answer from it, or it is a default that may be replaced unused.
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

    /// Whether a rule that is added now is asked before another one.
    fileprivate func isAsked(before other: Rule) -> Bool {
      part < other.part || (part == other.part && !isInTurn)
    }

    private var part: Int { (condition == nil ? 2 : 0) + (isInTurn ? 0 : 1) }
  }

  /// What a call gets.
  enum Choice: Sendable {
    case standing(Standing, CallSite)
    case answer(StubAnswer<Value>, CallSite)
    /// Every answer in turn for such calls has been given.
    case usedUp(Rule)
    case none
  }

  /// In the order in which a call asks them: those with a condition before those for all calls,
  /// answers in turn before a standing one, and of several standing ones the latest.
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

  /// Takes away rules that a newer one stands in for, and returns them: what they hold is the user's
  /// and is not to be released under the lock.
  mutating func replace(_ numbers: Set<Int>) -> [Rule] {
    let replaced = rules.filter { numbers.contains($0.number) }
    rules.removeAll { numbers.contains($0.number) }
    return replaced
  }

  var standingForArguments: [Rule] { rules.filter { !$0.isInTurn && $0.argument != nil } }

  /// Takes the answer for a call from the first of these rules that still has one.
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

  /// Ends it; returns the answers in turn that no call has asked for, but only the first time.
  mutating func close() -> [Rule] {
    defer { isOver = true }
    return isOver ? [] : rules.filter { $0.isInTurn && !$0.answers.isEmpty }
  }
}
