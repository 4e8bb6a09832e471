import Foundation
import RetainGraph
import Sleepless
import SleeplessSimulation
import XCTest

/// A test case whose tests run under virtual time, each in a simulation of its own.
///
/// Tests need no change. An asynchronous test runs in the simulation with everything that it awaits. A
/// synchronous test starts work and calls `settle()`, which runs it:
///
/// ```swift
/// final class BannerTests: SimulatedTestCase {
///   func testABannerGoesAfterThreeSeconds() {
///     let banner = Banner()
///     banner.show("Saved")
///     XCTAssertEqual(banner.text, "Saved")
///     settle()
///     XCTAssertNil(banner.text)
///   }
/// }
/// ```
///
/// `setUp` and `tearDown` are simulated as well. While the test runs, jobs of the main actor and blocks on the
/// main queue run on the main thread, and other jobs on other threads; one runs at a time. When a test has
/// ended, the jobs that can run at that instant run. Tasks left over fail the test at the line of its
/// function, are cancelled and run to their ends.
///
/// XCTest's waits for expectations take virtual time, and so do dispatch queues, operation queues, timers, run
/// loops, sleeps of threads and waits for semaphores and groups (see <doc:SimulatedTests>). The test's own code
/// may wait for them, on the main thread: the simulation runs meanwhile.
///
/// A test that cannot go on fails at the line where it is suspended, or at the line of its `settle()` or
/// `wait(for:)`. Then all tasks are cancelled and run to their ends; a task that ignores its cancellation
/// never runs again. The rest of the test, at least its `tearDown`, runs in a new simulation, whose time
/// begins at zero. Then the next test runs. If a job keeps its thread for as long as the hang timeout, by a lock
/// or an endless loop, the test fails, but XCTest cannot go on before the job returns.
///
/// XCTest on Linux stops at a synchronous test that is `@MainActor`: make it async, or wrap its body
/// in `MainActor.assumeIsolated`.
///
/// It simulates on Linux only: elsewhere tasks made with `Task {}` cannot be captured. There each test
/// fails with a text that says so, and does not run; wrap the test's code in `simulate`.
open class SimulatedTestCase: XCTestCase {
  /// The settings of the simulations; override it to change them. A failure appears at their line if the
  /// line of the test's function is unknown.
  ///
  /// ```swift
  /// final class PollerTests: SimulatedTestCase {
  ///   override var simulationSettings: SimulationSettings {
  ///     SimulationSettings(allowing: .sleepingTasks)
  ///   }
  ///
  ///   func testAPollerMayGoOn() {
  ///     Task { while true { try await Task.sleep(for: .seconds(60)) } }
  ///   }
  /// }
  /// ```
  open var simulationSettings: SimulationSettings { SimulationSettings() }

  /// Whether the test could not go on and was cancelled.
  private let isGivenUp = Locked(false)

  /// Runs one test, with its `setUp` and `tearDown`, in a simulation.
  override open func invokeTest() {
    let settings = simulationSettings
    let reporter = Reporter(at: settings.site)
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), CaptureKind.best.isWholeProcess
    else {
      let text = SimulationProblem.notCaptured("SimulatedTestCase", insteadWrapIn: "simulate")
      return reporter.fail(text, at: line)
    }
    simulate(settings.options, settings, reporter)
  }

  /// Runs the test in a simulation, and reports its problems.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  final func simulate(
    _ options: Simulation.Options, _ settings: SimulationSettings, _ reporter: Reporter
  ) {
    let report = simulate(options, reporter) { [name, type = Self.self] end in
      let line = end.line ?? type.line(ofTest: name)
      for problem in SimulationProblem.all(in: end.report, settings) {
        reporter.report(problem, at: line)
      }
    }
    let problems = SimulationProblem.all(in: report, settings, hasFailed: reporter.hasTestFailed)
    guard !problems.isEmpty else { return }
    let line = line
    for problem in problems { reporter.report(problem, at: line) }
  }

  /// Runs the test in a simulation. The process must be captured. `onBlocked` is called on another thread before
  /// a failure that cannot wait: a job keeps the main thread, and may never return.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  final func simulate(
    _ options: Simulation.Options, _ reporter: Reporter,
    onBlocked: @escaping @Sendable (Simulation.Report) -> Void = { _ in },
    onGivenUp: @escaping @Sendable (HostedSimulation.GivenUp) -> Void
  ) -> Simulation.Report {
    let framework = HostedSimulation.Framework(
      waitsOn: XCTestExpectation.self, readMemory: RetainGraph.readMemory,
      stopWaiting: stopWaiting,
      onBlocked: { [name, type = Self.self, isGivenUp] report in
        isGivenUp.withLock { $0 = true }
        onBlocked(report)
        let text = SimulationProblem.mainThreadBlocked(report, options)
        reporter.fail(text, at: type.line(ofTest: name))
      }
    ) { [isGivenUp] end in
      isGivenUp.withLock { $0 = true }
      onGivenUp(end)
    }
    let simulation = HostedSimulation(options, framework: framework)!
    simulation.enter()
    super.invokeTest()
    let report = simulation.finish()
    simulation.leave()
    return report
  }

  /// The line where the test's function is declared, for failures that belong to no other line. Nil where the
  /// program has no debug information, and on systems other than Linux.
  final var line: SourceLine? { Self.line(ofTest: name) }

  private static func line(ofTest name: String) -> SourceLine? {
    name.split(separator: ".").last.flatMap { SourceLine.ofMethod(String($0), in: self) }
  }

  // On Apple's systems no test is cancelled, and XCTest records issues instead.
  #if !canImport(Darwin) && !SLEEPLESS_AS_ON_APPLE
    /// Records a failure, except the error of a test that was cancelled because it could not go on.
    override open func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      if isConsequence(description, expected: expected) { return }
      super.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
    }

    /// Whether a failure is the error of a test that was cancelled because it could not go on.
    final func isConsequence(_ description: String, expected: Bool) -> Bool {
      !expected && description.contains("CancellationError") && isGivenUp.withLock { $0 }
    }
  #endif
}

/// Ends XCTest's wait for the task of an asynchronous test that will never end.
private func stopWaiting(on object: AnyObject) {
  (object as? XCTestExpectation)?.fulfill()
}
