import Dispatch
import Sleepless
import SleeplessSimulation
import VirtualTime

/// How a condition waiter waits between two evaluations: in real time, in a simulation, or on a
/// scheduler.
protocol WaitStrategy: Sendable {
  var isVirtual: Bool { get }
  /// The time since the wait began.
  var now: Duration { get }
  /// Called before each evaluation: changes from now on wake the waiter.
  func willEvaluate()
  func next(by deadline: Duration?) async -> WakeReason
  func cancel()
  func stop()
}

/// Why the waiter evaluates again, or for the last time.
enum WakeReason: Equatable, Sendable {
  /// Something has changed.
  case change
  /// The deadline of the condition itself has come.
  case deadline
  /// The caller's limit or the hang timeout: so much time went by.
  case silent(Duration)
  /// Nothing can change any more.
  case nothingMore(String)
  case cancelled

  /// The reason that matters more.
  static func max(_ a: Self?, _ b: Self) -> Self {
    guard let a else { return b }
    return a.rank >= b.rank ? a : b
  }

  private var rank: Int {
    switch self {
    case .change: 0
    case .deadline: 1
    case .silent, .nothingMore: 2
    case .cancelled: 3
    }
  }
}

/// Waits in real time for calls of `ChangeNotifier` and, as a last resort, at intervals that grow from
/// 1 to 20 ms.
final class RealTimeWaitStrategy: WaitStrategy {
  private struct State {
    var end: WakeReason?
    var sleeper: UnsafeContinuation<Void, Never>?
    /// How many changes may still wake the waiter in this interval. A condition that changes something
    /// itself, or code that sends thousands of events, would otherwise keep the waiter busy.
    var budget = 50
    var interval = Duration.milliseconds(1)
    var isEvaluating = false
    var isOver = false
    var timer: (any CancellableType)?
    var hangTimer: HangTimer?
    var restTimer: RestTimer?
    /// How many evaluations are left to do without a pause, once the process is at rest.
    var evaluationsAtRest: Int?
    var number: Int?
  }

  let isVirtual = false
  private let start = RealTimeWaitStrategy.uptime
  /// Nil if the wait does not end early at rest.
  private let restingTimeout: Duration?
  private let state = Locked(State())

  /// Begins to wait. Without a timeout there is no hang timer. `endsAtRest` says whether the wait ends early if nothing
  /// in the process can bring a change.
  init(timeout: Duration?, endsAtRest: Bool = false, onSilence: @escaping @Sendable () -> Void = {})
  {
    restingTimeout = endsAtRest ? timeout : nil
    let number = ChangeNotifier.add { [weak self] isCertain in
      guard let self, isCertain || !state.withLock({ $0.isEvaluating }) else { return }
      wake(.change)
    }
    let hangTimer = timeout.map { timeout in
      HangTimer(timeout) { [weak self] in
        onSilence()
        self?.wake(.silent(timeout))
      }
    }
    state.withLock { state in
      state.number = number
      state.hangTimer = hangTimer
    }
    startInterval()
    startRestTimer()
  }

  var now: Duration {
    .nanoseconds(Int64(Self.uptime - start))
  }

  /// Not a read of the clock by the test's code; see `ProcessActivity`.
  private static var uptime: UInt64 {
    outsideSimulations { DispatchTime.now().uptimeNanoseconds }
  }

  func willEvaluate() {
    state.withLock { state in
      state.isEvaluating = true
      if state.end == .change { state.end = nil }
    }
  }

  /// Any thread may call it.
  func wake(_ end: WakeReason) {
    let sleeper = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      if end == .change {
        guard state.budget > 0 else { return nil }
        state.budget -= 1
      }
      state.end = WakeReason.max(state.end, end)
      return state.sleeper.take()
    }
    sleeper?.resume()
  }

  /// Wakes at once and a moment later, because Observation reports a change just before it happens.
  func wakeForObservation() {
    wake(.change)
    // real time: another thread is about to make the change
    outsideSimulations {
      DispatchQueue.global().schedule(after: .milliseconds(1)) { [weak self] in self?.wake(.change)
      }
    }
  }

  func next(by deadline: Duration?) async -> WakeReason {
    if let reason = nextAtRest() { return reason }
    let timer = deadline.map { deadline in
      // real time: asked for by the caller
      outsideSimulations {
        DispatchQueue.global().schedule(after: Swift.max(.zero, deadline - now)) { [weak self] in
          self?.wake(.deadline)
        }
      }
    }
    defer { timer?.cancel() }
    await withUnsafeContinuation { continuation in
      let isOver = state.withLock { state in
        state.isEvaluating = false
        if state.end == nil { state.sleeper = continuation }
        return state.end != nil
      }
      if isOver { continuation.resume() }
    }
    return state.withLock { $0.end.take() } ?? .change
  }

  func cancel() { wake(.cancelled) }

  func stop() {
    let (number, hangTimer, restTimer, timer) = state.withLock { state in
      state.isOver = true
      return (
        state.number.take(), state.hangTimer.take(), state.restTimer.take(), state.timer.take()
      )
    }
    if let number { ChangeNotifier.remove(number) }
    hangTimer?.cancel()
    restTimer?.cancel()
    timer?.cancel()
  }

  private func startInterval() {
    let interval = state.withLock { state in
      defer { state.interval = min(state.interval * 2, .milliseconds(20)) }
      return state.interval
    }
    // real time: the last resort for changes that no helper reports
    let timer = outsideSimulations {
      DispatchQueue.global().schedule(after: interval) { [weak self] in
        guard let self, !state.withLock({ $0.isOver }) else { return }
        state.withLock { $0.budget = 50 }
        wake(.change)
        startInterval()
      }
    }
    let isOver = state.withLock { state in
      state.timer = timer
      return state.isOver
    }
    if isOver { timer.cancel() }
  }
}

extension RealTimeWaitStrategy {
  private func startRestTimer() {
    guard let timeout = restingTimeout else { return }
    let timer = RestTimer(timeout: timeout) { [weak self] _ in self?.isAtRest(timeout) }
    let isOver = state.withLock { state in
      state.restTimer = timer
      return state.isOver
    }
    if isOver { timer?.cancel() }
  }

  /// In a process at rest nothing but the condition itself can change its result: it may count its evaluations. So it
  /// is evaluated as often as in the rest of the timeout, without the pauses.
  private func isAtRest(_ timeout: Duration) {
    let left = max(timeout - now, .zero)
    state.withLock { $0.evaluationsAtRest = Int(left / .milliseconds(20)) + 1 }
    wake(.change)
  }

  /// Whether to evaluate without a pause, or to end the wait; nil to wait for a change.
  private func nextAtRest() -> WakeReason? {
    guard let timeout = restingTimeout else { return nil }
    let left = state.withLock { state -> Int? in
      guard let left = state.evaluationsAtRest, state.end == nil || state.end == .change else {
        return nil
      }
      state.evaluationsAtRest = left > 0 ? left - 1 : nil
      return left
    }
    guard let left else { return nil }
    if left > 0 { return .change }
    // The condition may have started something.
    guard ProcessActivity.now(within: timeout * 4).activity != .pending else {
      startRestTimer()
      return nil
    }
    return .nothingMore(RestText.reason(RestTimer.time ?? .zero))
  }
}

/// The words for a wait that ends because the process is at rest.
enum RestText {
  static func reason(_ time: Duration) -> String {
    "nothing goes on in the process any more, and nothing came for \(time.shortDescription)"
  }

  static let advice = """
    No task, thread, queue, timer or child process can bring it. Was the code started? Does it wait for a call \
    that the test must make? What comes from another process is waited for with SLEEPLESS_GUARD_SECONDS=10.
    """
}

/// Waits in a simulation for any step of it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class SimulationWaitStrategy: WaitStrategy {
  let isVirtual = true
  private let simulation: Simulation
  private let start: Duration
  private let watch: SimulationWatch
  /// The virtual time at which the wait ends, unless the condition has a deadline.
  private let limit: Duration?

  init(_ simulation: Simulation, limit: Duration?) {
    self.simulation = simulation
    self.limit = limit
    start = simulation.now
    watch = simulation.watch()
  }

  var now: Duration { simulation.now - start }

  func willEvaluate() { watch.willEvaluate() }

  func next(by deadline: Duration?) async -> WakeReason {
    let end = (deadline ?? limit).map { Instant(start.saturatingAdding($0)) }
    simulation.note(waitingFor: "a condition to change")
    switch await watch.nextChange(until: end, reachesDeadline: deadline != nil) {
    case .happened: return .change
    case .reached: return deadline == nil ? .silent(limit ?? .zero) : .deadline
    case .cancelled: return .cancelled
    case .nothingMore:
      return .nothingMore("nothing can run in the simulation any more, and nothing is due")
    }
  }

  func cancel() {}  // The simulation does it.

  func stop() { watch.stop() }
}
