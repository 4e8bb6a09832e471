import CRuntimeHooks

/// What clocks show inside a simulation.
struct ClockReadings {
  /// The real uptime at the start of the simulation, in nanoseconds.
  private let uptime = sleepless_monotonic_time()
  /// What each clock showed then, by the clock's number. Known from the first reading on.
  private var starts = [CInt: Duration]()
  /// What the date was then, to a step.
  private lazy var startOfDate = Duration.nanoseconds(
    (realStart(of: Self.date) / Self.step + 1) * Self.step)

  func hasRead(_ clock: CInt) -> Bool { starts[clock] != nil }

  /// What a clock shows: its real time at the start of the simulation, and the virtual time since.
  mutating func reading(of clock: CInt, at now: Duration) -> Duration { start(of: clock) + now }

  private mutating func start(of clock: CInt) -> Duration {
    if let start = starts[clock] { return start }
    let start: Duration
    switch clock {
    case Self.date: start = startOfDate
    case Self.atomicTime: start = startOfDate + .seconds(Self.leadOfAtomicTime)
    default:
      start = .nanoseconds(realStart(of: clock))
    }
    starts[clock] = start
    return start
  }

  /// The whole seconds by which `CLOCK_TAI` leads the date.
  private static var leadOfAtomicTime: Int64 {
    while true {
      let date = sleepless_real_time(Self.date)
      let lead = sleepless_real_time(atomicTime) - date
      // An interruption between two readings would count as lead.
      guard sleepless_real_time(Self.date) - date < 100_000_000 else { continue }
      return Int64((Double(lead) / 1e9).rounded())
    }
  }

  /// What a clock showed at the start, in nanoseconds. The uptime is read first. An interruption between the two readings
  /// makes the start late, never early.
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
