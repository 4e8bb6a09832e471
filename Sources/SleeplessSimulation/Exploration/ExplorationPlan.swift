import Sleepless

/// The settings of an exploration.
package struct ExplorationPlan: Sendable {
  /// The name of the test, as a crashed process prints it.
  package var name: String
  /// How many schedules are run at most.
  package var schedules: Int
  package var strategy: ExplorationStrategy
  /// The seed of everything random.
  package var seed: UInt64
  /// Which part of the schedules is run, counted from 0, and the number of parts.
  package var shard: (index: Int, count: Int)
  /// The number of steps after which no further schedule begins.
  package var stepBudget: Int?
  /// The one schedule to run instead of exploring.
  package var replay: ReplayString?
  /// How each simulation is run.
  package var options: Simulation.Options

  package init(
    name: String, schedules: Int, strategy: ExplorationStrategy = .portfolio, seed: UInt64 = 0,
    shard: (index: Int, count: Int) = (0, 1), stepBudget: Int? = nil,
    replay: ReplayString? = nil, options: Simulation.Options = Simulation.Options()
  ) {
    self.name = name
    self.schedules = schedules
    self.strategy = strategy
    self.seed = seed
    self.shard = shard
    self.stepBudget = stepBudget
    self.replay = replay
    self.options = options
  }

  /// The steps that count as a second of a budget.
  ///
  /// A budget in real time would end elsewhere on a busy machine, and then a test that fails might
  /// pass. An explored test takes some 130,000 steps in a second in debug
  /// (`Benchmarks/explored-test`).
  package static let stepsPerSecond = 100_000

  /// A hash of the test's name.
  package var mark: UInt32 { ReplayString.mark(of: name) }
}

/// The verdict on one schedule, from the module that knows test frameworks.
package enum Verdict: Sendable {
  case passed
  case failed(FailureCause)
  /// The test was skipped, so the exploration ends.
  case stop
}

/// The cause of a schedule's failure.
package struct FailureCause: Sendable, Equatable {
  /// In a few words: "a failed expectation", "a deadlock".
  package let cause: String
  /// The key of a failure: failures with the same key count as the same.
  package let key: String
  /// What the test framework says about the failure, if it is one of its own: the failed expectation with its
  /// values.
  package let text: String?

  package init(cause: String, key: String, text: String? = nil) {
    self.cause = cause
    self.key = key
    self.text = text
  }
}
