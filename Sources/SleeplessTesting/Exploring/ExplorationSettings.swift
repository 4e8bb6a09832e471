import Foundation
import Sleepless
import SleeplessSimulation

/// The settings of the explorations of an ``ExploredTestCase``.
///
/// ```swift
/// let settings = ExplorationSettings(schedules: 10_000, seed: 7)
/// ```
public struct ExplorationSettings: Sendable {
  var simulation: SimulationSettings
  /// How many schedules to run at most: by default 1,000, or 100,000 for an exhaustive strategy.
  public var schedules: Int?
  /// How schedules are chosen.
  public var strategy: ExplorationStrategy
  /// The seed of all random choices; the same seed gives the same schedules.
  public var seed: UInt64
  /// The replay string of a failure, to run that one schedule of its test.
  public var replay: String?
  /// Where the exploration shows its progress; nil for nowhere.
  package var progressLine = ProgressLine.terminal

  /// Makes the settings, with the same defaults as those of `.explored`.
  ///
  /// ```swift
  /// let settings = ExplorationSettings(schedules: 10_000, seed: 7)
  /// #expect(settings.schedules == 10_000)
  /// ```
  public init(
    schedules: Int? = nil, strategy: ExplorationStrategy = .portfolio, seed: UInt64 = 0,
    replay: String? = nil
  ) {
    self.init(
      simulation: SimulationSettings(), schedules: schedules, strategy: strategy, seed: seed,
      replay: replay)
  }

  package init(
    simulation: SimulationSettings, schedules: Int? = nil,
    strategy: ExplorationStrategy = .portfolio, seed: UInt64 = 0, replay: String? = nil
  ) {
    self.simulation = simulation
    self.schedules = schedules
    self.strategy = strategy
    self.seed = seed
    self.replay = replay
  }

  /// The plan for a test of that name; throws if a setting is wrong. `areShared` says that the settings hold for
  /// several tests, so that the replay string may be another test's.
  func plan(
    for test: String, _ environment: ExplorationEnvironment, areShared: Bool = false
  ) throws(ExplorationMisuse) -> ExplorationPlan {
    if let schedules, schedules < 1 {
      throw ExplorationMisuse(
        """
        schedules must be 1 or more (was \(schedules)). Nothing was run.
        A test that explores nothing would pass whatever it does. Pass 1 or more.
        """)
    }
    guard simulation.options.stepLimit > 0 else {
      throw ExplorationMisuse(
        """
        stepLimit must be 1 or more (was \(simulation.options.stepLimit)). Nothing was run.
        It limits the jobs and moves of time of each schedule.
        """)
    }
    let settings = try environment.settings()
    let defaultIndex = strategy.isExhaustive ? 100_000 : 1_000
    var plan = ExplorationPlan(
      name: test, schedules: settings.schedules ?? schedules ?? defaultIndex, strategy: strategy,
      seed: settings.seed ?? seed, shard: settings.shard ?? (0, 1),
      stepBudget: settings.stepBudget, options: simulation.options)
    if let replay {
      let read = try Self.read(replay, "replay")
      let isOfTest = read.test == plan.mark
      guard isOfTest || areShared else { throw .ofOtherTest(replay) }
      if isOfTest { plan.replay = read }
    }
    for replay in settings.replays {
      let read = try Self.read(replay, "SLEEPLESS_REPLAY")
      if read.test == plan.mark { plan.replay = read }
    }
    return plan
  }

  private static func read(
    _ text: String, _ source: String
  ) throws(ExplorationMisuse) -> ReplayString {
    do { return try ReplayString(text) } catch { throw .unreadable(text, error, in: source) }
  }
}

/// A wrong setting of an exploration.
struct ExplorationMisuse: Error {
  let text: String

  init(_ text: String) { self.text = text }

  static func unreadable(
    _ text: String, _ explorationError: ReplayString.ParsingError, in source: String
  ) -> ExplorationMisuse {
    let what =
      switch explorationError {
      case .empty: "it is empty"
      case .version(let version):
        "it begins with \"\(version)\", and this version of Sleepless reads those that begin with 1 or c"
      case .character(let character): "\"\(character)\" occurs in no replay string"
      case .damaged: "something is missing or was changed"
      }
    return ExplorationMisuse(
      """
      \(source) is no replay string: \(what) (was "\(text)"). Nothing was run.
      Copy it from the failure as a whole, or explore without it.
      """)
  }

  static func ofOtherTest(_ text: String) -> ExplorationMisuse {
    ExplorationMisuse(
      """
      The replay string "\(text)" belongs to another test. Nothing was run.
      It fits only the test that printed it, with the same arguments; a renamed test is another test. \
      Explore without it.
      """)
  }
}
