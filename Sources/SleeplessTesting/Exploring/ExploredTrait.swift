import Sleepless
import SleeplessSimulation
import Testing

/// Runs a test under many schedules: the trait `.explored`.
///
/// It needs macOS 15, iOS 18, tvOS 18 or watchOS 11. On an older system the test fails and does not run.
///
/// ```swift
/// @Test(.explored) func `two keystrokes leave the later result`() async {
///   let model = SearchModel()
///   async let first: Void = model.search("s")
///   async let second: Void = model.search("sw")
///   _ = await (first, second)
///   #expect(["s", "sw"].contains(await model.shown))
/// }
/// ```
public struct ExploredTrait: TestTrait, SuiteTrait, TestScoping {
  // Without `@available`, like `SimulatedTrait`.

  let settings: ExplorationSettings
  let identity = TraitIdentity()

  init(settings: ExplorationSettings) { self.settings = settings }

  /// A suite's trait holds for every test in it.
  public var isRecursive: Bool { true }

  /// Runs the test's function under one schedule after another.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard test.simulatingTrait === identity else { return try await function() }
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else {
      return recordIssue(SimulationProblem.unavailable(".explored"), at: test.sourceLocation)
    }
    guard Simulation.current == nil else { return try await function() }
    try await explore(function, for: test, testCase, .process)
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  package func explore(
    _ function: @Sendable () async throws -> Void, for test: Test, _ testCase: Test.Case? = nil,
    _ environment: ExplorationEnvironment = .process
  ) async throws {
    let plan: ExplorationPlan
    do {
      let name = "\(test.sourceLocation.fileID)/\(test.explorationName(testCase))"
      plan = try settings.plan(for: name, environment)
    } catch {
      return recordIssue(error.text, at: test.sourceLocation)
    }
    for crash in Explorer.crashes(of: plan) {
      recordIssue(
        ExplorationFailure.crash(crash, for: .trait), severity: .warning, at: test.sourceLocation)
    }
    let run = ExploredRun(plan, settings)
    @Sendable func body() async throws { try await ExploredRun.schedule(run.detached, function) }
    try await run.explore { judge in
      await Simulation.explore(lent: body, run.explorer, judge: judge)
    }
    var thrown: (any Error)?
    if let options = run.explorer.finalOptions() {
      let end = Locked(EndOfTest())
      let outcome = await Simulation.run(
        lent: {
          // Made in the simulation, as in the schedules before: recorders are judged late only there.
          let here = EndOfTest()
          end.withLock { $0 = here }
          try await EndOfTest.check(here) {
            run.detached.inheritFromHere()
            try await function()
          }
        }, options)
      run.detached.stop()
      for problem in SimulationProblem.all(
        in: outcome.report, settings.simulation, hasFailed: true)
      {
        problem.record(at: test.sourceLocation, hasFailed: end.withLock { $0.hasFailed })
      }
      if case .failure(let error) = outcome.result { thrown = error }
      run.explorer.finishFinal()
    }
    // Printed because nothing else says whether the exploration was complete.
    if settings.strategy.isExhaustive, run.explorer.result.failed == 0, plan.replay == nil {
      print("\(test.name): \(Exploration(run.explorer.result)).")
    }
    for text in run.texts(for: .trait) { text.record(at: test.sourceLocation, hasFailed: false) }
    run.attachSchedule(for: .trait, at: test.sourceLocation)
    if let thrown { throw thrown }
  }
}

/// Distinguishes a test's own trait from one that it inherits.
final class TraitIdentity: Sendable {}

extension Test {
  /// The trait that decides in which simulations the test runs: the last one, because a test's own trait
  /// comes after its suites' traits.
  var simulatingTrait: TraitIdentity? {
    traits.compactMap { ($0 as? SimulatedTrait)?.identity ?? ($0 as? ExploredTrait)?.identity }.last
  }

  /// A name for the test and its arguments that is unique in its file, and the same in each process.
  func explorationName(_ testCase: Test.Case?) -> String {
    // Nothing public tells one case from another, but they print their arguments, and with these an
    // address that differs from process to process.
    guard let testCase, testCase.isParameterized else { return name }
    return "\(name) \(testCase)".replacing(/\(unknown context at \$[0-9a-f]+\)/, with: "")
  }
}

extension ExplorationFailure {
  /// The warning that an earlier process died within an exploration.
  static func crash(_ crash: Crash, for face: ExplorationFace) -> String {
    let doubt =
      crash.isOutside
      ? " The thread that crashed ran no schedule, so this test may not be the cause." : ""
    return """
      The last process that explored this test died within schedule \(crash.schedule).\(doubt) To replay it: \
      \(face.replaying(crash.replay)), or in the environment SLEEPLESS_REPLAY=\(crash.replay)
      \(crash.trace.text(ending: "the process ended"))
      """
  }
}

extension Trait where Self == ExploredTrait {
  /// Runs the test under a thousand schedules, and stops at the first that fails.
  ///
  /// ```swift
  /// @Test(.explored) func `the second withdrawal is refused`() async {
  ///   let account = Account(balance: 100)
  ///   async let first: Void = account.withdraw(80)
  ///   async let second: Void = account.withdraw(80)
  ///   _ = await (first, second)
  ///   #expect(await account.balance == 20)  // in each of a thousand schedules
  /// }
  /// ```
  public static var explored: Self { explored() }

  /// Runs the test under many schedules, each afresh and in virtual time, and stops at the first that
  /// fails.
  ///
  /// The failures of that schedule appear at their own lines, failures without a line at the test's
  /// line, followed by the text that replays just this schedule. On a suite it holds for every test in
  /// it; a test's own trait replaces it, and it replaces `.simulated`. The options are the same as for
  /// `explore`.
  ///
  /// ```swift
  /// @Test(.explored(schedules: 200, strategy: .pct(depth: 2)))
  /// func `the account is never overdrawn`() async {
  ///   let account = Account(balance: 100)
  ///   async let first: Void = account.withdraw(80)
  ///   async let second: Void = account.withdraw(80)
  ///   _ = await (first, second)
  ///   #expect(await account.balance >= 0)
  /// }
  /// ```
  public static func explored(
    schedules: Int? = nil, strategy: ExplorationStrategy = .portfolio, seed: UInt64 = 0,
    replay: String? = nil, time: Simulation.Options.Time = .automatic,
    dispatch: Simulation.Options.Dispatch = .inside, stepLimit: Int = 100_000,
    timeLimit: Duration? = nil, allowing: Leftovers = [],
    externalResumptions: ExternalResumptionMode = .warned
  ) -> Self {
    ExploredTrait(
      settings: ExplorationSettings(
        simulation: SimulationSettings(
          time: time, dispatch: dispatch, stepLimit: stepLimit, timeLimit: timeLimit,
          allowing: allowing, externalResumptions: externalResumptions),
        schedules: schedules, strategy: strategy, seed: seed, replay: replay))
  }
}
