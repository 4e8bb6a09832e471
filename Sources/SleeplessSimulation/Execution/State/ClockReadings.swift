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
    return .nanoseconds(sleepless_real_time(clock)) - .nanoseconds(passed)
  }
}
