import Foundation
import Sleepless
import SleeplessTesting
import Testing
import XCTest

let outside = Reporter(at: CallSite())  // MARK: outside helper

/// Tests that fail on purpose, in a process of their own, so that `ReporterTests` can read what the
/// frameworks print: `ReportingFixture xctest after queue`.
@main struct Fixture {
  static func main() async {
    if Cell.current.scenario == "exiting" {
      // Registered before any reporter, hence run after the handler that reporters register.
      atexit { Leftover.shared.fail() }
    }
    switch CommandLine.arguments.dropFirst().first {
    case "xctest": await runXCTest()
    case "swift-testing": await runSwiftTesting()
    case "plain": outside.fail("nobody runs tests here")
    default: fatalError("usage: ReportingFixture xctest|swift-testing|plain scenario context")
    }
  }

  @MainActor private static func runXCTest() {
    let status: CInt = XCTMain(
      Cell.current.testCases, arguments: [CommandLine.arguments[0]], observers: nil)
    if Cell.current.scenario == "finished" { Leftover.shared.fail() }
    exit(status)
  }

  private static func runSwiftTesting() async {
    let status: CInt = await Testing.__swiftPMEntryPoint()
    exit(status)
  }
}
