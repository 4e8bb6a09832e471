// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Simulations that run at the same time and wait for each other's queues.
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct SharedQueueDeadlockTests {
  @Test func `simulations that have each other's queues fail as blocked`() async {
    let queues = (DispatchQueue(label: "one"), DispatchQueue(label: "two"))
    let (oneIsHeld, twoIsHeld) = (Latch(), Latch())
    async let first = endOfRun(
      holding: queues.0, needing: queues.1, isHeld: oneIsHeld, otherIsHeld: twoIsHeld)
    async let second = endOfRun(
      holding: queues.1, needing: queues.0, isHeld: twoIsHeld, otherIsHeld: oneIsHeld)
    let ends = await [first, second]
    #expect(ends.contains("threadBlocked"))
    // The second goes on if the first is given up so early that its queue is free in time.
    #expect(Set(ends).isSubset(of: ["threadBlocked", "finished"]))
    // The queues are free again: what the simulations have left runs outside.
    for queue in [queues.0, queues.1] {
      await withCheckedContinuation { done in queue.async { done.resume() } }
    }
  }

  /// Runs a simulation that sleeps on one queue, and then needs the other.
  private func endOfRun(
    holding queue: DispatchQueue, needing other: DispatchQueue, isHeld: Latch, otherIsHeld: Latch
  ) async -> String {
    let outcome = await Simulation.run(Simulation.Options(timeout: .milliseconds(500))) {
      queue.async {
        isHeld.open()
        Thread.sleep(forTimeInterval: 1)
      }
      await Task.yield()
      // On a busy machine a simulation may have been given up.
      try await Simulation.current?.outside { await otherIsHeld.wait() }
      other.async {}
      await Simulation.current?.settle()
    }
    return outcome.report.ending.name
  }

  @Test func `a simulation waits in real time for a queue that another one has`() async throws {
    let queue = DispatchQueue(label: "com.example.shared")
    let (isHeld, mayGoOn) = (Latch(), Latch())
    async let holder = log { log in
      queue.async {
        isHeld.open()
        Thread.sleep(forTimeInterval: 3600)
        log.write("holder")
      }
      await Task.yield()
      try await Simulation.current!.outside { await mayGoOn.wait() }
    }
    async let waiter = log { log in
      try await Simulation.current!.outside { await isHeld.wait() }
      queue.async { log.write("waiter") }
      mayGoOn.open()
      try await Task.sleep(for: .seconds(1))
    }
    #expect(try await holder == ["3600 holder"])
    #expect(try await waiter == ["0 waiter"])
  }
}
