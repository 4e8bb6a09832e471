import Sleepless
import SleeplessSimulation
import Testing
import XCTest

/// An exploration of one test by the trait or the function: runs one schedule after another and catches
/// its failures, and then runs the failing one once more, so that its failures are seen.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class ExploredRun: Sendable {
  let explorer: Explorer
  private let plan: ExplorationPlan
  private let settings: ExplorationSettings
  private let failures = CaughtFailures()
  let detached = DetachedTasks()
  private let notes = Locked(Notes())
  /// The real time at which the exploration began.
  private let start: Duration

  private struct Notes {
    /// The failures of the first failing schedule, in the framework's words, and the problem at its end. A schedule that
    /// threw an error may have neither.
    var firstFailed: (failures: [CaughtFailure], problem: SimulationProblem?)?
    /// The first problem at the end of any schedule, and the warnings of that schedule.
    var problem: SimulationProblem?
    var warningsWithProblem: [SimulationProblem] = []
    /// The first warning of any schedule.
    var warning: SimulationProblem?
    /// Whether each schedule had a warning.
    var isWarningOfAll = true
    var stop: (any Error)?
  }

  init(_ plan: ExplorationPlan, _ settings: ExplorationSettings) {
    self.plan = plan
    self.settings = settings
    var plan = plan
    plan.options = detached.options(plan.options)
    explorer = Explorer(plan)
    start = settings.progressLine?.now() ?? .zero
  }

  typealias Judge = @Sendable (Simulation.Outcome<Void>) -> Verdict

  /// Explores; `series` runs the schedules. Throws the error by which the test skips itself, if it does.
  func explore(_ series: @Sendable (@escaping Judge) async -> Void) async throws {
    await failures.catching {
      detached.inheritFromHere()
      await series(judge)
      detached.stop()
    }
    settings.progressLine?.clear()
    if let stop = notes.withLock({ $0.stop }) { throw stop }
  }

  /// Explores a test of an XCTest case on this thread; `run` runs one schedule. Returns whether the test has
  /// skipped itself.
  func exploreHere(
    _ run: (Simulation.Options, CaughtFailures) -> Simulation.Outcome<Void>
  ) -> Bool {
    var outcome: Simulation.Outcome<Void>?
    while let options = explorer.next(after: outcome, judge) { outcome = run(options, failures) }
    settings.progressLine?.clear()
    return notes.withLock { $0.stop != nil }
  }

  /// Runs the body of one schedule, and then the checks at the end of it.
  static func schedule(
    _ detached: DetachedTasks, _ body: () async throws -> Void
  ) async throws {
    let end = EndOfTest()
    detached.begin(end)
    try await EndOfTest.$current.withValue(end) {
      do {
        try await body()
      } catch {
        end.noteFailure()
        await end.finish()
        throw error
      }
      await end.finish()
    }
  }

  private func judge(_ outcome: Simulation.Outcome<Void>) -> Verdict {
    let problems = SimulationProblem.all(in: outcome.report, settings.simulation)
    let problem = problems.first { $0.severity == .failure }
    settings.progressLine?.show(explorer.progress, of: plan.name, since: start)
    let caught = failures.take()
    if explorer.isLatestDiscarded, !outcome.report.preventsNextSchedule { return .passed }
    notes.withLock { notes in
      let warnings = problems.filter { $0.severity == .warning }
      if notes.firstFailed == nil, problem != nil || !caught.isEmpty || outcome.hasThrown {
        notes.firstFailed = (caught, problem)
      }
      if notes.problem == nil, let problem {
        (notes.problem, notes.warningsWithProblem) = (problem, warnings)
      }
      notes.warning = notes.warning ?? warnings.first
      if warnings.isEmpty { notes.isWarningOfAll = false }
    }
    if let first = caught.first {
      return .failed(FailureCause(cause: first.cause, key: first.cause, text: first.text))
    }
    if case .failure(let error) = outcome.result {
      if error.isSkip || Task.isCancelled {
        notes.withLock { $0.stop = error }
        return .stop
      }
      return .failed(
        FailureCause(
          cause: "the error \"\(error)\" was thrown", key: "\(type(of: error)): \(error)"))
    }
    guard problem != nil else { return .passed }
    let cause = outcome.report.cause
    return .failed(FailureCause(cause: cause, key: cause))
  }

  /// The failures and warnings of the exploration, after the last run.
  func texts(for face: ExplorationFace) -> [SimulationProblem] {
    let result = explorer.result
    if let explorationError = explorer.explorationError {
      let (failures, problem) = notes.withLock { $0.firstFailed } ?? ([], nil)
      return [SimulationProblem(text: explorationError.text(failed: failures, problem))]
    }
    if let failure = result.failure {
      var texts = [SimulationProblem(text: failure.text(result, for: face, explorer.mismatch))]
      // It could not be run again, so its problem is reported here.
      let notes = notes.withLock { $0 }
      if failure.shrunk.steps.isEmpty, let problem = notes.problem {
        texts.insert(contentsOf: [problem] + notes.warningsWithProblem, at: 0)
      }
      return texts
    }
    if let mismatch = explorer.mismatch { return [SimulationProblem(text: mismatch.text)] }
    let (warning, isOfAll) = notes.withLock { ($0.warning, $0.isWarningOfAll) }
    guard var warning else { return [] }
    if result.run > 1 {
      let schedules = "\(result.run) schedules that were explored"
      warning.text +=
        isOfAll
        ? "\nThe same holds for all \(schedules)." : "\nIt holds for some of the \(schedules)."
    }
    return [warning]
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension ExploredRun {
  /// Attaches the failing schedule, if there is one, to the running Swift Testing test.
  func attachSchedule(for face: ExplorationFace, at place: SourceLocation) {
    let result = explorer.result
    guard let failure = result.failure, explorer.explorationError == nil, let test = Test.current
    else {
      return
    }
    let report = failure.text(result, for: face, explorer.mismatch)
    failure.attach(report, title: test.displayName ?? test.name, at: place)
  }
}

extension Error {
  /// Whether the error skips or cancels the test.
  var isSkip: Bool {
    self is XCTSkip || "\(type(of: self))" == "SkipInfo"
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Report {
  /// The cause of the failure in a few words.
  fileprivate var cause: String {
    switch ending {
    case .finished:
      externalResumptionCount > 0
        ? "something left over, or an external resumption" : "something left over"
    case .deadlock: "a deadlock"
    case .tooManySteps: "the limit of steps"
    case .tooLate: "the limit of virtual time"
    case .givenUp: "a helper that failed again and again"
    case .tooManyBlockedThreads: "too many blocked threads"
    case .threadBlocked, .mainActorBlocked: "a blocked thread"
    case .nested: "a simulation within a simulation"
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Outcome {
  /// Whether the body threw an error that is no skip.
  fileprivate var hasThrown: Bool {
    if case .failure(let error) = result { !error.isSkip } else { false }
  }
}
