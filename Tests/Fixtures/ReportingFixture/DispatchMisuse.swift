import Dispatch
import Foundation
import SleeplessTesting
import Testing
import XCTest

/// Misuse of Dispatch that stops the process without a simulation, too.
enum Misuse: String {
  case leavesAGroupTooOften, releasesASemaphoreInUse, callsDispatchMain

  /// The one that this run of the fixture shows.
  static var current: Misuse? { Misuse(rawValue: FixtureScenario.current.scenario) }

  /// Writes at once: a process that is stopped loses what it has not written.
  static func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

  func commit() {
    switch self {
    case .leavesAGroupTooOften:
      let group = DispatchGroup()
      group.enter()
      group.leave()
      group.leave()
    case .releasesASemaphoreInUse: DispatchSemaphore(value: 1).wait()
    case .callsDispatchMain: dispatchMain()
    }
  }
}

/// In explored tests, which name the schedule.
@Suite struct DispatchMisuse {
  @Test(.explored(schedules: 10)) func leavesAGroupTooOften() async {
    guard isWanted else { return }
    let group = DispatchGroup()
    // When the block has run, the queue leaves the group as well.
    DispatchQueue.global().async(group: group) { group.leave() }
    await settle()
  }

  @Test(.explored(schedules: 10)) func releasesASemaphoreInUse() async {
    guard isWanted else { return }
    DispatchQueue.global().async { Misuse.releasesASemaphoreInUse.commit() }
    await settle()
  }

  @Test(.explored(schedules: 10)) func callsDispatchMain() async {
    guard isWanted else { return }
    DispatchQueue.global().async { Misuse.callsDispatchMain.commit() }
    await settle()
  }

  private var isWanted: Bool { FixtureScenario.current.scenario == "misuse" }
}

/// In a simulated test, from the place that the scenario names.
@Suite struct SimulatedDispatchMisuse {
  @Test(.simulated) func misusesDispatch() async {
    guard let misuse = Misuse.current else { return }
    Misuse.note("misuses Dispatch")
    await FixtureScenario.Context.current.run { misuse.commit() }
    Misuse.note("went on")
  }
}

#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  class DispatchMisuseTests: SimulatedTestCase {
    func testMisusesDispatch() async {
      Misuse.note("misuses Dispatch")
      await FixtureScenario.Context.current.run { Misuse.current?.commit() }
      Misuse.note("went on")
    }

    static var cells: [XCTestCaseEntry] {
      [testCase([("testMisusesDispatch", asyncTest(testMisusesDispatch))])]
    }
  }
#endif
