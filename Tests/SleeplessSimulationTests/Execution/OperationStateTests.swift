// virtual time: all sleeps are in simulations
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Priorities, suspension, dependencies, barriers and cancellation of operations in simulations (S10).
@Suite(.needs(.operations), .timeLimit(.minutes(10))) struct OperationStateTests {
  /// An operation that takes some seconds.
  private static func operation(_ name: String, _ log: QueueLog, seconds: Double = 1)
    -> BlockOperation
  {
    BlockOperation {
      Thread.sleep(forTimeInterval: seconds)
      log.write(name)
    }
  }

  // These two are synchronous because asynchronous code must not call what they call.

  private static func wait(for operation: Operation) { operation.waitUntilFinished() }

  private static func run(_ operations: [Operation], on queue: OperationQueue) {
    queue.addOperations(operations, waitUntilFinished: true)
  }

  // MARK: Order

  @Test func `S10 of operations that are ready, the one of the highest priority begins first`()
    async throws
  {
    let log = try await log { log in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.isSuspended = true
      let priorities: [(String, Operation.QueuePriority)] = [
        ("low", .low), ("normal", .normal), ("very high", .veryHigh), ("normal too", .normal),
        ("very low", .veryLow), ("high", .high),
      ]
      for (name, priority) in priorities {
        let operation = Self.operation(name, log)
        operation.queuePriority = priority
        queue.addOperation(operation)
      }
      queue.isSuspended = false
    }
    #expect(
      log == ["1 very high", "2 high", "3 normal", "4 normal too", "5 low", "6 very low"])
  }

  @Test func `S10 a dependency comes before a priority`() async throws {
    let log = try await log { log in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      let (first, second) = (Self.operation("low", log), Self.operation("high", log))
      first.queuePriority = .veryLow
      second.queuePriority = .veryHigh
      second.addDependency(first)
      Self.run([second, first], on: queue)
      log.write("waited")
    }
    #expect(log == ["1 low", "2 high", "2 waited"])
  }

  @Test func `S10 an operation waits for one of another queue, which a block has given`()
    async throws
  {
    let log = try await log { log in
      let (one, two) = (OperationQueue(), OperationQueue())
      let (first, second) = (Self.operation("first", log), Self.operation("second", log))
      let third = Self.operation("third", log)
      second.addDependency(first)
      third.addDependency(second)
      one.addOperation(third)
      two.addOperation(second)
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(10)) { one.addOperation(first) }
      Self.wait(for: third)
      log.write("waited")
    }
    #expect(log.map { $0.drop { $0 != " " } } == [" first", " second", " third", " waited"])
    // Without the clocks in virtual time the deadline of the block is rounded.
    if Need.clocks.isMet { #expect(log.last == "13 waited") }
  }

  @Test func `S10 a barrier waits for all before it, and those after it wait for it`() async throws
  {
    let log = try await log { log in
      let queue = OperationQueue()
      for seconds in [3, 1, 2] {
        queue.addOperation(Self.operation("before \(seconds)", log, seconds: Double(seconds)))
      }
      queue.addBarrierBlock {
        Thread.sleep(forTimeInterval: 2)
        log.write("barrier")
        // It is given after the others, and so comes after them.
        queue.addBarrierBlock { log.write("inner barrier") }
      }
      for seconds in [2, 1] {
        queue.addOperation(Self.operation("after \(seconds)", log, seconds: Double(seconds)))
      }
    }
    #expect(
      log == [
        "1 before 1", "2 before 2", "3 before 3", "5 barrier", "6 after 1", "7 after 2",
        "7 inner barrier",
      ])
  }

  // MARK: Operations and queues of Dispatch

  @Test(.needs(.queues)) func `S10 an operation waits for a queue of Dispatch`() async throws {
    let log = try await log { log in
      let (operations, queue) = (OperationQueue(), DispatchQueue(label: "com.example.serial"))
      queue.async {
        Thread.sleep(forTimeInterval: 2)
        log.write("block")
      }
      await Task.yield()
      operations.addOperation {
        queue.sync { log.write("sync") }
        log.write("operation")
      }
      operations.addOperation { log.write("other operation") }
    }
    #expect(log == ["0 other operation", "2 block", "2 sync", "2 operation"])
  }

  @Test(.needs(.queues), arguments: [false, true])
  func `S10 a block waits for an operation, also on the main queue`(isMain: Bool) async throws {
    let log = try await log { log in
      let queue = isMain ? DispatchQueue.main : DispatchQueue(label: "com.example.serial")
      queue.async {
        let operations = OperationQueue()
        let operation = Self.operation("operation", log, seconds: 2)
        operations.addOperation(operation)
        operation.waitUntilFinished()
        log.write("block")
      }
      queue.async { log.write("after") }
      Task {
        try await Task.sleep(for: .seconds(1))
        log.write("task")
      }
    }
    #expect(log == ["1 task", "2 operation", "2 block", "2 after"])
  }

  // MARK: Suspension

  @Test func `S10 a suspended queue begins no operation, and ends those that run`() async throws {
    let log = try await log { log in
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.addOperation(Self.operation("runs", log, seconds: 2))
      queue.addOperation(Self.operation("waits", log))
      try await Task.sleep(for: .seconds(1))
      queue.isSuspended = true
      try await Task.sleep(for: .seconds(9))
      log.write("suspended: \(queue.isSuspended), \(queue.operationCount) left")
      DispatchQueue.global().async { queue.isSuspended = false }
    }
    #expect(log == ["2 runs", "10 suspended: true, 1 left", "11 waits"])
  }

  @Test func `S6 a wait for a suspended queue is a deadlock`() async {
    let outcome = await Simulation.run {
      let queue = OperationQueue()
      queue.isSuspended = true
      Self.run([BlockOperation {}], on: queue)
    }
    #expect(outcome.report.ending.name == "deadlock")
    #expect(outcome.report.body?.text == "0 waiting for a condition since 0.0 seconds")
  }

  // MARK: Cancellation

  @Test func `S10 a running operation sees that it is cancelled, and completes`() async throws {
    let log = try await log { log in
      let queue = OperationQueue()
      let operation = Patient(log)
      operation.completionBlock = { log.write("completed") }
      queue.addOperation(operation)
      try await Task.sleep(for: .seconds(5))
      log.write("cancels")
      operation.cancel()
      Self.wait(for: operation)
      log.write("finished: \(operation.isFinished)")
    }
    #expect(log.prefix(2) == ["5 cancels", "6 cancelled"])
    #expect(log.dropFirst(2).sorted() == ["6 completed", "6 finished: true"])
  }

  /// Looks every two seconds whether it is cancelled.
  private final class Patient: Operation, @unchecked Sendable {
    private let log: QueueLog
    init(_ log: QueueLog) { self.log = log }

    override func main() {
      while !isCancelled { Thread.sleep(forTimeInterval: 2) }
      log.write("cancelled")
    }
  }

  @Test func `S10 cancelAllOperations leaves what runs, and lets dependent ones of others begin`()
    async throws
  {
    let log = try await log { log in
      let (queue, other) = (OperationQueue(), OperationQueue())
      queue.maxConcurrentOperationCount = 1
      let cancelled = Self.operation("cancelled", log)
      let dependent = Self.operation("dependent", log)
      dependent.addDependency(cancelled)
      queue.addOperation(Self.operation("runs", log, seconds: 4))
      queue.addOperation(cancelled)
      other.addOperation(dependent)
      try await Task.sleep(for: .seconds(1))
      DispatchQueue.global().async { queue.cancelAllOperations() }
    }
    // A cancelled operation ends in its turn.
    #expect(log == ["4 runs", "5 dependent"])
  }
}
