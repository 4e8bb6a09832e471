// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Work items of Dispatch in simulations: waits, notifications, cancellation, and the ways to run them (S10).
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct WorkItemTests {
  private let queue = DispatchQueue(label: "com.example.queue")
  private let other = DispatchQueue(label: "com.example.other")

  /// An item that takes two seconds.
  private func slowItem(_ log: QueueLog, flags: DispatchWorkItemFlags = []) -> DispatchWorkItem {
    DispatchWorkItem(flags: flags) {
      log.write("item begins")
      Thread.sleep(forTimeInterval: 2)
      log.write("item ends")
    }
  }

  // MARK: Waits

  @Test func `S10 a task waits for an item, and other tasks run meanwhile`() async throws {
    let log = try await log { [queue] log in
      let item = slowItem(log)
      queue.async(execute: item)
      Task {
        try await Task.sleep(for: .seconds(1))
        log.write("task")
      }
      item.wait()
      log.write("waited")
    }
    #expect(log == ["0 item begins", "1 task", "2 item ends", "2 waited"])
  }

  @Test func `S10 a block waits for an item of another queue, also for one that it gives`()
    async throws
  {
    let log = try await log { [queue, other] log in
      nonisolated(unsafe) let item = slowItem(log)
      queue.async(execute: item)
      other.async {
        item.wait()
        log.write("block")
        let inner = DispatchWorkItem {
          Thread.sleep(forTimeInterval: 1)
          log.write("inner")
        }
        queue.async(execute: inner)
        inner.wait()
        log.write("block again")
      }
      other.async { log.write("after") }
    }
    #expect(
      log == ["0 item begins", "2 item ends", "2 block", "3 inner", "3 block again", "3 after"])
  }

  @Test(.needs(.clocks), arguments: [false, true])
  func `S10 a timed wait ends at its deadline, and a later one with the item`(
    isInBlock: Bool
  ) async throws {
    let log = try await log { [queue, other] log in
      nonisolated(unsafe) let item = slowItem(log)
      queue.async(execute: item)
      let wait: @Sendable () -> Void = {
        for seconds in [0, 1, 5] as [Double] {
          log.write("\(item.wait(timeout: .now() + seconds) == .success)")
        }
      }
      if isInBlock { other.async(execute: wait) } else { wait() }
    }
    #expect(log.sorted() == ["0 false", "0 item begins", "1 false", "2 item ends", "2 true"])
  }

  // MARK: Notifications

  @Test func `S10 notify gives its block to the queue when the item has run`() async throws {
    let log = try await log { [queue, other] log in
      let item = slowItem(log)
      item.notify(queue: other) { log.write("notified") }
      queue.async(execute: item)
      other.async {
        Thread.sleep(forTimeInterval: 3)
        log.write("other")
      }
      try await Task.sleep(for: .seconds(4))
      item.notify(queue: .main) { MainActor.assumeIsolated { log.write("notified late") } }
    }
    #expect(log == ["0 item begins", "2 item ends", "3 other", "3 notified", "4 notified late"])
  }

  @Test func `S10 an item is notified by another item, which can be a barrier`() async throws {
    let concurrent = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
    let log = try await log { [queue] log in
      let item = slowItem(log)
      let next = DispatchWorkItem(flags: .barrier) {
        dispatchPrecondition(condition: .onQueueAsBarrier(concurrent))
        log.write("next")
      }
      item.notify(queue: concurrent, execute: next)
      concurrent.async {
        Thread.sleep(forTimeInterval: 3)
        log.write("read")
      }
      queue.async(execute: item)
      next.wait()
      log.write("waited")
    }
    #expect(log == ["0 item begins", "2 item ends", "3 read", "3 next", "3 waited"])
  }

  // MARK: Cancellation

  @Test func `S10 an item that is cancelled before its turn is over at its turn, and does not run`()
    async throws
  {
    let log = try await log { [queue, other] log in
      let (item, group) = (slowItem(log), DispatchGroup())
      queue.async { Thread.sleep(forTimeInterval: 3) }
      queue.async(group: group, execute: item)
      item.notify(queue: other) { log.write("notified") }
      group.notify(queue: other) { log.write("left its group") }
      item.cancel()
      try await Task.sleep(for: .seconds(1))
      log.write("cancelled: \(item.isCancelled)")
      item.wait()
      try await Task.sleep(for: .seconds(1))
      log.write("waited")
    }
    #expect(log == ["1 cancelled: true", "3 notified", "3 left its group", "4 waited"])
  }

  @Test(arguments: [false, true])
  func `S10 a cancelled barrier does not run, and delays the blocks behind it no longer`(
    isCancelledFirst: Bool
  ) async throws {
    let concurrent = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
    let log = try await log { log in
      let item = slowItem(log, flags: .barrier)
      if isCancelledFirst { item.cancel() }
      concurrent.async {
        Thread.sleep(forTimeInterval: 3)
        log.write("before")
      }
      concurrent.async(execute: item)
      for number in 1...2 {
        concurrent.async {
          Thread.sleep(forTimeInterval: 1)
          log.write("after \(number)")
        }
      }
      item.cancel()
      item.wait()
      log.write("waited")
    }
    #expect(log == ["3 before", "3 waited", "4 after 1", "4 after 2"])
  }

  @Test func `S10 an item that is cancelled before it is given to a queue leaves its group`()
    async throws
  {
    let log = try await log { [queue] log in
      let (item, group) = (slowItem(log), DispatchGroup())
      item.cancel()
      queue.async { Thread.sleep(forTimeInterval: 3) }
      queue.async(group: group, execute: item)
      log.write("left at once: \(block(on: group, for: .zero) == .success)")
      block(on: group)
      log.write("left")
    }
    #expect(log == ["0 left at once: false", "3 left"])
  }

  @Test(arguments: [false, true])
  func `S10 a group does not run a cancelled item of notify`(isCancelledFirst: Bool) async throws {
    let log = try await log { [queue, other] log in
      let (item, group) = (slowItem(log), DispatchGroup.entered)
      item.notify(queue: other) { log.write("over") }
      if isCancelledFirst { item.cancel() }
      group.notify(queue: queue, work: item)
      group.notify(queue: queue) { log.write("notified") }
      try await Task.sleep(for: .seconds(1))
      item.cancel()
      try await Task.sleep(for: .seconds(1))
      log.write("leaves")
      group.leave()
    }
    #expect(log == ["2 leaves", "2 over", "2 notified"])
  }

  @Test func `S10 a running item sees that it is cancelled, and runs to its end`() async throws {
    let log = try await log { [queue] log in
      nonisolated(unsafe) var item: DispatchWorkItem!
      item = DispatchWorkItem {
        while !item.isCancelled { Thread.sleep(forTimeInterval: 2) }
        log.write("cancelled")
      }
      queue.async(execute: item)
      try await Task.sleep(for: .seconds(5))
      log.write("cancels")
      item.cancel()
      item.wait()
      log.write("waited")
      item = nil
    }
    #expect(log == ["5 cancels", "6 cancelled", "6 waited"])
  }

  @Test(.needs(.clocks)) func `S10 a block cancels a delayed item in time, or too late`()
    async throws
  {
    let log = try await log { [queue, other] log in
      for deadline in [5, 3] as [Double] {
        nonisolated(unsafe) let item = DispatchWorkItem { log.write("due \(Int(deadline))") }
        queue.asyncAfter(deadline: .now() + deadline, execute: item)
        other.asyncAfter(wallDeadline: .now() + 4) { item.cancel() }
      }
      try await Task.sleep(for: .seconds(9))
    }
    #expect(log == ["3 due 3"])
  }

  // MARK: Ways to run an item

  @Test(arguments: [false, true])
  func `S10 perform runs the item here, once it is cancelled not`(isCancelled: Bool) async throws {
    let log = try await log { [queue, other] log in
      nonisolated(unsafe) let item = DispatchWorkItem {
        dispatchPrecondition(condition: .onQueue(queue))
        Thread.sleep(forTimeInterval: 2)
        log.write("item")
      }
      item.notify(queue: other) { log.write("notified") }
      if isCancelled { item.cancel() }
      queue.async {
        item.perform()
        log.write("performed")
        Thread.sleep(forTimeInterval: 1)
        item.wait()
        log.write("waited")
      }
    }
    #expect(
      log
        == (isCancelled
          ? ["0 performed", "0 notified", "1 waited"]
          : ["2 item", "2 performed", "2 notified", "3 waited"]))
  }

  @Test(arguments: [false, true])
  func `S10 sync runs an item after the blocks before it, unless it is cancelled`(
    isInBlock: Bool
  ) async throws {
    let log = try await log { [queue, other] log in
      nonisolated(unsafe) let item = slowItem(log)
      nonisolated(unsafe) let cancelled = slowItem(log)
      cancelled.cancel()
      queue.async {
        Thread.sleep(forTimeInterval: 1)
        log.write("before")
      }
      await Task.yield()
      let run: @Sendable () -> Void = {
        queue.sync(execute: cancelled)
        log.write("not run")
        queue.sync(execute: item)
        item.wait()
        log.write("run")
      }
      if isInBlock { other.async(execute: run) } else { run() }
    }
    #expect(log == ["1 before", "1 not run", "1 item begins", "3 item ends", "3 run"])
  }

  @Test func `S10 sync with an item that is a barrier waits for the readers`() async throws {
    let concurrent = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
    let log = try await log { log in
      for seconds in [3, 1] {
        concurrent.async {
          Thread.sleep(forTimeInterval: Double(seconds))
          log.write("read \(seconds)")
        }
      }
      await Task.yield()
      nonisolated(unsafe) let item = slowItem(log, flags: .barrier)
      let write = Task { concurrent.sync(execute: item) }
      try await Task.sleep(for: .seconds(2))
      concurrent.sync { log.write("read late") }
      await write.value
    }
    #expect(
      log == ["1 read 1", "3 read 3", "3 item begins", "5 item ends", "5 read late"])
  }

  @Test func `S10 an item that is given twice runs twice`() async throws {
    let log = try await log { [queue, other] log in
      let item = slowItem(log)
      queue.async(execute: item)
      other.async {
        Thread.sleep(forTimeInterval: 1)
        log.write("other")
      }
      other.async(execute: item)
    }
    #expect(
      log == ["0 item begins", "1 other", "1 item begins", "2 item ends", "3 item ends"])
  }

  @Test @available(macOS 15, *)
  func `S8 both orders of a cancellation and an item's turn are explored`() async {
    let (result, counts) = await explored(.exhaustive, schedules: 1_000) {
      let count = Locked(0)
      nonisolated(unsafe) let item = DispatchWorkItem { count.withLock { $0 += 1 } }
      DispatchQueue.global().async(execute: item)
      DispatchQueue.global().async { item.cancel() }
      await Simulation.current!.settle()
      return count.withLock { $0 }
    }
    #expect(result.isComplete)
    #expect(Set(counts) == [0, 1])
  }
}
