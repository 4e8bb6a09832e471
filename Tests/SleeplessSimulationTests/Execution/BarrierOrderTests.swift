// virtual time: everything here runs in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Explorations try the orders of what comes before a barrier and of what comes after it, and no other (S10).
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct BarrierOrderTests {
  /// The ways to give a concurrent queue a barrier.
  enum Way: CaseIterable {
    case async, group, item, sync, syncItem
    #if os(Linux)
      case waitOfC, waitForItemOfC
    #endif

    func write(on queue: DispatchQueue, _ code: @escaping @Sendable () -> Void) {
      switch self {
      case .async: queue.async(flags: .barrier, execute: code)
      case .group: queue.async(group: DispatchGroup(), flags: .barrier, execute: code)
      case .item: queue.async(execute: DispatchWorkItem(flags: .barrier, block: code))
      case .sync: queue.sync(flags: .barrier, execute: code)
      case .syncItem: queue.sync(execute: DispatchWorkItem(flags: .barrier, block: code))
      #if os(Linux)
        case .waitOfC: barrierAsyncAndWait(queue.object, code)
        case .waitForItemOfC: asyncAndWait(queue.object, makeItem(isBarrier: true, code))
      #endif
      }
    }
  }

  /// Two reads, a write and two reads: the reads of each pair may change places.
  private static let allowed: Set<[String]> = [
    ["1", "2", "write", "3", "4"], ["2", "1", "write", "3", "4"],
    ["1", "2", "write", "4", "3"], ["2", "1", "write", "4", "3"],
  ]

  @Test(arguments: Way.allCases) @available(macOS 15, *)
  func `S8 S10 the four orders of two reads, a barrier and two reads are explored`(way: Way) async {
    let (result, orders) = await explored(.exhaustive, schedules: 10_000) {
      let log = Log<String>()
      let queue = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
      for read in ["1", "2"] { queue.async { log.append(read) } }
      way.write(on: queue) { log.append("write") }
      for read in ["3", "4"] { queue.async { log.append(read) } }
      await Simulation.current!.settle()
      return log.values
    }
    #expect(result.isComplete)
    #expect(Set(orders) == Self.allowed)
  }

  @Test @available(macOS 15, *)
  func `S8 S10 all orders of two readers and a writer that come at once are explored`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 10_000) {
      let log = Log<String>()
      let queue = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
      await withTaskGroup { group in
        group.addTask { queue.sync { log.append("1") } }
        group.addTask { queue.sync(flags: .barrier) { log.append("write") } }
        group.addTask { queue.sync { log.append("2") } }
      }
      return log.values
    }
    #expect(result.isComplete)
    #expect(Set(orders).count == 6)
    #expect(orders.allSatisfy { $0.count == 3 })
  }

  // One operation after the barrier: Foundation begins several in the order of a set, which differs from run to run.
  @Test(.needs(.operations)) @available(macOS 15, *)
  func `S8 S10 the orders of operations up to a barrier are explored`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 10_000) {
      let log = Log<String>()
      let queue = OperationQueue()
      for read in ["1", "2", "3"] { queue.addOperation { log.append(read) } }
      queue.addBarrierBlock { log.append("write") }
      queue.addOperation { log.append("after") }
      await Simulation.current!.settle()
      return log.values
    }
    #expect(result.isComplete)
    #expect(Set(orders.map { $0.dropLast(2) }).count == 6)
    #expect(Set(orders.map { $0.suffix(2) }) == [["write", "after"]])
  }
}
