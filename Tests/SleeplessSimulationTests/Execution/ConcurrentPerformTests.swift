// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// The iterations of `concurrentPerform` run one after another in a simulation (S10).
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct ConcurrentPerformTests {
  private let queue = DispatchQueue(label: "com.example.queue")

  @Test(arguments: [false, true])
  func `S10 iterations take their time one after another, and others run meanwhile`(
    isInBlock: Bool
  ) async throws {
    let log = try await log { [queue] log in
      let perform: @Sendable () -> Void = {
        DispatchQueue.concurrentPerform(iterations: 3) { iteration in
          Thread.sleep(forTimeInterval: 2)
          log.write("\(iteration)")
        }
        log.write("performed")
      }
      Task {
        try await Task.sleep(for: .seconds(3))
        log.write("task")
      }
      if isInBlock { queue.async(execute: perform) } else { perform() }
    }
    #expect(log == ["2 0", "3 task", "4 1", "6 2", "6 performed"])
  }

  @Test func `S10 iterations may perform iterations`() async throws {
    let log = try await log { [queue] log in
      queue.async {
        DispatchQueue.concurrentPerform(iterations: 2) { outer in
          DispatchQueue.concurrentPerform(iterations: 2) { inner in
            Thread.sleep(forTimeInterval: 1)
            log.write("\(outer) \(inner)")
          }
        }
      }
    }
    #expect(log == ["1 0 0", "2 0 1", "3 1 0", "4 1 1"])
  }

  @Test func `S10 iterations give blocks to queues, and run on the caller's queue`() async throws {
    let other = DispatchQueue(label: "com.example.other")
    let log = try await log { [queue] log in
      queue.async {
        DispatchQueue.concurrentPerform(iterations: 2) { iteration in
          dispatchPrecondition(condition: .onQueue(queue))
          queue.async { log.write("block \(iteration)") }
          other.sync {
            Thread.sleep(forTimeInterval: 1)
            log.write("sync \(iteration)")
          }
        }
      }
    }
    #expect(log == ["1 sync 0", "2 sync 1", "2 block 0", "2 block 1"])
  }

  @Test func `S10 no iterations are none`() async throws {
    let log = try await log { log in
      DispatchQueue.concurrentPerform(iterations: 0) { log.write("\($0)") }
      log.write("performed")
    }
    #expect(log == ["0 performed"])
  }

  @Test func `iterations of a block that runs when the test ends run to their end`() async {
    let log = QueueLog()
    _ = await Simulation.run { [queue] in
      queue.async {
        DispatchQueue.concurrentPerform(iterations: 3) { iteration in
          Thread.sleep(forTimeInterval: 1)
          log.write("\(iteration), cancelled: \(Task.isCancelled)")
        }
      }
      try await Task.sleep(for: .milliseconds(1500))
    }
    #expect(
      log.values == ["1 0, cancelled: false", "2 1, cancelled: true", "3 2, cancelled: true"])
  }
}
