// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// A program that uses all that a simulation captures has one order (S1).
@Suite(
  .needs(.queues), .needs(.operations), .needs(.runLoops), .needs(.clocks), .needs(.dates),
  .timeLimit(.minutes(10)))
struct EveryKindOrderTests {
  private func order(seed: UInt64) async -> [String] {
    let log = Log<String>()
    let outcome = await Simulation.run(Simulation.Options(order: .shuffled(seed: seed))) {
      await useEveryKind { log.append("\(Simulation.current!.now) \($0)") }
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.externalResumptionCount == 0)
    return log.values
  }

  @Test func `S1 the same order 1,000 times out of 1,000, with each kind of call`() async {
    // Four seeds in turn, so that a run of one seed comes between two of another.
    var orders: [UInt64: Set<[String]>] = [:]
    for run in 0..<1_000 as Range<UInt64> {
      orders[run % 4, default: []].insert(await order(seed: run % 4))
    }
    #expect(orders.values.allSatisfy { $0.count == 1 })
    #expect(Set(orders.values).count == 4)
    // Nothing is lost in any order.
    let events = orders.values.map { Set($0.first!.map { $0.split(separator: " ").last! }) }
    #expect(Set(events).count == 1)
    #expect(events.first?.count == 18)
  }

  @Test func `S1 S4 simulations at the same time have the orders that they have alone`() async {
    var alone: [[String]] = []
    for seed in 0..<8 as Range<UInt64> { alone.append(await order(seed: seed)) }
    let expected = alone
    await withTaskGroup { group in
      for seed in 0..<8 {
        group.addTask {
          for _ in 1...5 { #expect(await order(seed: UInt64(seed)) == expected[seed]) }
        }
      }
    }
  }
}

/// Uses queues, groups, semaphores, work items, timers, operations, a condition, run loops, sleeps and dates, at
/// moments that often coincide.
private func useEveryKind(_ note: @escaping @Sendable (String) -> Void) async {
  let date = Date()
  let (group, semaphore) = (DispatchGroup(), DispatchSemaphore(value: 0))
  let (serial, other) = (DispatchQueue(label: "serial"), DispatchQueue(label: "other"))
  let concurrent = DispatchQueue(label: "concurrent", attributes: .concurrent)
  for name in ["read-1", "read-2"] {
    concurrent.async(group: group) {
      Thread.sleep(forTimeInterval: 1)
      note(name)
      semaphore.signal()
    }
  }
  concurrent.async(group: group, flags: .barrier) { note("barrier") }
  let item = DispatchWorkItem {
    for _ in 1...2 { semaphore.wait() }
    note("item")
  }
  item.notify(queue: serial) { note("item-notified") }
  serial.async(group: group, execute: item)
  other.async(group: group) {
    serial.sync { note("sync") }
    DispatchQueue.concurrentPerform(iterations: 2) { note("perform-\($0)") }
  }
  group.enter()
  other.asyncAfter(wallDeadline: .now() + 1) {
    note("delayed")
    group.leave()
  }
  let timer = DispatchSource.makeTimerSource(queue: .global())
  timer.setEventHandler { note("timer") }
  timer.schedule(deadline: .now() + 0.5, repeating: 0.5)
  timer.activate()
  let operations = OperationQueue()
  for name in ["operation-1", "operation-2"] {
    operations.addOperation {
      Thread.sleep(forTimeInterval: 1)
      note(name)
    }
  }
  operations.addBarrierBlock { note("operation-barrier") }
  let task = Task {
    sleepThread(.seconds(1))
    note("task")
  }
  await runMainRunLoop(note)
  await task.value
  await withCheckedContinuation { done in group.notify(queue: .main) { done.resume() } }
  note("group-notified")
  timer.cancel()
  await Simulation.current!.settle()
  let seconds = Date().timeIntervalSince(date)
  note("date-\(Int((seconds * 10).rounded()))")
}

/// Runs the main run loop, with a timer, until half a second after the first blocks have slept.
@MainActor private func runMainRunLoop(_ note: @escaping @Sendable (String) -> Void) {
  let timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in
    note("run-loop-timer")
  }
  DispatchQueue.main.async { note("main") }
  RunLoop.main.run(until: Date(timeIntervalSinceNow: 1.5))
  timer.invalidate()
}
