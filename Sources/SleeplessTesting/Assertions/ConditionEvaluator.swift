/// Decides after each evaluation of a condition whether eventually, always or never is done. It does not
/// wait itself.
package struct ConditionEvaluator: Sendable {
  package enum Aim: Sendable {
    /// The condition has to become true.
    case becoming
    /// The condition has to hold for so long without a break.
    case holding(Duration)
  }

  package enum Step: Equatable, Sendable {
    /// The condition has to be evaluated again, by that time at the latest if there is one.
    case evaluateAgain(by: Duration?)
    case passed
    /// The condition became true before it should.
    case tooEarly
    /// The condition does not hold, and the time to begin is over.
    case doesNotHold
  }

  let aim: Aim
  /// The earliest time at which it may become true or begin to hold.
  let notBefore: Duration
  /// The latest time at which it may begin to hold.
  let within: Duration
  /// When it began to hold, if it holds.
  private var heldSince: Duration?

  package init(_ aim: Aim, notBefore: Duration = .zero, within: Duration = .zero) {
    self.aim = aim
    self.notBefore = notBefore
    self.within = within
  }

  package mutating func noteEvaluation(_ isFulfilled: Bool, at time: Duration) -> Step {
    guard isFulfilled else {
      heldSince = nil
      guard case .holding = aim else { return .evaluateAgain(by: nil) }
      return time < within ? .evaluateAgain(by: within) : .doesNotHold
    }
    if heldSince == nil, time < notBefore { return .tooEarly }
    guard case .holding(let duration) = aim else { return .passed }
    let start = heldSince ?? time
    heldSince = start
    let end = start.saturatingAdding(duration)
    return time >= end ? .passed : .evaluateAgain(by: end)
  }
}
