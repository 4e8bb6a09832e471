import Dispatch
import Sleepless
import SleeplessSimulation
import VirtualTime

/// One call of eventually, always or never: looks again and again, and tells how it ended.
package final class Watch: Sendable {
  /// What is waited for, in the words of its failures.
  struct Plan: Sendable {
    let call: String
    let description: String?
    let vigil: Vigil
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
    case unfulfilled(OutlookEnd)
    case tooEarly
    case gaveWay
    case failedFast
    /// The latest evaluation has not come back.
    case notReturned
    /// The framework has told of it.
    case toldAlready
  }

  struct State: Sendable {
    var vigil: Vigil
    var sightings = Sightings()
    var lastText: String?
    var lastThrew = false
    var looks = 0
    var isLooking = false
    /// Tells one evaluation from the next, also those that are not counted.
    var look = 0
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
  let patience: Duration?
  /// How long an evaluation may take that nothing else bounds. Asked for here, since a timer's code is
  /// in no task.
  let guardInterval = Guard.interval
  private let outlookBox = Locked<(any Outlook)?>(nil)
  private let observer = Watch.observer
  private let onAbandon = Locked<(@Sendable () -> Void)?>(nil)

  init(_ plan: Plan, at site: CallSite) {
    self.plan = plan
    self.site = site
    reporter = Reporter(at: site)
    state = Locked(State(vigil: plan.vigil))
    var isReal = true
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) { isReal = Simulation.current == nil }
    switch plan.vigil.aim {
    case .becoming: patience = isReal ? Guard.scaled(plan.limit) : nil
    case .holding: patience = nil
    }
  }

  /// Begins; in the task that looks, since what that does is no news to it.
  func begin() -> any Outlook {
    let outlook: any Outlook
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current {
      outlook = SimulatedOutlook(simulation, limit: plan.limit)
    } else {
      // A time of its own has no guard, but an evaluation that never ends needs one.
      outlook = RealOutlook(patience: patience ?? guardInterval + plan.ownTime) { [weak self] in
        self?.guardRanOut()
      }
    }
    begin(with: outlook)
    return outlook
  }

  func begin(with outlook: any Outlook) { outlookBox.withLock { $0 = outlook } }

  var outlook: any Outlook { outlookBox.withLock { $0! } }

  // MARK: Looking

  func willLook() {
    outlook.willLook()
    let isGuardOver = state.withLock { state in
      state.looks += 1
      state.look += 1
      state.isLooking = true
      return state.isGuardOver
    }
    if isGuardOver { giveUpLook(telling: .notReturned) }
  }

  /// Takes in what was seen; returns how it ended, or by when to look again.
  func saw<Value>(_ look: Look<Value>) -> (end: End?, by: Duration?) {
    let now = outlook.now
    let (text, isError) = look.text
    return state.withLock { state in
      state.isLooking = false
      guard !state.isTold else { return (.failed(.toldAlready), nil) }
      (state.lastText, state.lastThrew) = (text, isError)
      state.sightings.add(
        state.lastThrew ? "threw \(state.lastText!)" : state.lastText ?? plan.fulfilled, at: now)
      switch state.vigil.saw(look.isFulfilled, at: now) {
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
    let isLooking = state.withLock { state in
      state.isGuardOver = true
      return state.isLooking
    }
    if isLooking { giveUpLook(telling: .notReturned) }
  }

  /// Gives up the evaluation that is under way if it has not come back a while later.
  @discardableResult
  func giveUpLook(telling failure: Failure) -> GuardTimer {
    let look = state.withLock { $0.look }
    return GuardTimer(max((patience ?? guardInterval) / 10, .milliseconds(50))) { [self] in
      let isLost = state.withLock { state in
        guard state.isLooking, state.look == look, !state.isTold else { return false }
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

extension Watch.Plan {
  /// The time that is asked for by the caller in any case.
  fileprivate var ownTime: Duration {
    if case .holding(let duration) = vigil.aim {
      vigil.within.saturatingAdding(duration)
    } else {
      .zero
    }
  }
}

extension Guard {
  /// A time that a caller gave for a fast machine, for this one: scaled as the guard is. Nil means
  /// the guard's own.
  static func scaled(_ limit: Duration?) -> Duration {
    guard let limit else { return interval }
    return limit * (interval / .seconds(10))
  }
}

extension Watch {
  /// Looks until there is an end. Runs in the task whose changes are no news.
  func run<Value>(
    failFast: (() async -> Bool)?, isolation: isolated (any Actor)?,
    _ look: () async -> Look<Value>
  ) async -> Value? {
    let outlook = begin()
    defer { outlook.stop() }
    return await withTaskCancellationHandler {
      while true {
        willLook()
        let seen = await look()
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
        let call = await outlook.next(by: deadline)
        switch call {
        case .news, .deadline: break
        case .cancelled:
          fail(.unfulfilled(.cancelled))
          return nil
        case .silent, .nothingMore:
          return await lookAfter(call, isolation: isolation, look)
        }
      }
    } onCancel: {
      outlook.cancel()
    }
  }

  /// Once more after the guard: nothing may have told of what made the condition true. If it is not,
  /// a little longer, for the failure to say how late it came.
  private func lookAfter<Value>(
    _ end: OutlookEnd, isolation: isolated (any Actor)?, _ look: () async -> Look<Value>
  ) async -> Value? {
    observer?.guardIsOver()
    willLook()
    let last = await look()
    switch saw(last).end {
    case .passed:
      if case .fulfilled(let value) = last { return value }
      return nil
    case .failed(let failure):
      fail(failure)
      return nil
    case nil: break
    }
    if let patience, !outlook.isVirtual {
      let guardEnd = outlook.now
      let grace = guardEnd + min(max(patience / 20, .milliseconds(100)), .milliseconds(500))
      repeat {
        _ = await outlook.next(by: grace)
        outlook.willLook()
        state.withLock { state in
          state.look += 1
          state.isLooking = true
        }
        let timer = giveUpLook(telling: .unfulfilled(end))
        let isLate = await look().isFulfilled
        timer.cancel()
        state.withLock { $0.isLooking = false }
        if isLate {
          let late = outlook.now - guardEnd
          state.withLock { $0.lateBy = late }
          break
        }
      } while outlook.now < grace && !Task.isCancelled
    }
    fail(.unfulfilled(end))
    return nil
  }
}
