import Sleepless

/// What an exploration is to do.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package struct ExplorationPlan: Sendable {
  /// The name of the test, as a crashed process prints it.
  package var name: String
  /// How many schedules are run at most.
  package var schedules: Int
  package var strategy: ExplorationStrategy
  /// What all chance is drawn from.
  package var seed: UInt64
  /// Which part of the schedules is run, counted from 0, and of how many parts.
  package var shard: (index: Int, count: Int)
  /// The real time after which no further schedule is begun.
  package var timeBudget: Duration?
  /// The one schedule to run instead.
  package var replay: ReplayString?
  /// How each simulation is run.
  package var options: Simulation.Options

  package init(
    name: String, schedules: Int, strategy: ExplorationStrategy = .portfolio, seed: UInt64 = 0,
    shard: (index: Int, count: Int) = (0, 1), timeBudget: Duration? = nil,
    replay: ReplayString? = nil, options: Simulation.Options = Simulation.Options()
  ) {
    self.name = name
    self.schedules = schedules
    self.strategy = strategy
    self.seed = seed
    self.shard = shard
    self.timeBudget = timeBudget
    self.replay = replay
    self.options = options
  }

  /// A mark of the test's name.
  package var mark: UInt32 { ReplayString.mark(of: name) }
}

/// What whoever knows tests says of one schedule.
package enum Verdict: Sendable {
  case passed
  case failed(FailureCause)
  /// The test does not want to go on: it is skipped.
  case stop
}

/// What went wrong in a schedule.
package struct FailureCause: Sendable, Equatable {
  /// In a few words: "a failed expectation", "a deadlock".
  package let cause: String
  /// What two failures have in common that are taken for the same.
  package let key: String

  package init(cause: String, key: String) {
    self.cause = cause
    self.key = key
  }
}
