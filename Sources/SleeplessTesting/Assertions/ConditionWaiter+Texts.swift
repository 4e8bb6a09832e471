import Sleepless
import SleeplessSimulation

extension ConditionWaiter {
  /// The name of the call, with its description: `eventually "the list is loaded"`.
  var name: String { plan.description.map { "\(plan.call) \"\($0)\"" } ?? plan.call }

  func text(of failure: Failure) -> String {
    let (what, advice) = explain(failure)
    let lines: [String?] = [
      "\(name) expected \(plan.expectation), but \(what).", historyText, lateText, advice,
    ]
    return lines.compactMap { $0 }.joined(separator: "\n")
  }

  private var historyText: String {
    let (history, evaluations) = state.withLock { ($0.history, $0.evaluations) }
    let isEmpty = history.count == 0
    let asked = plan.limit.map { ", asked: \($0.shortDescription)" } ?? ""
    let times = evaluations == 1 ? "once" : "\(evaluations) times"
    let heading = "So far (now: \(text(strategy.now))\(asked), evaluated \(times))"
    return isEmpty ? heading + "." : heading + ":\n" + history.list(text)
  }

  private var lateText: String? {
    guard let late = state.withLock({ $0.lateBy }) else { return nil }
    return """
      It became true \(late.roundedDescription) after the timeout. If the machine is slow, \
      SLEEPLESS_GUARD_SECONDS gives all waits more time.
      """
  }

  private func text(_ time: Duration) -> String {
    strategy.isVirtual ? time.shortDescription : time.roundedDescription
  }

  private func explain(_ failure: Failure) -> (what: String, advice: String?) {
    let (last, threw) = state.withLock { ($0.lastText, $0.lastThrew) }
    let now = text(strategy.now)
    switch failure {
    case .unfulfilled(.cancelled):
      return (
        "the waiting task was cancelled first",
        """
        Usually a time limit of the test, or the test itself, cancels the task that waits. Wait in a task \
        that nobody cancels, or find out what takes so long.
        """
      )
    case .unfulfilled(let end):
      let shortfall = threw ? "it threw \(last ?? "")" : plan.shortfall
      return ("\(shortfall): \(reason(end))", advice(end, threw: threw))
    case .tooEarly:
      return (
        "that came too early: after \(now), not before \(plan.evaluator.notBefore.shortDescription)",
        "The code did not wait as long as it should, or earlier code left the state like this."
      )
    case .doesNotHold:
      let result = "after \(now) it \(threw ? "threw \(last ?? "")" : "was \(last ?? "")")"
      guard state.withLock({ $0.history.isUniform }) else {
        return (
          result, "The code that ran last before that has changed it; a recorder shows the order."
        )
      }
      return (
        result,
        plan.evaluator.within == .zero
          ? "It failed at the first check. Set up the state first."
          : "It has been so since the first check. Start the code that changes it, or give it more time with within:."
      )
    case .failedFast:
      return (
        "failFast ended the wait after \(now)",
        "The test's failFast returned true. Look at the state that it reads: the code has reached it."
      )
    case .notReturned where plan.advice != nil:
      let timeout = timeout ?? hangTimeout
      return (
        "\(plan.shortfall): \(timeout.shortDescription) of real time went by", plan.advice
      )
    case .notReturned:
      let evaluations = state.withLock { $0.evaluations }
      return (
        evaluations == 1
          ? "it was never evaluated: the first evaluation has not returned"
          : "evaluation number \(evaluations) has not returned",
        "The condition blocks, or awaits something that never comes. It should only read state."
      )
    case .reported: return ("", nil)
    }
  }

  private func reason(_ end: WakeReason) -> String {
    switch end {
    case .silent(let limit):
      "\(limit.shortDescription) of \(strategy.isVirtual ? "virtual" : "real") time went by"
        + (plan.limit.map { limit == $0 ? "" : scaled($0) } ?? "")
    case .nothingMore(let reason): reason
    case .change, .deadline, .cancelled: ""
    }
  }

  private func scaled(_ limit: Duration) -> String {
    " (\(limit.shortDescription), scaled by SLEEPLESS_GUARD_SECONDS)"
  }

  private func advice(_ end: WakeReason, threw: Bool) -> String {
    if threw {
      return "An error means not yet. If it can never become right, end the wait with failFast."
    }
    if case .nothingMore = end, !strategy.isVirtual { return RestText.advice }
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), case .nothingMore = end {
      return Simulation.current?.isManual == true
        ? "Time is manual: advance it first, with Simulation.advance(by:)."
        : """
        Nothing left to run can change the condition. Look for code that was not started, or that waits for \
        a queue, a thread or a server.
        """
    }
    if let advice = plan.advice { return advice }
    return "Was the code started? Does the condition read the right state?"
  }
}
