import CRuntimeHooks
import Foundation
import Sleepless

/// Runs the jobs of a simulation that a test hosts on the main thread: those of the main actor there, the others on
/// other threads. One thread at a time has the turn.
///
/// While another thread drives, the main thread waits for the reason why that driver stops. If a job blocks a driver's
/// thread, the main thread drives on with a driver on a further thread. If a job blocks the main thread, a substitute
/// drives on until the job goes on; see `BlockedThreads`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class HostedTurns: Sendable {
  typealias StopReason = SimulationExecutor.StopReason

  /// What has become of a driver.
  private enum Answer: Sendable {
    case stopped(StopReason)
    /// A job blocks the driver's thread.
    case isBlocked
    /// A job of the driver did not return in time.
    case isLate
  }

  /// What the main thread drives for.
  private struct Purpose {
    let executor: SimulationExecutor
    var stepsLeft: Int
    let isOver: @Sendable () -> Bool
  }

  private struct State {
    /// Nil while the main thread does not drive.
    var purpose: Purpose?
    /// Whether the main thread runs jobs, or waits for a thread that does.
    var isDriving = false
    var answer: Answer?
    /// How many jobs block the main thread. Their calls are on its stack.
    var blockedJobs = 0
  }

  private let state = Locked(State())
  private let isAnswered = ThreadSignal()

  /// See `SimulationExecutor.mainRunLoopSources`. A test goes on in another simulation if one cannot go on.
  let mainRunLoopSources = Locked(0)

  var isDriving: Bool { state.withLock { $0.isDriving } }

  // MARK: Driving

  /// Drives from the main thread, which is the calling one, until there is a reason to stop: the limit is reached, or
  /// `isOver` is true before a step, or the simulation cannot go on.
  ///
  /// With a `timeout`, returns nil if a job on another thread does not return in time. That thread is left alone.
  func drive(
    _ executor: SimulationExecutor, timeout: Duration? = nil, atMost limit: Int = .max,
    until isOver: @escaping @Sendable () -> Bool = { false }
  ) -> StopReason? {
    // A function of a scheduler may wait too, so these calls may be nested.
    let outer = state.withLock { state in
      let outer = (state.purpose, state.isDriving)
      state.purpose = Purpose(executor: executor, stepsLeft: limit, isOver: isOver)
      return outer
    }
    defer {
      state.withLock { state in
        (state.purpose, state.isDriving) = outer
        state.answer = nil
      }
    }
    var job: Job?
    var step: SimulationState.Step?
    var isHere = true
    while true {
      state.withLock { $0.isDriving = isHere || timeout == nil }
      var answer =
        isHere
        ? driveHere(executor, from: job, carryingOut: step)
        : driveElsewhere(executor, from: job, timeout: timeout)
      if case .stopped(.gaveTurnAway) = answer {
        answer = waitForAnswer(of: executor, timeout: timeout)
      }
      (job, step) = (nil, nil)
      switch answer {
      case .stopped(.wrongPlace(let next)): (job, isHere) = (next, next.isOnMain)
      case .stopped(.needsMainThread(let next)): (step, isHere) = (next, true)
      case .stopped(.jobIsOver): break
      case .stopped(let reason): return reason
      case .isBlocked: isHere = false
      case .isLate: return nil
      }
    }
  }

  /// The reason why a driver is to take no further step for now; nil if there is none.
  func reasonToStop(_ executor: SimulationExecutor) -> StopReason? {
    let purpose = state.withLock { state -> Purpose? in
      // While a job blocks it, the main thread cannot return to the test.
      guard state.blockedJobs == 0, let purpose = state.purpose, purpose.executor === executor
      else { return nil }
      state.purpose?.stepsLeft -= 1
      return purpose
    }
    guard let purpose else { return nil }
    if purpose.isOver() { return .end(.finished) }
    return purpose.stepsLeft > 0 ? nil : .enoughSteps
  }

  /// Whether a job blocks the main thread.
  var isMainThreadBlocked: Bool { state.withLock { $0.blockedJobs > 0 } }

  private func driveHere(
    _ executor: SimulationExecutor, from job: Job?, carryingOut step: SimulationState.Step?
  ) -> Answer {
    if let job, let block = job.blockOnMain, executor.runOnMainThread(job, in: block) {
      return .stopped(.jobIsOver)
    }
    return .stopped(executor.driveHere(from: job, carryingOut: step, on: .mainActor))
  }

  /// Drives on another thread, and waits for the reason why it stops. With a `timeout`, the steps must not be further
  /// apart than that.
  private func driveElsewhere(
    _ executor: SimulationExecutor, from job: Job?, timeout: Duration?
  ) -> Answer {
    outsideSimulations {
      _ = Task.detached(executorPreference: DriverThreads.shared) { [self] in
        passOn(executor.driveHere(from: job, on: .besideMainThread), of: executor)
      }
    }
    return waitForAnswer(of: executor, timeout: timeout)
  }

  /// Waits for the reason why the driver on another thread stops.
  private func waitForAnswer(of executor: SimulationExecutor, timeout: Duration?) -> Answer {
    var seenSteps: Int?
    while true {
      let isSilent = Locked(false)
      var timer: HangTimer?
      if let timeout {
        let steps = executor.state.withLock { $0.steps }
        guard steps != seenSteps else { return .isLate }
        seenSteps = steps
        timer = HangTimer(timeout) { [isAnswered] in
          isSilent.withLock { $0 = true }
          isAnswered.send()
        }
      }
      defer { timer?.cancel() }
      // A signal may be one that an earlier timer has sent too late.
      while !isSilent.withLock({ $0 }) {
        isAnswered.wait()
        if let answer = state.withLock({ $0.answer.take() }) { return answer }
      }
    }
  }

  /// Tells the main thread why a driver on another thread stops. If a job blocks the main thread, a substitute goes on.
  func passOn(_ reason: StopReason, of executor: SimulationExecutor) {
    if case .gaveTurnAway = reason { return }
    // A job of a simulation that was given up may return late.
    if executor.state.withLock({ $0.phase.isOver }) { return }
    guard isMainThreadBlocked else { return answer(.stopped(reason), of: executor) }
    guard case .wrongPlace(let job) = reason else { return executor.startSubstitute() }
    executor.startSubstitute(from: job)
  }

  /// Tells the main thread that a job blocks its driver's thread; false if a job blocks the main thread too.
  func driveOn(_ executor: SimulationExecutor) -> Bool {
    guard !isMainThreadBlocked else { return false }
    answer(.isBlocked, of: executor)
    return true
  }

  private func answer(_ answer: Answer, of executor: SimulationExecutor) {
    // The driver of a simulation that was given up may return late.
    let isAwaited = state.withLock { state in
      guard state.purpose?.executor === executor else { return false }
      state.answer = answer
      return true
    }
    if isAwaited { isAnswered.send() }
  }

  // MARK: Blocking

  /// Runs code in which a job blocks this thread. If that is the main one, the test cannot go on before the job does,
  /// so its request waits, too.
  func whileJobBlocks(_ executor: SimulationExecutor, _ code: () -> Bool) -> Bool {
    guard Thread.isMainThread else { return code() }
    let request = executor.exchangeHostRequest(nil)
    _ = executor.exchangeHostRequest(request?.whileMainThreadIsBlocked)
    state.withLock { $0.blockedJobs += 1 }
    defer {
      state.withLock { $0.blockedJobs -= 1 }
      _ = executor.exchangeHostRequest(request)
    }
    return code()
  }
}
