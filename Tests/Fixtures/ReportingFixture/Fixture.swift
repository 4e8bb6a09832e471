import Foundation
import Sleepless
import SleeplessTesting
import Testing
import XCTest

let outside = Reporter(at: CallSite())  // MARK: outside helper

/// Tests that fail on purpose, in a process of their own, so that `ReporterTests` can read what the
/// frameworks print: `ReportingFixture xctest after queue`.
@main struct Fixture {
  // Not async, and so no task: as in the program that SwiftPM makes of a package's tests, what a
  // synchronous XCTest test starts is started by no task.
  static func main() {
    if FixtureScenario.current.scenario == "exiting" {
      // Registered before any reporter, hence run after the handler that reporters register.
      atexit { Leftover.shared.fail() }
    }
    switch CommandLine.arguments.dropFirst().first {
    case "xctest": runXCTest()
    // The second is all that the child process of an exit test is given.
    case "swift-testing", "--testing-library": run { await Testing.__swiftPMEntryPoint() as CInt }
    case "plain": outside.fail("nobody runs tests here")
    case "waiting":
      run {
        await TestClock().waitForSleepers()  // MARK: waiting
        return 0
      }
    default:
      fatalError("usage: ReportingFixture xctest|swift-testing|plain|waiting scenario context")
    }
  }

  private static func runXCTest() {
    #if os(Linux)
      let status: CInt = XCTMain(
        FixtureScenario.current.testCases, arguments: [CommandLine.arguments[0]], observers: nil)
      switch FixtureScenario.current.scenario {
      case "outside-finished": outside.fail("the global failed")
      case MatrixMoment.afterEnd.rawValue: Stray.failAllHere()
      default: break
      }
      exit(status)
    #endif
  }

  /// Runs a body and ends the process with its status.
  private static func run(_ body: @escaping @Sendable () async -> CInt) {
    Task { exit(await body()) }
    dispatchMain()
  }
}
