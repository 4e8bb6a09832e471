import Dispatch

/// Work that waits for real time to pass: a GCD timer, and the token that cancels it.
final class DispatchTimer: CancellableType {
  private let work: Locked<(@Sendable () -> Void)?>  // nil when cancelled, or run for the last time
  // GCD's objects are safe from any thread but do not say so.
  nonisolated(unsafe) private let timer: any DispatchSourceTimer
  private let repeats: Bool

  /// Starts a timer on a queue; `deliver` carries each firing on to where the work belongs.
  init(
    after delay: Duration, every interval: Duration?, tolerance: Duration, on queue: DispatchQueue,
    deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() },
    execute work: @escaping @Sendable () -> Void
  ) {
    self.work = Locked(work)
    timer = DispatchSource.makeTimerSource(queue: queue)
    repeats = interval != nil
    timer.schedule(
      deadline: .now() + max(delay, .zero).timeInterval,
      repeating: interval?.dispatchTimeInterval ?? .never,
      leeway: tolerance.dispatchTimeInterval)
    // The timer holds this token and the token the timer, until GCD drops a cancelled timer's
    // handler.
    timer.setEventHandler { deliver { self.fire() } }
    timer.activate()
  }

  private func fire() {
    let work = work.withLock { $0 }
    if !repeats { cancel() }
    work?()
  }

  func cancel() {
    // What the work captured is released after unlocking.
    let work = work.withLock { $0.take() }
    timer.cancel()
    withExtendedLifetime(work) {}
  }
}

extension Duration {
  /// The duration as GCD takes it; a negative one means none.
  fileprivate var dispatchTimeInterval: DispatchTimeInterval {
    .nanoseconds(Int(clamping: max(self, .zero).clampedNanoseconds))
  }

  /// The time on the system's monotonic clock.
  static var uptime: Duration { .nanoseconds(DispatchTime.now().uptimeNanoseconds) }
}

/// Stops the program if an interval cannot be repeated (T6).
func requirePositive(
  _ interval: Duration, at site: CallSite,
  otherwise advice: String = "To run work once use schedule(after:)."
) {
  guard interval <= .zero else { return }
  misuse("A repeating interval must be positive (was \(interval)). \(advice)", at: site)
}
