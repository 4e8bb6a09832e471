/// What eventually, always and never wait for: decides after each look, and waits for nothing itself.
package struct ConditionEvaluator: Sendable {
  package enum Aim: Sendable {
    case becoming
    /// For so long, without a break.
    case holding(Duration)
  }

  package enum Step: Equatable, Sendable {
    /// By then at the latest, if something has a time.
    case lookAgain(by: Duration?)
    case passed
    case tooEarly
    /// It does not hold, and it is too late to begin.
    case gaveWay
  }

  let aim: Aim
  /// Before which it must not become true, or begin to hold.
  let notBefore: Duration
  /// Until when it has to begin to hold.
  let within: Duration
  private var heldSince: Duration?

  package init(_ aim: Aim, notBefore: Duration = .zero, within: Duration = .zero) {
    self.aim = aim
    self.notBefore = notBefore
    self.within = within
  }

  package mutating func saw(_ isFulfilled: Bool, at time: Duration) -> Step {
    guard isFulfilled else {
      heldSince = nil
      guard case .holding = aim else { return .lookAgain(by: nil) }
      return time < within ? .lookAgain(by: within) : .gaveWay
    }
    if heldSince == nil, time < notBefore { return .tooEarly }
    guard case .holding(let duration) = aim else { return .passed }
    let start = heldSince ?? time
    heldSince = start
    let end = start.saturatingAdding(duration)
    return time >= end ? .passed : .lookAgain(by: end)
  }
}
