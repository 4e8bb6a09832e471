import Sleepless

/// What came of running a test under many schedules.
package struct ExplorationResult: Sendable {
  /// How many schedules were run, those for shrinking and for the report left out.
  package var run = 0
  /// How many of them differed in who ran when.
  package var distinct = 0
  /// How many of them failed.
  package var failed = 0
  /// Whether these were all schedules that there are.
  package var isComplete = false
  /// How many were asked for; nil for as many as there are.
  package var planned: Int?
  /// What all chance was drawn from.
  package var seed: UInt64 = 0
  /// The failing schedule at which the exploration stopped.
  package var failure: ExplorationFailure?

  package init() {}
}

/// The first failing schedule, as found and as shrunk.
package struct ExplorationFailure: Sendable {
  /// What went wrong, in a few words: "a failed expectation", "a deadlock".
  package let cause: String
  /// Which schedule it was, counted from 1.
  package let schedule: Int
  /// The strategy that found it.
  package let strategy: String
  /// The schedule as found.
  package let whole: ScheduleTrace
  /// The same failure with as few switches as were found to do.
  package let shrunk: ScheduleTrace
  /// What replays the shrunk schedule: the string for `replay:` and for `SLEEPLESS_REPLAY`.
  package let replay: String

  package init(
    cause: String, schedule: Int, strategy: String, whole: ScheduleTrace, shrunk: ScheduleTrace,
    replay: String
  ) {
    self.cause = cause
    self.schedule = schedule
    self.strategy = strategy
    self.whole = whole
    self.shrunk = shrunk
    self.replay = replay
  }
}
