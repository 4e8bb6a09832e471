import Dispatch
import Sleepless
import SleeplessSimulation
import VirtualTime

/// One call of eventually, always or never: looks again and again, and tells how it ended.
package final class ConditionWaiter: Sendable {
  /// What is waited for, in the words of its failures.
  struct Plan: Sendable {
    let call: String
    let description: String?
    let evaluator: ConditionEvaluator
    /// How long the whole may take; nil for as long as the guard allows.
    let limit: Duration?
    /// What should come: "its condition to become true".
    let expectation: String
    /// What comes instead: "it stayed false".
    let shortfall: String
    /// What to do if it does not come; nil for what is usual with conditions.
    var advice: String?
    /// What is seen where all is well and there is no value to show.
    var fulfilled = "true"
  }

  enum End: Sendable {
    case passed
    case failed(Failure)
  }

  enum Failure: Sendable {
    case unfulfilled(WakeReason)
    case tooEarly
    case gaveWay
    case failedFast
    /// The latest evaluation has not come back.
    case notReturned
    /// The framework has told of it.
    case toldAlready
  }

  struct State: Sendable {
    var evaluator: ConditionEvaluator
    var history = EvaluationHistory()
    var lastText: String?
    var lastThrew = false
    var evaluations = 0
    var isEvaluating = false
    /// Tells one evaluation from the next, also those that are not counted.
    var evaluationNumber = 0
    var isGuardOver = false
    var isTold = false
    /// When the last look began that the guard was over.
    var lateBy: Duration?
  }

  /// Told of what no test could know otherwise. For tests.
  @TaskLocal package static var observer: Observer?

  /// Closures in a structure: see `RecorderWait.Observer`.
  package struct Observer: Sendable {
    /// Before the last look.
    let guardIsOver: @Sendable () -> Void
    /// When it has been told that an evaluation does not come back.
    let hasGivenUp: @Sendable () -> Void

    package init(
      guardIsOver: @escaping @Sendable () -> Void = {},
      hasGivenUp: @escaping @Sendable () -> Void = {}
    ) {
      self.guardIsOver = guardIsOver
      self.hasGivenUp = hasGivenUp
    }
  }

  let plan: Plan
  let site: CallSite
  let reporter: Reporter
  let state: Locked<State>
  /// How much real time is given; nil in a simulation, and where the plan has a time of its own.
  let timeout: Duration?
  /// How long an evaluation may take that nothing else bounds. Asked for here, since a timer's code is
  /// in no task.
  let guardInterval = HangTimeout.interval
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

  /// Begins; in the task that looks, since what that does is no news to it.
  func begin() -> any WaitStrategy {
    let strategy: any WaitStrategy
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current {
      strategy = SimulationWaitStrategy(simulation, limit: plan.limit)
    } else {
      // A time of its own has no guard, but an evaluation that never ends needs one.
      strategy = RealTimeWaitStrategy(timeout: timeout ?? guardInterval + plan.ownTime) {
        [weak self] in
        self?.guardRanOut()
      }
    }
    begin(with: strategy)
    return strategy
  }

  func begin(with strategy: any WaitStrategy) { strategyBox.withLock { $0 = strategy } }

  var strategy: any WaitStrategy { strategyBox.withLock { $0! } }

  // MARK: Looking

  func willEvaluate() {
    strategy.willEvaluate()
    let isGuardOver = state.withLock { state in
      state.evaluations += 1
      state.evaluationNumber += 1
      state.isEvaluating = true
      return state.isGuardOver
    }
    if isGuardOver { giveUpEvaluation(telling: .notReturned) }
  }

  /// Takes in what was seen; returns how it ended, or by when to look again.
  func saw<Value>(_ evaluation: Evaluation<Value>) -> (end: End?, by: Duration?) {
    let now = strategy.now
    let (text, isError) = evaluation.text
    return state.withLock { state in
      state.isEvaluating = false
      guard !state.isTold else { return (.failed(.toldAlready), nil) }
      (state.lastText, state.lastThrew) = (text, isError)
      state.history.add(
        state.lastThrew ? "threw \(state.lastText!)" : state.lastText ?? plan.fulfilled, at: now)
      switch state.evaluator.saw(evaluation.isFulfilled, at: now) {
      case .lookAgain(let time): return (nil, time)
      case .passed: return (.passed, nil)
      case .tooEarly: return (.failed(.tooEarly), nil)
      case .gaveWay: return (.failed(.gaveWay), nil)
      }
    }
  }

  // MARK: Ending

  func fail(_ failure: Failure) {
    let isTold = state.withLock { state in
      defer { state.isTold = true }
      return state.isTold
    }
    if case .toldAlready = failure { return }
    if !isTold { reporter.fail(text(of: failure), at: site) }
  }

  /// From now on nobody else will tell of an evaluation that does not come back.
  private func guardRanOut() {
    let isEvaluating = state.withLock { state in
      state.isGuardOver = true
      return state.isEvaluating
    }
    if isEvaluating { giveUpEvaluation(telling: .notReturned) }
  }

  /// Gives up the evaluation that is under way if it has not come back a while later.
  @discardableResult
  func giveUpEvaluation(telling failure: Failure) -> HangTimer {
    let evaluate = state.withLock { $0.evaluationNumber }
    return HangTimer(max((timeout ?? guardInterval) / 10, .milliseconds(50))) { [self] in
      let isLost = state.withLock { state in
        guard state.isEvaluating, state.evaluationNumber == evaluate, !state.isTold else {
          return false
        }
        state.isTold = true
        return true
      }
      guard isLost else { return }
      reporter.fail(text(of: failure), at: site)
      observer?.hasGivenUp()
      onAbandon.withLock { $0.take() }?()
    }
  }

  /// Has a closure called if an evaluation does not come back.
  func onAbandon(_ body: @escaping @Sendable () -> Void) { onAbandon.withLock { $0 = body } }
}

extension ConditionWaiter.Plan {
  /// The time that is asked for by the caller in any case.
  fileprivate var ownTime: Duration {
    if case .holding(let duration) = evaluator.aim {
      evaluator.within.saturatingAdding(duration)
    } else {
      .zero
    }
  }
}

extension HangTimeout {
  /// A time that a caller gave for a fast machine, for this one: scaled as the guard is. Nil means
  /// the guard's own.
  static func scaled(_ limit: Duration?) -> Duration {
    guard let limit else { return interval }
    return limit * (interval / .seconds(10))
  }
}

extension ConditionWaiter {
  /// Looks until there is an end. Runs in the task whose changes are no news.
  func run<Value>(
    failFast: (() async -> Bool)?, isolation: isolated (any Actor)?,
    _ evaluate: () async -> Evaluation<Value>
  ) async -> Value? {
    let strategy = begin()
    defer { strategy.stop() }
    return await withTaskCancellationHandler {
      while true {
        willEvaluate()
        let seen = await evaluate()
        let (end, deadline) = saw(seen)
        switch end {
        case .passed:
          if case .fulfilled(let value) = seen { return value }
          return nil
        case .failed(let failure):
          fail(failure)
          return nil
        case nil: break
        }
        if let failFast, await failFast() {
          fail(.failedFast)
          return nil
        }
        if Task.isCancelled {
          fail(.unfulfilled(.cancelled))
          return nil
        }
        let call = await strategy.next(by: deadline)
        switch call {
        case .news, .deadline: break
        case .cancelled:
          fail(.unfulfilled(.cancelled))
          return nil
        case .silent, .nothingMore:
          return await lookAfter(call, isolation: isolation, evaluate)
        }
      }
    } onCancel: {
      strategy.cancel()
    }
  }

  /// Once more after the guard: nothing may have told of what made the condition true. If it is not,
  /// a little longer, for the failure to say how late it came.
  private func lookAfter<Value>(
    _ end: WakeReason, isolation: isolated (any Actor)?, _ evaluate: () async -> Evaluation<Value>
  ) async -> Value? {
    observer?.guardIsOver()
    willEvaluate()
    let last = await evaluate()
    switch saw(last).end {
    case .passed:
      if case .fulfilled(let value) = last { return value }
      return nil
    case .failed(let failure):
      fail(failure)
      return nil
    case nil: break
    }
    if let timeout, !strategy.isVirtual {
      let guardEnd = strategy.now
      let grace = guardEnd + min(max(timeout / 20, .milliseconds(100)), .milliseconds(500))
      repeat {
        _ = await strategy.next(by: grace)
        strategy.willEvaluate()
        state.withLock { state in
          state.evaluationNumber += 1
          state.isEvaluating = true
        }
        let timer = giveUpEvaluation(telling: .unfulfilled(end))
        let isLate = await evaluate().isFulfilled
        timer.cancel()
        state.withLock { $0.isEvaluating = false }
        if isLate {
          let late = strategy.now - guardEnd
          state.withLock { $0.lateBy = late }
          break
        }
      } while strategy.now < grace && !Task.isCancelled
    }
    fail(.unfulfilled(end))
    return nil
  }
}
