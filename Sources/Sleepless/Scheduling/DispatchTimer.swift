import Dispatch

/// A GCD timer that runs work in real time, and the token that cancels it.
final class DispatchTimer: CancellableType {
  private let work: Locked<(@Sendable () -> Void)?>  // nil after `cancel()` and after the last run
  // GCD's objects are safe from any thread but are not declared `Sendable`.
  nonisolated(unsafe) private let timer: any DispatchSourceTimer
  private let repeats: Bool

  /// Starts a timer on a queue. `deliver` takes each firing to the queue or run loop of the work.
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
      repeating: interval?.dispatchTimeInterval() ?? .never,
      leeway: tolerance.dispatchTimeInterval())
    // A retain cycle: the timer holds this token and the token holds the timer. `cancel()` ends it,
    // because GCD drops the handler of a cancelled timer.
    timer.setEventHandler { deliver { self.fire() } }
    timer.activate()
  }

  private func fire() {
    let work = work.withLock { $0 }
    if !repeats { cancel() }
    work?()
  }

  func cancel() {
    // The work's captures are released after unlocking.
    let work = work.withLock { $0.take() }
    timer.cancel()
    withExtendedLifetime(work) {}
  }
}

extension Duration {
  /// The time on the system's monotonic clock.
  static var uptime: Duration { .nanoseconds(DispatchTime.now().uptimeNanoseconds) }
}

/// Stops the program if a repeating interval is not positive (T6).
func requirePositive(
  _ interval: Duration, at site: CallSite,
  otherwise advice: String = "To run work once use schedule(after:)."
) {
  guard interval <= .zero else { return }
  misuse("A repeating interval must be positive (was \(interval)). \(advice)", at: site)
}
