import CRuntimeHooks

/// What clocks show inside a simulation.
struct ClockReadings {
  /// The real uptime at the start of the simulation, in nanoseconds.
  private let uptime = sleepless_monotonic_time()
  /// What each clock showed then, by the clock's number. Known from the first reading on.
  private var starts = [CInt: Duration]()

  func hasRead(_ clock: CInt) -> Bool { starts[clock] != nil }

  /// What a clock shows: its real time at the start of the simulation, and the virtual time since.
  mutating func reading(of clock: CInt, at now: Duration) -> Duration { start(of: clock) + now }

  private mutating func start(of clock: CInt) -> Duration {
    if let start = starts[clock] { return start }
    let start: Duration
    switch clock {
    case Self.date:
      let steps = realStart(of: clock) / Self.step + 1
      start = .nanoseconds(steps * Self.step)
    case Self.atomicTime:
      let lead = Double(sleepless_real_time(clock) - sleepless_real_time(Self.date)) / 1e9
      start = self.start(of: Self.date) + .seconds(lead.rounded())
    default:
      start = .nanoseconds(realStart(of: clock))
    }
    starts[clock] = start
    return start
  }

  /// What a clock showed at the start, in nanoseconds. The uptime is read first: however long this thread is interrupted
  /// then, the clock does not begin before the simulation.
  private func realStart(of clock: CInt) -> Int64 {
    let passed = sleepless_monotonic_time() - uptime
    return sleepless_real_time(clock) - passed
  }

  /// The number of the clock that shows the date, in all of C's libraries.
  private static let date: CInt = 0
  /// The number of `CLOCK_TAI`, which leads the date by whole seconds.
  private static let atomicTime: CInt = 11

  /// The date begins at a multiple of 2⁻⁹ s, in nanoseconds, and so up to 2 ms late. Foundation keeps a date as a number
  /// of seconds with 23 binary places. Sums of dates are then rounded in the same way in each run.
  private static let step: Int64 = 1_953_125
}
