/// Ticks at exact multiples of an interval, on any clock.
///
/// ```swift
/// for try await elapsed in clock.timer(every: .seconds(1)) {
///   print(elapsed)
/// }
/// ```
///
/// prints 1.0 seconds, 2.0 seconds, and so on. The first tick comes one interval after the
/// iteration starts. Ticks do not drift: each is a multiple of the interval, however long the
/// loop's body takes. The sequence skips ticks that pass while the body runs. Cancelling the task
/// ends the iteration with `CancellationError`. On an ``ImmediateClock`` the sequence ends after
/// its first tick.
public struct TimerSequence: AsyncSequence, Sendable {
  /// The time since iteration began: a multiple of the interval.
  public typealias Element = Duration

  let interval: Duration
  let tolerance: Duration?
  let clock: any Clock<Duration>

  /// Starts the iteration: the ticks count from this call.
  ///
  /// ```swift
  /// var ticks = ImmediateClock().timer(every: .seconds(1)).makeAsyncIterator()
  /// #expect(try await ticks.next() == .seconds(1))
  /// #expect(try await ticks.next() == nil)  // this clock has one tick
  /// ```
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
    ///
    /// Throws `CancellationError` in a cancelled task. On an ``ImmediateClock``, nil follows the first tick.
    ///
    /// ```swift
    /// var ticks = ImmediateClock().timer(every: .seconds(1)).makeAsyncIterator()
    /// #expect(try await ticks.next() == .seconds(1))
    /// #expect(try await ticks.next() == nil)  // this clock has one tick
    /// ```
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
    // Skips the ticks that have passed. This is long division, because a quotient could be too
    // large for an integer: each step skips the largest power of two of ticks that stays before
    // `elapsed`.
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
  /// An interval that is not positive stops the program at the caller's line.
  ///
  /// ```swift
  /// for try await elapsed in ContinuousClock().timer(every: .seconds(1)) {
  ///   print(elapsed)  // prints 1.0 seconds, then 3.0 seconds: the body was busy at the second tick
  ///   if elapsed > .seconds(1) { break }
  ///   try await Task.sleep(for: .milliseconds(1500))
  /// }
  /// ```
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
