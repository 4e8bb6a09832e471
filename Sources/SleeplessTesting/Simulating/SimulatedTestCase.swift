import Foundation
import Sleepless
import SleeplessSimulation
import XCTest

#if os(Linux)
  /// A test case whose tests run under virtual time, each in a simulation of its own.
  ///
  /// Tests need no change, synchronous or not. What an asynchronous test awaits happens in the
  /// simulation. A synchronous test starts work and calls `settle()`, which runs it:
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
  /// `setUp` and `tearDown` are inside as well. Everything runs on the main thread, the main actor's
  /// jobs and others; assertions about isolation hold all the same. When a test has ended, what can
  /// run at that instant runs; what is left fails the test, is cancelled and runs to its end.
  ///
  /// XCTest on Linux stops at a synchronous test that is `@MainActor`: make it async, or wrap its body in
  /// `MainActor.assumeIsolated`. An asynchronous test that comes to a standstill and ignores its
  /// cancellation ends the process after its failure, since XCTest would wait for it for ever.
  ///
  /// Linux only: elsewhere tasks made with `Task {}` cannot be captured; wrap the test's code in
  /// `simulate` there.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  open class SimulatedTestCase: XCTestCase {
    /// How the tests are simulated. Override it to change that; failures that belong to no other line
    /// appear at the line where the settings are made.
    open var simulationSettings: SimulationSettings { SimulationSettings() }

    /// Runs one test, with its `setUp` and `tearDown`, in a simulation.
    override open func invokeTest() {
      let settings = simulationSettings
      let reporter = Reporter(at: settings.site)
      let end = StandstillEnd()
      let simulation = HostedSimulation(settings.options) { report in
        for problem in SimulationProblem.all(in: report, settings) { reporter.report(problem) }
        end.isReported.withLock { $0 = true }
        if !report.tasksIgnoringCancellation.isEmpty { end.leaveProcess() }
      }
      guard let simulation else {
        reporter.fail(SimulationProblem.notCaptured)
        return super.invokeTest()
      }
      simulation.enter()
      super.invokeTest()
      let report = simulation.finish()
      simulation.leave()
      guard !end.isReported.withLock({ $0 }) else { return }
      for problem in SimulationProblem.all(in: report, settings) { reporter.report(problem) }
    }
  }

  /// What is done when XCTest waits for a test that will never end.
  private final class StandstillEnd: Sendable {
    let isReported = Locked(false)

    /// XCTest waits for a month, and nothing can make it stop: the process ends instead.
    func leaveProcess() {
      let text = """
        Sleepless: XCTest waits for a test that cannot end. The process exits; later tests do not run.

        """
      FileHandle.standardError.write(Data(text.utf8))
      fflush(nil)
      exit(EXIT_FAILURE)
    }
  }
#endif
