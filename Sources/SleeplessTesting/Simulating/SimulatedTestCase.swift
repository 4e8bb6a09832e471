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
/// `setUp` and `tearDown` are simulated as well. All jobs run on the main thread, and assertions about
/// isolation still hold. When a test has ended, the jobs that can run at that instant run. Tasks left
/// over fail the test, are cancelled and run to their ends.
///
/// A test that cannot go on fails at the line where it is suspended, or at the line of its `settle()`.
/// Then all tasks are cancelled and run to their ends; a task that ignores its cancellation never runs
/// again. The rest of the test, at least its `tearDown`, runs in a new simulation, whose time begins at
/// zero. Then the next test runs.
///
/// XCTest on Linux stops at a synchronous test that is `@MainActor`: make it async, or wrap its body
/// in `MainActor.assumeIsolated`.
///
/// It simulates on Linux only: elsewhere tasks made with `Task {}` cannot be captured. There each test
/// fails with a text that says so, and does not run; wrap the test's code in `simulate`.
open class SimulatedTestCase: XCTestCase {
  /// The settings of the simulations; override it to change them. A failure that belongs to no other
  /// line appears at the line where the settings are made.
  open var simulationSettings: SimulationSettings { SimulationSettings() }

  /// Whether the test could not go on and was cancelled.
  private let isGivenUp = Locked(false)

  /// Runs one test, with its `setUp` and `tearDown`, in a simulation.
  override open func invokeTest() {
    let settings = simulationSettings
    let reporter = Reporter(at: settings.site)
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *),
      let simulation = simulation(settings, reporter)
    else {
      return reporter.fail(SimulationProblem.notCaptured())
    }
    simulation.enter()
    super.invokeTest()
    let report = simulation.finish()
    simulation.leave()
    for problem in SimulationProblem.all(in: report, settings) { reporter.report(problem) }
  }

  /// The simulation of one test; nil where the process's tasks cannot be captured.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  private func simulation(
    _ settings: SimulationSettings, _ reporter: Reporter
  ) -> HostedSimulation? {
    let framework = HostedSimulation.Framework(
      waitsOn: XCTestExpectation.self, readMemory: RetainGraph.readMemory,
      stopWaiting: stopWaiting
    ) { [isGivenUp] end in
      isGivenUp.withLock { $0 = true }
      for problem in SimulationProblem.all(in: end.report, settings) {
        reporter.report(problem, at: end.line)
      }
    }
    return HostedSimulation(settings.options, framework: framework)
  }

  // On Apple's systems no test is cancelled, and XCTest records issues instead.
  #if !canImport(Darwin) && !SLEEPLESS_AS_ON_APPLE
    /// Records a failure, except the error of a test that was cancelled because it could not go on.
    override open func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      let isConsequence = !expected && description.contains("CancellationError")
      if isConsequence, isGivenUp.withLock({ $0 }) { return }
      super.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
    }
  #endif
}

/// Ends XCTest's wait for the task of an asynchronous test that will never end.
private func stopWaiting(on object: AnyObject) {
  (object as? XCTestExpectation)?.fulfill()
}
