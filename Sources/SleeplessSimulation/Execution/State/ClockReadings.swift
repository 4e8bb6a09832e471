/// What clocks show inside a simulation.
struct ClockReadings {
  /// What each clock would have shown at the start of the simulation, by the clock's number.
  private var starts: [CInt: Duration] = [:]

  func hasRead(_ clock: CInt) -> Bool { starts[clock] != nil }

  /// What a clock shows: its real time when it was first read, and the virtual time that has passed
  /// since then.
  mutating func reading(of clock: CInt, real: Duration, at now: Duration) -> Duration {
    let start = starts[clock] ?? real - now
    starts[clock] = start
    return start + now
  }
}
