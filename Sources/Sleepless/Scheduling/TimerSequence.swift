/// Ticks at exact multiples of an interval, on any clock.
///
/// ```swift
/// for try await elapsed in clock.timer(every: .seconds(1)) {
///   print(elapsed)
/// }
/// ```
///
/// prints 1.0 seconds, 2.0 seconds, and so on. The first tick comes one interval after iteration
/// began. Ticks do not drift: each is a multiple of the interval, whatever the loop's body cost.
/// Ticks that passed while the body was busy are skipped. Cancelling the task ends the iteration
/// with `CancellationError`. On an ``ImmediateClock`` the sequence ends after its first tick.
public struct TimerSequence: AsyncSequence, Sendable {
  /// The time since iteration began: a multiple of the interval.
  public typealias Element = Duration

  let interval: Duration
  let tolerance: Duration?
  let clock: any Clock<Duration>

  /// Begins to count.
  public func makeAsyncIterator() -> Iterator {
    Iterator(ticker: makeTicker(clock))
  }

  private func makeTicker<C: Clock>(_ clock: C) -> any Ticker where C.Duration == Duration {
    ClockTicker(clock: clock, start: clock.now, interval: interval, tolerance: tolerance)
  }

  /// Counts the multiples that have passed.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var ticker: any Ticker

    /// Waits for the next tick.
    public mutating func next() async throws -> Duration? { try await ticker.next() }
  }
}

private protocol Ticker {
  mutating func next() async throws -> Duration?
}

private struct ClockTicker<C: Clock>: Ticker where C.Duration == Duration {
  let clock: C
  let start: C.Instant
  let interval: Duration
  let tolerance: Duration?
  var latest = Duration.zero

  mutating func next() async throws -> Duration? {
    if clock is ImmediateClock, latest > .zero { return nil }
    let elapsed = start.duration(to: clock.now)
    latest += interval
    // What has passed is skipped by long division, since a quotient may be too large to be counted:
    // in the largest leaps of a power of two ticks that stay short of the present.
    while latest < elapsed {
      var leap = interval
      while leap <= (elapsed - latest) / 2 { leap += leap }
      latest += leap
    }
    guard latest > elapsed else {
      try Task.checkCancellation()
      return latest
    }
    try await clock.sleep(until: start.advanced(by: latest), tolerance: tolerance)
    return latest
  }
}

extension Clock where Duration == Swift.Duration {
  /// Returns a sequence that ticks at exact multiples of an interval.
  ///
  /// An interval that is not positive is a mistake in the program and stops it at this line.
  public func timer(
    every interval: Duration, tolerance: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> TimerSequence {
    requirePositive(
      interval, at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column),
      otherwise: "To wait once use sleep(for:).")
    return TimerSequence(interval: interval, tolerance: tolerance, clock: self)
  }
}
