// virtual time: everything here runs in simulations
import Sleepless
import SleeplessSimulation
import Testing
import TestSupport

/// The orders of a program's steps that a simulation can produce.
@Suite struct OrderTests {
  /// Two tasks, each of which takes a number at one actor, logs it, takes one at another, and logs it.
  /// Another task may run during the plain code between the actors.
  ///
  /// An actor runs tasks in the order of arrival. So the tasks may arrive at the first in 2 orders, and their
  /// log entries may then come in 4! / (2! 2!) = 6, all of which the program allows. The task that logs first
  /// arrives at the second actor first. Immediate tasks arrive in the order of creation.
  @Test(.wholeProcess, arguments: Kind.allCases)
  func `S3 all orders that a program allows are reachable`(kind: Kind) async throws {
    var orders: Set<[String]> = []
    // The seeds are fixed, so they find the same orders each time.
    for seed in 0..<400 as Range<UInt64> {
      let log = Log<String>()
      let outcome = await Simulation.run(Simulation.Options(order: .shuffled(seed: seed))) {
        let (first, second) = (Counter(), Counter())
        await kind.runBoth { name in
          let a = await first.next()
          log.append("\(name)a\(a)")
          let b = await second.next()
          log.append("\(name)b\(b)")
        }
      }
      try outcome.result?.get()
      orders.insert(log.values)
    }
    #expect(orders.count == (kind == .immediate ? 6 : 12))
    #expect(Set(orders.map { $0.map { $0.prefix(2) } }).count == 6)
  }

  enum Kind: CaseIterable {
    case group, asyncLet, task, detached, immediate

    func runBoth(_ body: @escaping @Sendable (String) async -> Void) async {
      switch self {
      case .group:
        await withTaskGroup { group in
          for name in ["1", "2"] { group.addTask { await body(name) } }
        }
      case .asyncLet:
        async let first: Void = body("1")
        async let second: Void = body("2")
        _ = await (first, second)
      case .task:
        let tasks = ["1", "2"].map { name in Task { await body(name) } }
        for task in tasks { await task.value }
      case .detached:
        let tasks = ["1", "2"].map { name in Task.detached { await body(name) } }
        for task in tasks { await task.value }
      case .immediate:
        let tasks = ["1", "2"].map { name in Task.immediate { await body(name) } }
        for task in tasks { await task.value }
      }
    }
  }

  private actor Counter {
    private var count = 0

    func next() -> Int {
      count += 1
      return count
    }
  }
}
