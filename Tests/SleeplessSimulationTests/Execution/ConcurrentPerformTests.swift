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

  @Test @available(macOS 15, *)
  func `S8 the order of iterations is explored, and is the same when it is replayed`() async throws
  {
    let program: @Sendable () async -> [[Int]] = {
      let orders = Locked<[[Int]]>([[], []])
      for call in 0...1 {
        DispatchQueue.concurrentPerform(iterations: 3) { iteration in
          orders.withLock { $0[call].append(iteration) }
        }
      }
      return orders.withLock { $0 }
    }
    let (_, orders) = await explored(.portfolio, schedules: 100, program)
    #expect(orders.first == [[0, 1, 2], [0, 1, 2]])
    #expect(Set(orders.map { $0[0] }).count == 6 && Set(orders.map { $0[1] }).count == 6)
    // The two calls draw their orders separately.
    #expect(orders.contains { $0[0] != $0[1] })
    let wrong: @Sendable ([[Int]]) -> Bool = { $0[1] == [2, 0, 1] }
    let explorer = Explorer(
      ExplorationPlan(name: "test", schedules: 1_000, strategy: .portfolio, seed: 0))
    _ = await run(explorer, failing: wrong, program)
    let failure = try #require(explorer.result.failure)
    let plan = ExplorationPlan(
      name: "test", schedules: 1, strategy: .portfolio, seed: 0,
      replay: try ReplayString(failure.replay))
    let replayed = await run(Explorer(plan), failing: wrong, program)
    #expect(!replayed.isEmpty && replayed.allSatisfy(wrong), "\(replayed)")
  }

  @Test @available(macOS 15, *)
  func `S8 an exhaustive search leaves iterations in their order`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 100) {
      let order = Locked<[Int]>([])
      DispatchQueue.concurrentPerform(iterations: 3) { iteration in
        order.withLock { $0.append(iteration) }
      }
      return order.withLock { $0 }
    }
    #expect(result.isComplete && Set(orders) == [[0, 1, 2]])
  }

  @Test @available(macOS 15, *)
  func `S7 a result that depends on the order of iterations is found`() async {
    await expectBug(right: [0, 1, 4, 9]) { isRight in
      let squares = Locked(isRight ? [0, 0, 0, 0] : [])
      DispatchQueue.concurrentPerform(iterations: 4) { number in
        squares.withLock { squares in
          if isRight { squares[number] = number * number } else { squares.append(number * number) }
        }
      }
      return squares.withLock { $0 }
    }
  }

  @Test func `S10 a simulation with a shuffled order shuffles iterations, too`() async throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      var orders: [[Int]] = []
      for _ in 1...2 {
        let options = Simulation.Options(order: .shuffled(seed: seed))
        let outcome = await Simulation.run(options) {
          let order = Locked<[Int]>([])
          DispatchQueue.concurrentPerform(iterations: 10) { iteration in
            order.withLock { $0.append(iteration) }
          }
          return order.withLock { $0 }
        }
        orders.append(try #require(try outcome.result?.get()))
      }
      #expect(orders[0].sorted() == Array(0...9) && orders[0] != Array(0...9), "seed \(seed)")
      #expect(orders[0] == orders[1], "seed \(seed)")
    }
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
