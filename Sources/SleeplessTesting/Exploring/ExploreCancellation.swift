import Sleepless
import SleeplessSimulation
import Testing

/// Runs code again and again in virtual time, cancelled at its first suspension, its second, and so on.
///
/// The first run is not cancelled. Each run must end: cancelled code that waits for a
/// continuation that is never resumed, or for a task that is gone, is a deadlock. A run must leave no
/// tasks behind, and release the objects given to `expectRelease(of:)`. The errors of cancelled runs do
/// not matter.
///
/// ```swift
/// try await exploreCancellation {
///   let upload = Simulation.expectRelease(of: Upload())
///   try await upload.send("a photo")
/// }
/// ```
///
/// The failures of the first failing run appear at their own lines. Failures without a line appear at
/// this line, with the suspension and the text that runs just this one again. Linux only: elsewhere
/// tasks cannot be followed, and it fails.
/// - Parameters:
///   - limit: The most suspensions at which to cancel. It warns if the body has more.
///   - suspension: The number of the one suspension at which to cancel, counted from 1, from a failure. A body that
///     ends before it fails.
///   - stepLimit: How many jobs and moves of time a run may take.
///   - timeLimit: How far virtual time may go.
///   - allowing: What may be left over when the body has ended.
///   - isolation: The caller's isolation.
///   - fileID: The caller's file, for failures.
///   - filePath: The caller's path, for failures.
///   - line: The caller's line, for failures.
///   - column: The caller's column, for failures.
///   - body: The code to run and cancel.
/// - Returns: The number of suspensions at which it was cancelled.
/// - Throws: The error that the body throws without a cancellation.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
@discardableResult
public func exploreCancellation(
  limit: Int = 1_000, at suspension: Int? = nil, stepLimit: Int = 100_000,
  timeLimit: Duration? = nil, allowing: Leftovers = [],
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ body: @escaping () async throws -> Void
) async throws -> Int {
  let settings = SimulationSettings(
    stepLimit: stepLimit, timeLimit: timeLimit, allowing: allowing,
    fileID: fileID, filePath: filePath, line: line, column: column)
  let reporter = Reporter(at: settings.site)
  if let misuse = misuse(limit, suspension) {
    reporter.fail(misuse)
    throw reporter.reportedError
  }
  let detached = DetachedTasks()
  defer { detached.stop() }
  let sweep = CancellationSweep(
    detached.options(settings.options), limit: limit, at: suspension)
  let failures = CaughtFailures()
  let error = Locked<(any Error)?>(nil)
  // The run that failed, if no other can run after it.
  let last = Locked<(report: Simulation.Report, failures: [CaughtFailure])?>(nil)
  // Unsafe because one run goes on at a time and the caller waits meanwhile.
  nonisolated(unsafe) let run = { try await ExploredRun.schedule(detached, body) }
  await failures.catching {
    detached.inheritFromHere()
    await sweep.run(run) { outcome in
      let (report, caught) = (outcome.report, failures.take())
      let problems = SimulationProblem.all(in: report, settings)
      var hasPassed = caught.isEmpty && !problems.contains { $0.severity == .failure }
      if case .failure(let thrown) = outcome.result, !sweep.isCancelling {
        error.withLock { $0 = thrown }
        hasPassed = false
      }
      if !hasPassed, report.preventsNextSchedule { last.withLock { $0 = (report, caught) } }
      return hasPassed
    }
  }
  guard let failure = sweep.failure else {
    if let suspension, sweep.cancelled == 0 {
      reporter.fail(tooFewText(sweep.suspensions, suspension))
      throw reporter.reportedError
    }
    if suspension == nil, sweep.suspensions > limit {
      reporter.warn(tooManyText(sweep.suspensions, limit))
    }
    return sweep.cancelled
  }
  let report: Simulation.Report
  if let last = last.withLock({ $0 }) {
    report = last.report
    for caught in last.failures { reporter.fail("\(caught.text)\nAt \(caught.place).") }
  } else {
    detached.inheritFromHere()
    report = await Simulation.run(sweep.finalOptions(), isolation: nil, run).report
  }
  let problems = SimulationProblem.all(in: report, settings, hasFailed: true)
  for problem in problems { reporter.report(problem) }
  if let failure { reporter.fail(failure.text(of: sweep)) }
  if let thrown = error.withLock({ $0 }) { throw thrown }
  throw reporter.reportedError
}

private func tooFewText(_ suspensions: Int, _ suspension: Int) -> String {
  """
  The body ended after \(suspensions) \(suspensions == 1 ? "suspension" : "suspensions"), before suspension \
  \(suspension). It was not cancelled.
  The code has changed since the failure. Leave out at: to cancel it at each suspension.
  """
}

private func tooManyText(_ suspensions: Int, _ limit: Int) -> String {
  """
  The body has \(suspensions) suspensions, and was cancelled at the first \(limit) only.
  To cancel it at each, give limit: \(suspensions).
  """
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private func misuse(_ limit: Int, _ suspension: Int?) -> String? {
  if limit < 1 {
    return """
      limit must be 1 or more (was \(limit)). Nothing was run.
      It limits the number of suspensions at which the body is cancelled.
      """
  }
  if let suspension, suspension < 1 {
    return """
      at must be 1 or more (was \(suspension)). Nothing was run.
      It is the number of the suspension at which the body is cancelled; the first is 1.
      """
  }
  if Simulation.current != nil {
    return """
      exploreCancellation was called inside a simulation. Nothing was run.
      It makes one simulation after another itself; remove the trait .simulated or .explored of the \
      test.
      """
  }
  if !CaptureKind.best.isWholeProcess {
    return """
      exploreCancellation cannot follow tasks here: this process's tasks cannot be captured. Nothing \
      was run.
      \(MissingCapture.explain())
      Cancel the task in the test, at the points that matter.
      """
  }
  return nil
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension CancellationSweep.Place {
  fileprivate func text(of sweep: CancellationSweep) -> String {
    let frames = body?.codeFrames ?? []
    let place = frames.isEmpty ? "" : ", in \(frames.path)"
    // The functions come last in the line, as in every list of tasks.
    let count = sweep.suspensions == 0 ? "" : " of \(sweep.suspensions)"
    return """
      The body was cancelled at suspension \(suspension)\(count). To replay it: \
      exploreCancellation(at: \(suspension)) { ... }
        it was suspended\(place)
      Cancelled code must come to an end: resume each continuation in a cancellation handler, and \
      cancel or await the tasks that it has started.
      """
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// Fails the test if something still holds the object when the body has ended; returns the object.
  ///
  /// In an exploration it checks at the end of each schedule.
  ///
  /// ```swift
  /// let exploration = try await explore(schedules: 20) {
  ///   let upload = Simulation.expectRelease(of: Upload())
  ///   async let sent: Void = upload.send("a photo")
  ///   await sent
  /// }
  /// #expect(exploration.failed == 0)  // a task that kept the upload would fail a schedule
  /// ```
  public static func expectRelease<Object: AnyObject & Sendable>(
    of object: Object,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> Object {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    guard require("Simulation.expectRelease(of:)", at: site) != nil else { return object }
    let reporter = Reporter(at: site)
    let watched = Locked(Watched(object: object))
    reporter.atEndOfTest {
      guard let object = watched.withLock({ $0.object }) else { return }
      reporter.fail(
        """
        A \(type(of: object)) is still held when the body has ended.
        Usually a task, a closure or a continuation holds it. End the task or release the object before \
        the body ends.
        """)
    }
    return object
  }

  private struct Watched {
    weak var object: (any AnyObject & Sendable)?
  }
}
