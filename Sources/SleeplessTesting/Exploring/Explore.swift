import Sleepless
import SleeplessSimulation
import Testing

/// Runs code under many schedules, each afresh and in virtual time, and stops at the first that fails.
///
/// A schedule is an order in which tasks take turns, wherever they suspend. The code needs no change
/// and no injected clock (see <doc:ExploringSchedules>).
///
/// ```swift
/// try await explore {
///   let account = BankAccount(balance: 100)
///   async let first: Void = account.withdraw(80)
///   async let second: Void = account.withdraw(80)
///   _ = await (first, second)
///   // Fails if withdraw suspends between its check and its change.
///   #expect(await account.balance == 20)
/// }
/// ```
///
/// The failing schedule is shrunk to as few switches as possible, and its failures appear at their own
/// lines. Failures without a line, and the text that replays just this schedule, appear at this line. A
/// schedule fails by a failed expectation, a thrown error, a deadlock, a limit, or something left over.
/// The environment may change how many schedules are explored.
/// - Parameters:
///   - schedules: How many schedules to run at most: by default 1,000, or 100,000 for an exhaustive
///     strategy.
///   - strategy: How schedules are chosen.
///   - seed: The seed of all random choices; the same seed gives the same schedules.
///   - replay: The replay string of a failure, to run that one schedule.
///   - time: What moves virtual time.
///   - dispatch: Where the blocks run that the code gives to queues of Dispatch.
///   - stepLimit: How many jobs and moves of time a schedule may take.
///   - timeLimit: How far virtual time may go.
///   - allowing: What may be left over when the body has ended.
///   - externalResumptions: What to do about tasks that something outside resumes.
///   - isolation: The caller's isolation.
///   - fileID: The caller's file, for failures.
///   - filePath: The caller's path, for failures.
///   - line: The caller's line, for failures.
///   - column: The caller's column, for failures.
///   - body: The code to explore.
/// - Throws: The error that the body throws in the failing schedule.
/// - Returns: How many schedules were explored.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
@discardableResult
public func explore(
  schedules: Int? = nil, strategy: ExplorationStrategy = .portfolio, seed: UInt64 = 0,
  replay: String? = nil, time: Simulation.Options.Time = .automatic,
  dispatch: Simulation.Options.Dispatch = .inside, stepLimit: Int = 100_000,
  timeLimit: Duration? = nil, allowing: Leftovers = [],
  externalResumptions: ExternalResumptionMode = .warned,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ body: @escaping () async throws -> Void
) async throws -> Exploration {
  let simulation = SimulationSettings(
    time: time, dispatch: dispatch, stepLimit: stepLimit, timeLimit: timeLimit,
    allowing: allowing, externalResumptions: externalResumptions,
    fileID: fileID, filePath: filePath, line: line, column: column)
  let settings = ExplorationSettings(
    simulation: simulation, schedules: schedules, strategy: strategy, seed: seed, replay: replay)
  return try await explore(settings, .process, body)
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
@discardableResult
package func explore(
  _ settings: ExplorationSettings, _ environment: ExplorationEnvironment,
  isolation: isolated (any Actor)? = #isolation, _ body: @escaping () async throws -> Void
) async throws -> Exploration {
  let site = settings.simulation.site
  let reporter = Reporter(at: site)
  guard Simulation.current == nil else {
    reporter.fail(
      """
      explore was called inside a simulation. The body now runs once, as part of that: same time, \
      same order.
      Schedules cannot be explored within one: remove the trait .simulated or .explored of the test, or make \
      its SimulatedTestCase an XCTestCase.
      """)
    try await body()
    return Exploration(ExplorationResult())
  }
  guard !Task.isCancelled else {
    reporter.fail(
      """
      explore was called in a task that was cancelled before. Nothing was run.
      The body would run cancelled as well. Call explore in a task that is not cancelled.
      """)
    throw reporter.reportedError
  }
  let test =
    Test.current?.explorationName(Test.Case.current) ?? XCTestProgress.shared.running?.name ?? ""
  let plan: ExplorationPlan
  do {
    plan = try settings.plan(for: "\(site.fileID)/\(test)", environment)
  } catch {
    reporter.fail(error.text)
    throw reporter.reportedError
  }
  for crash in Explorer.crashes(of: plan) {
    reporter.warn(ExplorationFailure.crash(crash, for: .function))
  }
  let run = ExploredRun(plan, settings)
  // Unsafe because one schedule runs at a time and the caller waits meanwhile.
  nonisolated(unsafe) let schedule = { try await ExploredRun.schedule(run.detached, body) }
  try await run.explore { judge in
    await Simulation.explore(run.explorer, isolation: nil, schedule, judge: judge)
  }
  var thrown: (any Error)?
  if let options = run.explorer.finalOptions() {
    run.detached.inheritFromHere()
    defer { run.detached.stop() }
    let outcome = await Simulation.run(options, isolation: nil, schedule)
    for problem in SimulationProblem.all(
      in: outcome.report, settings.simulation, hasFailed: true)
    {
      reporter.report(problem)
    }
    thrown = outcome.error(reporter)
    run.explorer.finishFinal()
  }
  for text in run.texts(for: .function) { reporter.report(text) }
  run.attachSchedule(for: .function, at: SourceLocation(site))
  if let thrown { throw thrown }
  return Exploration(run.explorer.result)
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Outcome {
  fileprivate func error(_ reporter: Reporter) -> (any Error)? {
    switch result {
    case .success: nil
    case .failure(let error): error
    case nil: reporter.reportedError
    }
  }
}

/// How many schedules were explored.
///
/// ```swift
/// let exploration = try await explore(schedules: 20) { await Task.yield() }
/// #expect(exploration.failed == 0)
/// ```
public struct Exploration: Sendable, CustomStringConvertible {
  /// How many schedules were run, without the runs for shrinking.
  ///
  /// ```swift
  /// let exploration = try await explore(strategy: .exhaustive) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// #expect(exploration.isComplete && exploration.distinct == exploration.schedules)
  /// print(exploration)  // such as "all 35 schedules of the strategy explored, none failed"
  /// ```
  public let schedules: Int
  /// How many of them were distinct orders.
  ///
  /// ```swift
  /// let exploration = try await explore(strategy: .exhaustive) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// #expect(exploration.isComplete && exploration.distinct == exploration.schedules)
  /// print(exploration)  // such as "all 35 schedules of the strategy explored, none failed"
  /// ```
  public let distinct: Int
  /// How many of them failed; an exploration ends with the first.
  public let failed: Int
  /// Whether every schedule of the strategy has run.
  ///
  /// With `.exhaustive` that is every order of whole steps; with `.exhaustive(switches:)`, every one that departs from
  /// the default order at most so many times. The page "What exploring cannot find" lists what such a search does not
  /// vary.
  ///
  /// ```swift
  /// let exploration = try await explore(strategy: .exhaustive) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// #expect(exploration.isComplete && exploration.distinct == exploration.schedules)
  /// print(exploration)  // such as "all 35 schedules of the strategy explored, none failed"
  /// ```
  public let isComplete: Bool

  init(_ result: ExplorationResult) {
    schedules = result.run
    distinct = result.distinct
    failed = result.failed
    isComplete = result.isComplete
  }

  /// The counts in words: "all 1260 schedules of the strategy explored, none failed".
  ///
  /// ```swift
  /// let exploration = try await explore(strategy: .exhaustive) {
  ///   async let first: Void = Task.yield()
  ///   async let second: Void = Task.yield()
  ///   _ = await (first, second)
  /// }
  /// #expect(exploration.isComplete && exploration.distinct == exploration.schedules)
  /// print(exploration)  // such as "all 35 schedules of the strategy explored, none failed"
  /// ```
  public var description: String {
    guard schedules > 0 else { return "no schedule explored" }
    guard schedules != 1 else {
      let outcome = failed == 0 ? "it passed" : "it failed"
      let others = isComplete ? "the strategy has no other" : "there may be more"
      return "1 schedule explored, \(outcome); \(others)"
    }
    let outcome = failed == 0 ? "none failed" : "\(failed) failed"
    return isComplete
      ? "all \(schedules) schedules of the strategy explored, \(outcome)"
      : "\(schedules) schedules explored, \(distinct) of them distinct, \(outcome); there may be more"
  }
}
