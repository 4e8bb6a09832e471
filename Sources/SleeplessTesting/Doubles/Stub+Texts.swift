import Sleepless

extension Stub {
  private var historyText: String { calls.recorder.core.historyText }

  private func called(_ arguments: Arguments) -> String {
    let arguments = argumentText(of: arguments).map { " with \($0)" } ?? ""
    return "\(owner.name) was called\(arguments)"
  }

  func unansweredText(_ arguments: Arguments) -> String {
    """
    \(called(arguments)), and it has no answer for that.
    \(historyText)
    Give one before the call: always(.value(...)) for every call, inTurn(...) for the next ones, either \
    with for: or where: for some.
    """
  }

  func usedUpText(_ arguments: Arguments, _ rule: StubState<Arguments, Value>.Rule) -> String {
    """
    \(called(arguments)) when \(rule.answerCount == 1 ? "its 1 answer" : "its \(rule.answerCount) answers") \
    in turn, given in \(rule.site), had been used up.
    \(historyText)
    Either the code calls too often, or it needs more answers: more in turn, or always(...) for those \
    that follow.
    """
  }

  func synchronousText(
    _ arguments: Arguments, _ answer: StubAnswer<Value>, _ site: CallSite
  ) -> String {
    """
    \(called(arguments)) without await, and its answer, given in \(site), \(answer.delayText ?? "").
    \(historyText)
    A synchronous function returns at once: give it a value or an error. Held and delayed answers \
    are for async functions and for completion handlers.
    """
  }

  func answeredTwiceText(_ call: String, _ site: CallSite) -> String {
    """
    \(call) gave \(owner.name) another answer before any call had the one given in \(site).
    \(historyText)
    The newer one counts. For two answers one after the other use inTurn(...). Pass a default that \
    tests replace as the stub's default:.
    """
  }

  func leftoverText(_ rules: [StubState<Arguments, Value>.Rule]) -> String {
    let count = rules.reduce(0) { $0 + $1.answers.count }
    let all = rules.reduce(0) { $0 + $1.answerCount }
    let sites = rules.map(\.site.description).joined(separator: ", ")
    return """
      \(count) of \(all) answers in turn of \(owner.name), given in \(sites), \
      \(count == 1 ? "was" : "were") never asked for.
      \(historyText)
      Either the code calls less often than the test expects, or the test ends too early. Answers \
      that need not be used are given with always(...).
      """
  }
}

extension DoubleOwner {
  func cannotThrowText(_ error: any Error, _ history: String) -> String {
    """
    \(name) was to throw \(eventText(of: error)), but the function that it stands in for \
    cannot throw.
    \(history)
    Give it a value, with always(.value(...)) or inTurn(...).
    """
  }

  func cannotThrowText<Failure: Error>(
    _ error: any Error, but type: Failure.Type, _ history: String
  ) -> String {
    """
    \(name) was to throw \(eventText(of: error)), which is a \(Swift.type(of: error)), but the \
    function that it stands in for throws \(type) alone.
    \(history)
    Give it an error of that type.
    """
  }

  func noTimeText(_ delay: Duration, _ site: CallSite) -> String {
    """
    \(name) was to answer after \(delay.shortDescription), as given in \(site), but there is no \
    virtual time.
    No simulation runs the call, and the answer's scheduler or clock, if any, has been released. \
    Give the test the trait .simulated, or pass a clock and keep it: .after(..., on: clock, ...).
    """
  }
}

extension Stub: CustomStringConvertible {
  /// The name, and the latest calls with their times.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .value(36))
  /// _ = try age.now("Ada")
  /// print(age)  // "age", and a line for each call
  /// ```
  public var description: String { calls.description }
}
