// virtual time: all sleeps are in simulations
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Operations that wait for the same one begin in the order in which they were added (S1, S10). Foundation keeps them in
/// a set, whose order differs from run to run.
@Suite(.needs(.operations), .timeLimit(.minutes(10))) struct DependentOperationTests {
  /// What the operations wait for.
  enum Wait: CaseIterable {
    case operation, barrier, cancelledOperation, operationOfAnotherQueue, twoOperations

    /// Adds operations that write their numbers when they begin, to the queues in turn.
    func add(_ count: Int, to queues: [OperationQueue], _ begun: Log<Int>) {
      let operations = (0..<count).map { number in BlockOperation { begun.append(number) } }
      let (first, second) = (Self.operation(seconds: 1), Self.operation(seconds: 2))
      for operation in operations {
        switch self {
        case .barrier: break
        case .operation, .cancelledOperation, .operationOfAnotherQueue:
          operation.addDependency(first)
        case .twoOperations:
          operation.addDependency(second)
          operation.addDependency(first)
        }
      }
      if self == .barrier {
        for queue in queues {
          queue.addOperation(Self.operation(seconds: 1))
          queue.addBarrierBlock {}
        }
      }
      for (number, operation) in operations.enumerated() {
        queues[number % queues.count].addOperation(operation)
      }
      switch self {
      case .barrier: break
      case .operation: queues[0].addOperation(first)
      case .cancelledOperation:
        queues[0].addOperation(first)
        first.cancel()
      case .operationOfAnotherQueue: OperationQueue().addOperation(first)
      case .twoOperations: queues[0].addOperations([first, second], waitUntilFinished: false)
      }
    }

    private static func operation(seconds: Double) -> BlockOperation {
      BlockOperation { Thread.sleep(forTimeInterval: seconds) }
    }
  }

  /// The numbers of the operations in the order in which they begin.
  private func order(
    _ wait: Wait, of count: Int = 20, queues queueCount: Int = 1, limit: Int? = nil,
    _ order: Simulation.Options.Order = .firstCome
  ) async throws -> [Int] {
    let begun = Log<Int>()
    var options = Simulation.Options()
    options.order = order
    let outcome = await Simulation.run(options) { @Sendable () async throws -> Void in
      let queues = (0..<queueCount).map { _ in OperationQueue() }
      if let limit { for queue in queues { queue.maxConcurrentOperationCount = limit } }
      wait.add(count, to: queues, begun)
      try await Task.sleep(for: .seconds(3))
    }
    _ = try outcome.result?.get()
    return begun.values
  }

  @Test(arguments: Wait.allCases)
  func `S1 operations that wait for the same one begin in the order of their addition`(
    wait: Wait
  ) async throws {
    for _ in 1...5 { #expect(try await order(wait) == Array(0..<20)) }
  }

  @Test func `S1 so do those of several queues`() async throws {
    for _ in 1...5 { #expect(try await order(.operation, queues: 3) == Array(0..<20)) }
  }

  /// Of a queue with a limit, the operation that ends counts until it has given those that wait for it.
  @Test(arguments: [1, 9])
  func `S1 so do those of a queue that runs one at a time, or may run all of them`(
    limit: Int
  ) async throws {
    for _ in 1...5 {
      #expect(try await order(.operation, of: 8, limit: limit) == Array(0..<8))
    }
  }

  @Test(arguments: 1...5) func `S1 a seed gives them one order`(seed: Int) async throws {
    let first = try await order(.operation, .shuffled(seed: UInt64(seed)))
    #expect(first.sorted() == Array(0..<20))
    #expect(first != Array(0..<20))
    for _ in 1...3 {
      #expect(try await order(.operation, .shuffled(seed: UInt64(seed))) == first)
    }
  }

  @Test @available(macOS 15, *) func `S8 S10 all their orders are explored`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 10_000) {
      let begun = Log<Int>()
      Wait.operation.add(3, to: [OperationQueue()], begun)
      try? await Task.sleep(for: .seconds(3))
      return begun.values
    }
    #expect(result.isComplete)
    #expect(Set(orders).count == 6)
  }
}
