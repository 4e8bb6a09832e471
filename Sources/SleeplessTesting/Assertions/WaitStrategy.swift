import Dispatch
import Sleepless
import SleeplessSimulation
import VirtualTime

/// Where a watch waits between two looks: in real time, or in a simulation.
protocol WaitStrategy: Sendable {
  var isVirtual: Bool { get }
  /// Since the beginning.
  var now: Duration { get }
  /// Called before each look: what happens from now on is news.
  func willEvaluate()
  func next(by deadline: Duration?) async -> WakeReason
  func cancel()
  func stop()
}

/// Why it is time for another look, or for the last.
enum WakeReason: Equatable, Sendable {
  case news
  /// A time has come that the watch itself has set.
  case deadline
  /// The guard: so much real time went by.
  case silent(Duration)
  /// Nothing can change any more.
  case nothingMore(String)
  case cancelled

  /// The one that matters more.
  static func max(_ a: Self?, _ b: Self) -> Self {
    guard let a else { return b }
    return a.rank >= b.rank ? a : b
  }

  private var rank: Int {
    switch self {
    case .news: 0
    case .deadline: 1
    case .silent, .nothingMore: 2
    case .cancelled: 3
    }
  }
}

/// Waits in real time, for whatever calls `ChangeNotifier` and, as a last resort, at intervals that grow
/// from 1 to 20 ms.
final class RealTimeWaitStrategy: WaitStrategy {
  private struct State {
    var end: WakeReason?
    var sleeper: UnsafeContinuation<Void, Never>?
    /// How much news is still passed on before the next interval is over. Whoever wakes a watch by
    /// looking, or sends thousands of events, would otherwise keep it busy.
    var budget = 50
    var interval = Duration.milliseconds(1)
    var isEvaluating = false
    var isOver = false
    var timer: (any CancellableType)?
    var hangTimer: HangTimer?
    var number: Int?
  }

  let isVirtual = false
  private let start = DispatchTime.now().uptimeNanoseconds
  private let state = Locked(State())

  /// Begins to wait. Without patience there is no guard: the watch has a time of its own.
  init(timeout: Duration?, onSilence: @escaping @Sendable () -> Void = {}) {
    let number = ChangeNotifier.add { [weak self] isCertain in
      guard let self, isCertain || !state.withLock({ $0.isEvaluating }) else { return }
      ring(.news)
    }
    let hangTimer = timeout.map { timeout in
      HangTimer(timeout) { [weak self] in
        onSilence()
        self?.ring(.silent(timeout))
      }
    }
    state.withLock { state in
      state.number = number
      state.hangTimer = hangTimer
    }
    startInterval()
  }

  var now: Duration {
    .nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds - start))
  }

  func willEvaluate() {
    state.withLock { state in
      state.isEvaluating = true
      if state.end == .news { state.end = nil }
    }
  }

  /// Any thread may call it.
  func ring(_ end: WakeReason) {
    let sleeper = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      if end == .news {
        guard state.budget > 0 else { return nil }
        state.budget -= 1
      }
      state.end = WakeReason.max(state.end, end)
      return state.sleeper.take()
    }
    sleeper?.resume()
  }

  /// Rings at once, and a moment later: Observation tells of a change just before it happens.
  func ringAboutToChange() {
    ring(.news)
    // real time: the change is on its way, on another thread
    DispatchQueue.global().schedule(after: .milliseconds(1)) { [weak self] in self?.ring(.news) }
  }

  func next(by deadline: Duration?) async -> WakeReason {
    let timer = deadline.map { deadline in
      // real time: asked for by the caller
      DispatchQueue.global().schedule(after: Swift.max(.zero, deadline - now)) { [weak self] in
        self?.ring(.deadline)
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
    return state.withLock { $0.end.take() } ?? .news
  }

  func cancel() { ring(.cancelled) }

  func stop() {
    let (number, hangTimer, timer) = state.withLock { state in
      state.isOver = true
      return (state.number.take(), state.hangTimer.take(), state.timer.take())
    }
    if let number { ChangeNotifier.remove(number) }
    hangTimer?.cancel()
    timer?.cancel()
  }

  private func startInterval() {
    let interval = state.withLock { state in
      defer { state.interval = min(state.interval * 2, .milliseconds(20)) }
      return state.interval
    }
    // real time: the last resort for what nobody announces
    let timer = DispatchQueue.global().schedule(after: interval) { [weak self] in
      guard let self, !state.withLock({ $0.isOver }) else { return }
      state.withLock { $0.budget = 50 }
      ring(.news)
      startInterval()
    }
    let isOver = state.withLock { state in
      state.timer = timer
      return state.isOver
    }
    if isOver { timer.cancel() }
  }
}

/// Waits in a simulation, for whatever runs there.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class SimulationWaitStrategy: WaitStrategy {
  let isVirtual = true
  private let simulation: Simulation
  private let start: Duration
  private let watch: SimulationWatch
  /// After which there is no hope, if something may come until then.
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
    case .happened: return .news
    case .reached: return deadline == nil ? .silent(limit ?? .zero) : .deadline
    case .cancelled: return .cancelled
    case .nothingMore:
      return .nothingMore("nothing can run in the simulation any more, and nothing is due")
    }
  }

  func cancel() {}  // The simulation sees to it.

  func stop() { watch.stop() }
}
