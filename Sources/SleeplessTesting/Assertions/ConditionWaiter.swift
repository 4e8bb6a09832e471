import Dispatch
import Sleepless
import SleeplessSimulation
import VirtualTime

/// One call of eventually, always or never: evaluates its condition until the wait ends, and fails if it
/// has to.
package final class ConditionWaiter: Sendable {
  /// The aim of the wait, and the words for its failures.
  struct Plan: Sendable {
    let call: String
    let description: String?
    let evaluator: ConditionEvaluator
    /// How long the whole call may take; nil for as long as the hang timeout allows.
    let limit: Duration?
    /// What was expected: "its condition to become true".
    let expectation: String
    /// What happened instead: "it stayed false".
    let shortfall: String
    /// The next step after a failure; nil for the usual one.
    var advice: String?
    /// How the history shows a fulfilled evaluation that has no value to show.
    var fulfilled = "true"
  }

  enum End: Sendable {
    case passed
    case failed(Failure)
  }

  enum Failure: Sendable {
    case unfulfilled(WakeReason)
    case tooEarly
    case doesNotHold
    case failedFast
    /// The latest evaluation has not returned.
    case notReturned
    /// The test has failed already.
    case reported
  }

  struct State: Sendable {
    var evaluator: ConditionEvaluator
    var history = EvaluationHistory()
    var lastText: String?
    var lastThrew = false
    var evaluations = 0
    var isEvaluating = false
    /// Identifies an evaluation, also one that is not counted.
    var evaluationNumber = 0
    var isGuardOver = false
    var isReported = false
    /// How long after the timeout the condition became true, if it did.
    var lateBy: Duration?
  }

  /// Called at moments that a test cannot see otherwise. For tests.
  @TaskLocal package static var observer: Observer?

  /// Closures in a structure: see `RecorderWait.Observer`.
  package struct Observer: Sendable {
    /// Called before the last evaluation.
    let timeoutIsOver: @Sendable () -> Void
    /// Called after the test has failed because an evaluation does not return.
    let hasGivenUp: @Sendable () -> Void

    package init(
      timeoutIsOver: @escaping @Sendable () -> Void = {},
      hasGivenUp: @escaping @Sendable () -> Void = {}
    ) {
      self.timeoutIsOver = timeoutIsOver
      self.hasGivenUp = hasGivenUp
    }
  }

  let plan: Plan
  let site: CallSite
  let reporter: Reporter
  let state: Locked<State>
  /// The most real time that it waits; nil in a simulation, and where the plan has a duration.
  let timeout: Duration?
  /// The most time that an evaluation may take where nothing else limits it. Read here because a timer's
  /// code is in no task, and so has no task-local timeout.
  let hangTimeout = HangTimeout.interval
  private let strategyBox = Locked<(any WaitStrategy)?>(nil)
  private let observer = ConditionWaiter.observer
  private let onAbandon = Locked<(@Sendable () -> Void)?>(nil)

  init(_ plan: Plan, at site: CallSite) {
    self.plan = plan
    self.site = site
    reporter = Reporter(at: site)
    state = Locked(State(evaluator: plan.evaluator))
    var isReal = true
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) { isReal = Simulation.current == nil }
    switch plan.evaluator.aim {
    case .becoming: timeout = isReal ? HangTimeout.scaled(plan.limit) : nil
    case .holding: timeout = nil
    }
  }

  /// Begins to wait, in the task that evaluates: changes made by that task do not wake it.
  func begin() -> any WaitStrategy {
    let strategy: any WaitStrategy
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current {
      strategy = SimulationWaitStrategy(simulation, limit: plan.limit)
    } else {
      // A duration has no timeout, but an evaluation that never returns needs one.
      // A limit of the caller's is kept.
      strategy = RealTimeWaitStrategy(
        timeout: timeout ?? hangTimeout + plan.ownTime,
        endsAtRest: timeout != nil && plan.limit == nil
      ) { [weak self] in
        self?.timeoutRanOut()
      }
    }
    begin(with: strategy)
    return strategy
  }

  func begin(with strategy: any WaitStrategy) { strategyBox.withLock { $0 = strategy } }

  var strategy: any WaitStrategy { strategyBox.withLock { $0! } }

  /// Warns of a duration that has taken real time: more than a tenth of the hang timeout, which is a second unless set.
  private func warnOfRealTime() {
    guard !strategy.isVirtual, min(plan.ownTime, strategy.now) > hangTimeout / 10 else { return }
    reporter.warn(
      """
      \(name) took \(plan.ownTime.shortDescription) of real time, and takes it in each run of the test.
      In a simulation (.simulated, SimulatedTestCase) it takes none, nor with advancing: and a TestScheduler.
      """, at: site)
  }

  // MARK: Evaluating

  func willEvaluate() {
    strategy.willEvaluate()
    let isGuardOver = state.withLock { state in
      state.evaluations += 1
      state.evaluationNumber += 1
      state.isEvaluating = true
      return state.isGuardOver
    }
    if isGuardOver { giveUpEvaluation(reporting: .notReturned) }
  }

  /// Notes the result of an evaluation; returns how the wait ended, or the time of the next evaluation.
  func noteEvaluation<Value>(_ evaluation: Evaluation<Value>) -> (end: End?, by: Duration?) {
    let now = strategy.now
    let (text, isError) = evaluation.text
    return state.withLock { state in
      state.isEvaluating = false
      guard !state.isReported else { return (.failed(.reported), nil) }
      (state.lastText, state.lastThrew) = (text, isError)
      state.history.add(
        state.lastThrew ? "threw \(state.lastText!)" : state.lastText ?? plan.fulfilled, at: now)
      switch state.evaluator.noteEvaluation(evaluation.isFulfilled, at: now) {
      case .evaluateAgain(let time): return (nil, time)
      case .passed: return (.passed, nil)
      case .tooEarly: return (.failed(.tooEarly), nil)
      case .doesNotHold: return (.failed(.doesNotHold), nil)
      }
    }
  }

  // MARK: Ending

  /// Ends the wait after an evaluation; returns its value if the wait has passed.
  private func finish<Value>(_ end: End, _ evaluation: Evaluation<Value>) -> Value? {
    switch end {
    case .passed:
      guard case .fulfilled(let value) = evaluation else { return nil }
      return value
    case .failed(let failure):
      fail(failure)
      return nil
    }
  }

  func fail(_ failure: Failure) {
    let isReported = state.withLock { state in
      defer { state.isReported = true }
      return state.isReported
    }
    if case .reported = failure { return }
    if !isReported { reporter.fail(text(of: failure), at: site) }
  }

  /// Notes that the timeout is over; an evaluation under way is now given up if it does not return.
  private func timeoutRanOut() {
    let isEvaluating = state.withLock { state in
      state.isGuardOver = true
      return state.isEvaluating
    }
    if isEvaluating { giveUpEvaluation(reporting: .notReturned) }
  }

  /// Fails the test if the evaluation under way has not returned a while later.
  @discardableResult
  func giveUpEvaluation(reporting failure: Failure) -> HangTimer {
    let evaluate = state.withLock { $0.evaluationNumber }
    return HangTimer(max((timeout ?? hangTimeout) / 10, .milliseconds(50))) { [self] in
      let isLost = state.withLock { state in
        guard state.isEvaluating, state.evaluationNumber == evaluate, !state.isReported else {
          return false
        }
        state.isReported = true
        return true
      }
      guard isLost else { return }
      reporter.fail(text(of: failure), at: site)
      observer?.hasGivenUp()
      onAbandon.withLock { $0.take() }?()
    }
  }

  /// Sets the closure to call if an evaluation does not return.
  func onAbandon(_ body: @escaping @Sendable () -> Void) { onAbandon.withLock { $0 = body } }
}

extension ConditionWaiter.Plan {
  /// How long the call lasts by the caller's own wish.
  fileprivate var ownTime: Duration {
    if case .holding(let duration) = evaluator.aim {
      evaluator.within.saturatingAdding(duration)
    } else {
      .zero
    }
  }
}

extension HangTimeout {
  /// A caller's limit, scaled for this machine as the hang timeout is; nil means the hang timeout.
  static func scaled(_ limit: Duration?) -> Duration {
    guard let limit else { return interval }
    return limit * (interval / .seconds(10))
  }
}

extension ConditionWaiter {
  /// Evaluates until the wait ends. Changes made by the calling task do not wake it.
  func run<Value>(
    failFast: (() async -> Bool)?, isolation: isolated (any Actor)?,
    _ evaluate: () async -> Evaluation<Value>
  ) async -> Value? {
    let strategy = begin()
    defer {
      strategy.stop()
      warnOfRealTime()
    }
    return await withTaskCancellationHandler {
      while true {
        willEvaluate()
        let evaluation = await evaluate()
        let (end, deadline) = noteEvaluation(evaluation)
        if let end { return finish(end, evaluation) }
        if let failFast, await failFast() {
          fail(.failedFast)
          return nil
        }
        if Task.isCancelled {
          fail(.unfulfilled(.cancelled))
          return nil
        }
        let reason = await strategy.next(by: deadline)
        switch reason {
        case .change, .deadline: break
        case .cancelled:
          fail(.unfulfilled(.cancelled))
          return nil
        case .silent, .nothingMore:
          return await evaluateAfterTimeout(reason, isolation: isolation, evaluate)
        }
      }
    } onCancel: {
      strategy.cancel()
    }
  }

  /// Evaluates once more after the timeout, in case no notification came of the change that made the
  /// condition true. If it is still false, waits a little longer so that the failure can say how late it
  /// became true.
  private func evaluateAfterTimeout<Value>(
    _ end: WakeReason, isolation: isolated (any Actor)?, _ evaluate: () async -> Evaluation<Value>
  ) async -> Value? {
    observer?.timeoutIsOver()
    willEvaluate()
    let last = await evaluate()
    if let end = noteEvaluation(last).end { return finish(end, last) }
    if let timeout, case .silent = end, !strategy.isVirtual {
      let timeoutEnd = strategy.now
      let grace = timeoutEnd + min(max(timeout / 20, .milliseconds(100)), .milliseconds(500))
      repeat {
        _ = await strategy.next(by: grace)
        strategy.willEvaluate()
        state.withLock { state in
          state.evaluationNumber += 1
          state.isEvaluating = true
        }
        let timer = giveUpEvaluation(reporting: .unfulfilled(end))
        let isLate = await evaluate().isFulfilled
        timer.cancel()
        state.withLock { $0.isEvaluating = false }
        if isLate {
          let late = strategy.now - timeoutEnd
          state.withLock { $0.lateBy = late }
          break
        }
      } while strategy.now < grace && !Task.isCancelled
    }
    fail(.unfulfilled(end))
    return nil
  }
}
