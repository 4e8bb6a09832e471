// virtual time: everything here runs in simulations
import Foundation
import SleeplessTesting
import TestSupport
import Testing
import XCTest

/// The examples on the pages of simulated tests.
@Suite(.needs(.capture)) struct SimulatingReference {
  @Test(.simulated) func `a test comes to rest`() async {
    let banner = Banner()
    banner.show("Saved")  // for 3 s, in a task
    await settle()
    #expect(banner.text == nil)
    #expect(Simulation.current?.now == .seconds(3))
  }

  @Test(.simulated) func `a timeout takes no real time`() async throws {
    try await Task.sleep(for: .seconds(60))
    #expect(Simulation.current?.now == .seconds(60))
  }

  @Test(.simulated(time: .manual)) func `a banner goes after three seconds`() async {
    let banner = Banner()
    banner.show("Saved")  // for 3 s, in a task
    await Simulation.advance(by: .milliseconds(2_900))
    #expect(banner.text == "Saved")
    await Simulation.advance(by: .milliseconds(100))
    #expect(banner.text == nil)
  }

  @Test(.simulated) func `a scheduler in the simulation's time`() async {
    let ticks = Recorder<Int, Never>("ticks")
    Simulation.scheduler().schedule(after: .seconds(2)) { ticks.record(1) }
    await Simulation.advance(by: .seconds(2))
    ticks.expect(marbles: "2s 1")
  }

  @Test(.simulated) func `a clock in the simulation's time`() async throws {
    let clock = Simulation.clock()
    try await clock.sleep(for: .seconds(60))  // the simulation moves its time
    #expect(clock.now.offset == .seconds(60))
  }

  @Test(.simulated) func `a test moves time`() async {
    let banner = Banner()
    banner.show("Saved")  // for 3 s, in a task
    await Simulation.advance(by: .milliseconds(2_900))
    #expect(banner.text == "Saved")
    await Simulation.advance(by: .milliseconds(100))
    #expect(banner.text == nil)  // what is due at the target has run
  }

  @Test(.simulated) func `a file is read outside the simulation`() async throws {
    let folder = try await Simulation.outside { FileManager.default.currentDirectoryPath }
    #expect(!folder.isEmpty)
    #expect(Simulation.current?.now == .zero)  // no virtual time has passed
  }

  @Test func `settings of simulations`() {
    let settings = SimulationSettings(timeLimit: .seconds(86_400), allowing: .sleepingTasks)
    #expect(settings.options.timeLimit == .seconds(86_400))
  }

  @Test func `leftovers are bits`() {
    let allowed: Leftovers = [.sleepingTasks, .pendingWork]
    #expect(Leftovers(rawValue: allowed.rawValue) == allowed)
    #expect(Leftovers.everything.contains(.suspendedTasks))
  }

  @Test(.checkedAtEnd) func `each state is read`() async {
    let states = Recorder<String, Never>("states")
    states.record("loading")
    await states.expect("loading")  // without this line the test fails
  }
}

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  final class SettlingReferenceTests: SimulatedTestCase {
    func testABannerGoes() {
      let banner = Banner()
      banner.show("Saved")  // for 3 s, in a task
      settle()
      XCTAssertNil(banner.text)
    }

    func testABannerStaysForThreeSeconds() {
      let banner = Banner()
      banner.show("Saved")  // for 3 s, in a task
      Simulation.advance(by: .milliseconds(2_900))
      XCTAssertEqual(banner.text, "Saved")
      Simulation.advance(by: .milliseconds(100))
      XCTAssertNil(banner.text)
    }
  }

  final class PollerTests: SimulatedTestCase {
    override var simulationSettings: SimulationSettings {
      SimulationSettings(allowing: .sleepingTasks)
    }

    func testAPollerMayGoOn() {
      Task { while true { try await Task.sleep(for: .seconds(60)) } }
    }
  }
#endif

/// A message that goes away by itself.
private final class Banner: Sendable {
  private let shown = Locked<String?>(nil)

  var text: String? { shown.withLock { $0 } }

  func show(_ text: String) {
    shown.withLock { $0 = text }
    Task {
      try await Task.sleep(for: .seconds(3))
      shown.withLock { $0 = nil }
    }
  }
}
