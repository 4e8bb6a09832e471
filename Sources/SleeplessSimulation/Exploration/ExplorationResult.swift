import Sleepless

/// The result of running a test under many schedules.
package struct ExplorationResult: Sendable {
  /// How many schedules were run, those for shrinking and for the report left out.
  package var run = 0
  /// How many of them were different schedules.
  package var distinct = 0
  /// How many of them failed.
  package var failed = 0
  /// Whether the strategy has no other schedule.
  package var isComplete = false
  /// How many schedules were planned; nil for all of the strategy.
  package var planned: Int?
  /// The seed of everything random.
  package var seed: UInt64 = 0
  /// The failing schedule at which the exploration stopped.
  package var failure: ExplorationFailure?

  package init() {}
}

/// The first failing schedule, as it was found and shrunk.
package struct ExplorationFailure: Sendable {
  /// The cause in a few words: "a failed expectation", "a deadlock".
  package let cause: String
  /// The failed expectation with its values, if there is one.
  package let text: String?
  /// The number of the schedule, counted from 1.
  package let schedule: Int
  /// The strategy that found it.
  package let strategy: String
  /// The schedule as it was found.
  package let whole: ScheduleTrace
  /// The shrunk schedule, which fails in the same way with fewer switches.
  package let shrunk: ScheduleTrace
  /// The string that replays the shrunk schedule, for `replay:` and for `SLEEPLESS_REPLAY`.
  package let replay: String

  package init(
    cause: String, text: String? = nil, schedule: Int, strategy: String, whole: ScheduleTrace,
    shrunk: ScheduleTrace,
    replay: String
  ) {
    self.cause = cause
    self.text = text
    self.schedule = schedule
    self.strategy = strategy
    self.whole = whole
    self.shrunk = shrunk
    self.replay = replay
  }
}
