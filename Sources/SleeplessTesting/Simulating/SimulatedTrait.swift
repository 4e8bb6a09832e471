import Sleepless
import SleeplessSimulation
import Testing

/// Runs a test under virtual time, one job at a time: the trait `.simulated`.
///
/// It needs macOS 15, iOS 18, tvOS 18 or watchOS 11. On an older system the test fails and does not run.
///
/// ```swift
/// @Test(.simulated) func `an hour passes at once`() async throws {
///   try await Task.sleep(for: .seconds(3600))
///   #expect(Simulation.current?.now == .seconds(3600))
/// }
/// ```
public struct SimulatedTrait: TestTrait, SuiteTrait, TestScoping {
  // Without `@available`: the macro `@Test` evaluates traits in a function that does not get the test's own
  // availability, so a trait that has one compiles only where all systems are new enough.

  let settings: SimulationSettings
  let identity = TraitIdentity()

  /// A suite's trait holds for every test in it.
  public var isRecursive: Bool { true }

  /// Runs the test's function in a simulation of its own.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard test.simulatingTrait === identity else { return try await function() }
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else {
      return recordIssue(SimulationProblem.unavailable(".simulated"), at: test.sourceLocation)
    }
    guard Simulation.current == nil else { return try await function() }
    let threads = ThreadIssues()
    try await threads.noting(for: test) { try await simulate(function, for: test, threads) }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  package func simulate(
    _ function: @Sendable () async throws -> Void, for test: Test, _ threads: ThreadIssues? = nil
  ) async throws {
    // The checks at the end run inside the simulation, where virtual time can still go on.
    let end = Locked(EndOfTest())
    let runs = DeterminismCheck(settings)
    defer { runs.detached.stop() }
    let body: @Sendable () async throws -> Void = { [detached = runs.detached] in
      let here = EndOfTest()
      end.withLock { $0 = here }
      threads?.begin(in: Simulation.current)
      try await EndOfTest.check(here) {
        detached.inheritFromHere()
        try await function()
      }
    }
    var outcome = await Simulation.run(lent: body, runs.options)
    if let again = runs.again(after: outcome.report) {
      outcome = await Simulation.run(lent: body, again)
    }
    let hasFailed = end.withLock { $0.hasFailed }
    for problem in runs.problems(in: outcome.report, hasFailed: hasFailed) {
      problem.record(at: test.sourceLocation, hasFailed: hasFailed)
    }
    if !outcome.isCutShort { try outcome.result?.get() }
  }
}

extension Trait where Self == SimulatedTrait {
  /// Runs the test under virtual time, one job at a time, with nothing injected.
  ///
  /// ```swift
  /// @Test(.simulated) func `a timeout takes no real time`() async throws {
  ///   try await Task.sleep(for: .seconds(60))
  ///   #expect(Simulation.current?.now == .seconds(60))
  /// }
  /// ```
  public static var simulated: Self { simulated() }

  /// Runs the test under virtual time, one job at a time, with nothing injected.
  ///
  /// On a suite it holds for every test in it; a test's own trait replaces it. The options are those
  /// of `simulate`; failures appear at the test's line.
  ///
  /// ```swift
  /// @Test(.simulated(time: .manual)) func `a banner goes after three seconds`() async {
  ///   let banner = Banner()
  ///   banner.show("Saved")  // for 3 s, in a task
  ///   await Simulation.advance(by: .milliseconds(2_900))
  ///   #expect(banner.text == "Saved")
  ///   await Simulation.advance(by: .milliseconds(100))
  ///   #expect(banner.text == nil)
  /// }
  /// ```
  public static func simulated(
    time: Simulation.Options.Time = .automatic, order: Simulation.Options.Order = .firstCome,
    dispatch: Simulation.Options.Dispatch = .inside, stepLimit: Int = 1_000_000,
    timeLimit: Duration? = nil, allowing: Leftovers = [],
    externalResumptions: ExternalResumptionMode = .ignored, checksDeterminism: Bool = false
  ) -> Self {
    var settings = SimulationSettings(
      time: time, order: order, dispatch: dispatch, stepLimit: stepLimit, timeLimit: timeLimit,
      allowing: allowing, externalResumptions: externalResumptions)
    settings.checksDeterminism = checksDeterminism
    return SimulatedTrait(settings: settings)
  }
}
