import Sleepless
import SleeplessSimulation

/// Runs code and everything it starts under virtual time, one job at a time, and returns its value.
///
/// Nothing has to be injected: `Task {}`, `Task.sleep`, `async let`, actors and `@MainActor` are
/// captured. "What a simulation captures" in SleeplessSimulation says what is captured where, and
/// <doc:SimulatedTests> what a simulation promises. Time jumps to the next deadline when nothing can run, so an
/// hour of sleeping costs microseconds; the order is the same each time.
///
/// ```swift
/// try await simulate {
///   let heart = Heart()
///   let beating = Task { try await heart.beat(every: .seconds(60)) }
///   try await Task.sleep(for: .seconds(3601))
///   #expect(await heart.beats == 60)
///   beating.cancel()
/// }
/// ```
///
/// The body inherits the caller's task-local values and isolation. The test fails, at this line, when
/// nothing can run any more and the body has not ended, when a limit is reached, and when the body
/// leaves unfinished tasks behind, unless these are allowed or in the background. At the end all tasks
/// are cancelled and run to their ends. If there is no value to return, the call throws an error that
/// ends the test without a second failure.
/// - Parameters:
///   - time: What moves virtual time: the simulation, or the test with `Simulation.advance(by:)`.
///   - order: Which of several jobs that can run goes first.
///   - dispatch: Where the blocks run that the code gives to queues of Dispatch.
///   - stepLimit: How many jobs and moves of time may be run.
///   - timeLimit: How far virtual time may go.
///   - allowing: What may be left over when the body has ended.
///   - externalResumptions: What to do about tasks that something outside resumes.
///   - checksDeterminism: Whether the body is run twice, from the start. The test fails if the two runs
///     take different steps, as when they depend on the order of a `Set`, `Date()`, `UUID()` or random
///     numbers.
///   - isolation: Where the caller is isolated.
///   - fileID: The caller's file, for failures.
///   - filePath: The caller's path, for failures.
///   - line: The caller's line, for failures.
///   - column: The caller's column, for failures.
///   - body: What to run.
/// - Returns: What the body returns.
/// - Throws: What the body throws, or an error that stands for a failure already reported.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
@discardableResult
public func simulate<Value>(
  time: Simulation.Options.Time = .automatic, order: Simulation.Options.Order = .firstCome,
  dispatch: Simulation.Options.Dispatch = .inside, stepLimit: Int = 1_000_000,
  timeLimit: Duration? = nil, allowing: Leftovers = [],
  externalResumptions: ExternalResumptionMode = .ignored, checksDeterminism: Bool = false,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ body: @escaping () async throws -> Value
) async throws -> Value {
  var settings = SimulationSettings(
    time: time, order: order, dispatch: dispatch, stepLimit: stepLimit, timeLimit: timeLimit,
    allowing: allowing, externalResumptions: externalResumptions, fileID: fileID,
    filePath: filePath, line: line, column: column)
  settings.checksDeterminism = checksDeterminism
  let reporter = Reporter(at: settings.site)
  let runs = DeterminismCheck(settings)
  runs.detached.inheritFromHere()
  defer { runs.detached.stop() }
  var outcome = await Simulation.run(runs.options, body)
  if case .nested = outcome.report.ending {
    reporter.fail(SimulationProblem.nested)
    return try await body()
  }
  if let again = runs.again(after: outcome.report) { outcome = await Simulation.run(again, body) }
  let hasFailed = reporter.hasTestFailed || outcome.hasThrown
  for problem in runs.problems(in: outcome.report, hasFailed: hasFailed) {
    reporter.report(problem)
  }
  guard let result = outcome.result, !outcome.isCutShort else { throw reporter.reportedError }
  return try result.get()
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Outcome {
  fileprivate var hasThrown: Bool { if case .failure = result { true } else { false } }

  /// Whether the body ended because the simulation cancelled it, which has been reported.
  var isCutShort: Bool {
    if case .finished = report.ending { return false }
    guard case .failure(let error) = result else { return false }
    return error is CancellationError
  }
}

extension Reporter {
  /// Reports a problem at a line that was found at run time, or at the reporter's own line.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  func report(_ problem: SimulationProblem, at line: SourceLine? = nil) {
    let message = problem.message()
    switch problem.severity {
    case .failure where problem.isLeftover: tellLeftover(message, at: line)
    case .failure: fail(message, at: line)
    case .warning: warn(message, at: line)
    }
  }
}
