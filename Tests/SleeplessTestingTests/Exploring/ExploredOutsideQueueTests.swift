// virtual time: everything here runs in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessTesting
import TestSupport
import XCTest

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  /// Explored tests whose queues stay real.
  final class ExploredOutsideQueueTests: SleeplessTesting.ExploredTestCase {
    override func invokeTest() { if canBeSimulated() { super.invokeTest() } }

    override var explorationSettings: ExplorationSettings { ExplorationSettings(schedules: 10) }

    override var simulationSettings: SimulationSettings {
      SimulationSettings(dispatch: .outside, stepLimit: 100_000, externalResumptions: .ignored)
    }

    func testAnAsynchronousTestAwaitsABlockOutside() async {
      let place = await withCheckedContinuation { done in
        DispatchQueue(label: "real").async {
          done.resume(returning: Simulation.current == nil ? "outside" : "inside")
        }
      }
      XCTAssertEqual(place, "outside")
      XCTAssertEqual(Simulation.current?.now, .zero)
    }

    func testASynchronousTestUsesRealQueues() {
      let log = Log<String>()
      let queue = DispatchQueue(label: "real")
      let place = { @Sendable in Simulation.current == nil ? "outside" : "inside" }
      queue.async { log.append("block \(place())") }
      queue.sync { log.append(Thread.isMainThread ? "sync on the main thread" : "sync elsewhere") }
      let (group, hasRun) = (DispatchGroup(), ThreadSignal())
      group.notify(queue: queue) {
        log.append("notified \(place())")
        hasRun.send()
      }
      hasRun.wait()
      XCTAssertEqual(
        log.values, ["block outside", "sync on the main thread", "notified outside"])
    }
  }
#endif
