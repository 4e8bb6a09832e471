// virtual time: everything here runs in simulations
import Dispatch
import Foundation
import SleeplessTesting
import TestSupport
import XCTest

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  final class SimulatedTestCaseTests: SimulatedTestCase {
    private var wasSetUpInside = false

    override func setUp() async throws {
      try await Task.sleep(for: .seconds(1))
      wasSetUpInside = Simulation.current?.now == .seconds(1)
    }

    func testAnAsynchronousTestRunsInVirtualTime() async throws {
      let start = Simulation.current?.now
      try await Task.sleep(for: .seconds(3600))
      XCTAssertEqual(start, .seconds(1))
      XCTAssertEqual(Simulation.current?.now, .seconds(3601))
      XCTAssertTrue(wasSetUpInside)
    }

    func testASynchronousTestSettles() {
      let log = Log<String>()
      Task {
        try await Task.sleep(for: .seconds(5))
        log.append("woken")
      }
      XCTAssertEqual(log.values, [])
      settle()
      XCTAssertEqual(log.values, ["woken"])
      XCTAssertEqual(Simulation.current?.now, .seconds(6))
    }

    func testASynchronousTestAdvances() {
      let log = Log<Int>()
      let ticking = Task {
        for tick in 1...100 {
          try await Task.sleep(for: .seconds(1))
          log.append(tick)
        }
      }
      Simulation.advance(by: .seconds(3))
      XCTAssertEqual(log.values, [1, 2, 3])
      ticking.cancel()
    }

    func testASynchronousTestThatSleepsMovesTime() {
      let log = Log<String>()
      Task {
        try await Task.sleep(for: .seconds(2))
        log.append("woken at \(Simulation.current!.now)")
      }
      Thread.sleep(forTimeInterval: 3)
      XCTAssertEqual(log.values, ["woken at 3.0 seconds"])
      XCTAssertEqual(Simulation.current?.now, .seconds(4))
    }

    func testTheMainActorRunsWhenTheTestSettles() {
      let log = Log<String>()
      Task { @MainActor in
        MainActor.assertIsolated()
        log.append("main")
        await Task.detached { log.append("detached") }.value
        MainActor.assertIsolated()
        log.append("main again")
      }
      settle()
      XCTAssertEqual(log.values, ["main", "detached", "main again"])
    }

    func testAnObjectThatIsReleasedOnTheMainActorEndsInItsOwnActor() {
      let log = Log<String>()
      Task { @MainActor in
        _ = Leaver(log)
        log.append("main")
      }
      settle()
      XCTAssertEqual(log.values, ["main", "elsewhere, with another run loop"])
    }
  }

  @globalActor private actor Storage {
    static let shared = Storage()
  }

  /// Notes the thread on which it ends. The runtime enqueues an isolated deinitializer in the actor, past the hooks.
  @Storage private final class Leaver {
    private let log: Log<String>

    nonisolated init(_ log: Log<String>) { self.log = log }

    isolated deinit {
      let runLoop = RunLoop.current === RunLoop.main ? "the main run loop" : "another run loop"
      log.append((Thread.isMainThread ? "on the main thread" : "elsewhere") + ", with " + runLoop)
    }
  }

  final class NeverDueTests: SimulatedTestCase {
    override var simulationSettings: SimulationSettings {
      SimulationSettings(allowing: .pendingWork)
    }

    func testWorkThatIsNeverDueKeepsNobodyWaiting() {
      Simulation.scheduler().asyncAfter(deadline: DispatchTime.distantFuture) {}
      settle()
      XCTAssertEqual(Simulation.current?.now, .zero)
    }
  }
#endif
