import Sleepless
import SleeplessSimulation
import XCTest

/// A test case whose tests are explored: each runs under many schedules, in virtual time.
///
/// Each schedule runs on a new instance of the test case, with its `setUp` and `tearDown`, so stored properties
/// begin afresh. Tests need no change, synchronous or asynchronous, as in a ``SimulatedTestCase``:
///
/// ```swift
/// final class PurseTests: ExploredTestCase {
///   private let purse = Purse(content: 100)
///
///   func testTwoRentsAreNotPaidFromOnePurse() async {
///     let purse = purse
///     async let first: Void = purse.pay(80)
///     async let second: Void = purse.pay(80)
///     _ = await (first, second)
///     let content = await purse.content
///     XCTAssertGreaterThanOrEqual(content, 0)
///   }
/// }
/// ```
///
/// The exploration stops at the first schedule that fails. That schedule's failures appear at their own lines,
/// failures without a line at the line of the test's function. The text that replays just this schedule follows
/// (see <doc:ExploringSchedules>). A test that skips itself is skipped.
///
/// An expectation that a test creates and does not wait for fails no schedule.
///
/// It explores on Linux only: elsewhere tasks made with `Task {}` cannot be captured. There each test fails with a
/// text that says so, and does not run; wrap the test's code in `explore`.
open class ExploredTestCase: SimulatedTestCase {
  /// The settings of the explorations; override it to change them.
  ///
  /// A replay string belongs to one test. The other tests of the case are explored as usual.
  ///
  /// ```swift
  /// override var explorationSettings: ExplorationSettings {
  ///   ExplorationSettings(schedules: 50)  // instead of a thousand, for each test of the case
  /// }
  /// ```
  open var explorationSettings: ExplorationSettings { ExplorationSettings() }

  /// The settings of each schedule, with the same defaults as `.explored`; override it to change them. The order
  /// of steps in it has no effect.
  override open var simulationSettings: SimulationSettings {
    SimulationSettings(stepLimit: 100_000, externalResumptions: .warned)
  }

  #if canImport(Darwin) || SLEEPLESS_AS_ON_APPLE
    /// Fails the test: it cannot be explored here.
    override open func invokeTest() {
      Reporter(at: simulationSettings.site).fail(Self.notCaptured)
    }
  #else
    /// Where the failures of schedules go; nil while failures are those of the test.
    private let caught = Locked<CaughtFailures?>(nil)
    private let shortName: String
    private let function: (XCTestCase) throws -> Void

    /// Makes an instance for one test, as XCTest does.
    public required init(name: String, testClosure: @escaping (XCTestCase) throws -> Void) {
      shortName = name
      function = testClosure
      super.init(name: name, testClosure: testClosure)
    }

    /// Runs one test under one schedule after another.
    override open func invokeTest() {
      let reporter = Reporter(at: simulationSettings.site)
      guard CaptureKind.best.isWholeProcess else {
        return reporter.fail(Self.notCaptured, at: line)
      }
      var settings = explorationSettings
      settings.simulation = simulationSettings
      do {
        let test = "\(String(reflecting: Self.self)).\(shortName)"
        let plan = try settings.plan(for: test, .process, areShared: true)
        explore(plan, settings, reporter)
      } catch {
        reporter.fail(error.text, at: line)
      }
    }

    private func explore(
      _ plan: ExplorationPlan, _ settings: ExplorationSettings, _ reporter: Reporter
    ) {
      for string in Explorer.crashes(of: plan) {
        let text = ExplorationFailure.crash(string, for: .testCase)
        reporter.report(SimulationProblem(severity: .warning, text: text), at: line)
      }
      let run = ExploredRun(plan, settings)
      let isSkipped = run.exploreHere { options, failures in
        runSchedule(options, failures, reporter)
      }
      if isSkipped {
        // XCTest counts a skip only in the instance that it has made.
        return simulate(plan.options, settings.simulation, reporter)
      }
      if let options = run.explorer.finalOptions() {
        simulate(options, settings.simulation, reporter)
        run.explorer.finishFinal()
      }
      let texts = run.texts(for: .testCase)
      guard !texts.isEmpty else { return }
      let line = line
      for text in texts { reporter.report(text, at: line) }
    }

    /// Runs one schedule on a new instance.
    private func runSchedule(
      _ options: Simulation.Options, _ failures: CaughtFailures, _ reporter: Reporter
    ) -> Simulation.Outcome<Void> {
      let test = Self(name: shortName, testClosure: function)
      // XCTest's assertions fail the instance that it has made, errors and expectations the new one.
      for instance in [self, test] { instance.caught.withLock { $0 = failures } }
      defer { caught.withLock { $0 = nil } }
      let end = EndOfTest()
      // Teardown blocks run in reverse order, so this one runs last.
      test.addTeardownBlock { end.finishHere() }
      let givenUp = Locked<Simulation.Report?>(nil)
      let report = EndOfTest.$current.withValue(end) {
        test.simulate(options, reporter) { [caught] report in
          caught.withLock { $0 = nil }
          givenUp.withLock { $0 = $0 ?? report }
        } onGivenUp: { end in
          givenUp.withLock { $0 = $0 ?? end.report }
        }
      }
      let result = test.errorOfSkip.map { Result<Void, any Error>.failure($0) } ?? .success(())
      return Simulation.Outcome(result: result, report: givenUp.withLock { $0 } ?? report)
    }

    /// Records a failure, or catches it if it is one of a schedule.
    override open func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      guard let failures = caught.withLock({ $0 }) else {
        return super.recordFailure(
          withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      }
      guard !isConsequence(description, expected: expected) else { return }
      failures.append(
        CaughtFailure(text: description, file: filePath, line: lineNumber))
    }
  #endif

  private static var notCaptured: String {
    SimulationProblem.notCaptured("ExploredTestCase", insteadWrapIn: "explore")
  }
}

#if !canImport(Darwin) && !SLEEPLESS_AS_ON_APPLE
  extension XCTestCase {
    /// The error by which the test has skipped itself, if it has. XCTest keeps it in a private property, and tells
    /// only the test's run, which an instance for one schedule does not have.
    fileprivate var errorOfSkip: XCTSkip? {
      sequence(first: Mirror(reflecting: self), next: \.superclassMirror)
        .first { $0.subjectType == XCTestCase.self }?
        .children.first { $0.label == "skip" }?.value as? XCTSkip
    }
  }
#endif
