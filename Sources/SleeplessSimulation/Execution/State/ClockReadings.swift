import CRuntimeHooks

/// What clocks show inside a simulation.
struct ClockReadings {
  /// The real uptime at the start of the simulation, in nanoseconds.
  private let uptime = sleepless_monotonic_time()
  /// What each clock showed then, by the clock's number. Known from the first reading on.
  private var starts = [CInt: Duration]()

  func hasRead(_ clock: CInt) -> Bool { starts[clock] != nil }

  /// What a clock shows: its real time at the start of the simulation, and the virtual time since.
  mutating func reading(of clock: CInt, at now: Duration) -> Duration {
    let start = starts[clock] ?? startOfClock(clock)
    starts[clock] = start
    return start + now
  }

  /// What a clock showed at the start. The uptime is read first: however long this thread is interrupted then, the clock
  /// does not begin before the simulation.
  private func startOfClock(_ clock: CInt) -> Duration {
    let passed = sleepless_monotonic_time() - uptime
    let start = sleepless_real_time(clock) - passed
    return .nanoseconds(clock == Self.date ? (start / Self.step + 1) * Self.step : start)
  }

  /// The number of the clock that shows the date, in all of C's libraries.
  private static let date: CInt = 0

  /// The date begins at a multiple of 2⁻⁹ s, in nanoseconds, and so up to 2 ms late. Foundation keeps a date as a number
  /// of seconds with 23 binary places. Sums of dates are then rounded in the same way in each run.
  private static let step: Int64 = 1_953_125
}
