// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Blocks of Dispatch's queues run in the order and the time of a simulation (S10).
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct DispatchQueueTests {
  @Test func `S10 a serial queue runs its blocks in their order`() async throws {
    let queue = DispatchQueue(label: "com.example.serial")
    let log = try await log { log in
      for number in 1...5 { queue.async { log.write("\(number)") } }
      log.write("body")
    }
    #expect(log == ["0 body", "0 1", "0 2", "0 3", "0 4", "0 5"])
  }

  @Test(.needs(.clocks)) func `S10 asyncAfter takes virtual time`() async throws {
    let queue = DispatchQueue(label: "com.example.serial")
    let log = try await log { log in
      queue.asyncAfter(deadline: .now() + 20) { log.write("second") }
      queue.asyncAfter(deadline: .now() + 10) { log.write("first") }
      DispatchQueue.main.asyncAfter(deadline: .now() + 30) { log.write("main") }
      DispatchQueue.global().asyncAfter(wallDeadline: .now() + 40) { log.write("wall") }
    }
    #expect(log == ["10 first", "20 second", "30 main", "40 wall"])
  }

  @Test func `S10 blocks run on the main queue with the main actor`() async throws {
    let log = try await log { log in
      DispatchQueue.main.async {
        dispatchPrecondition(condition: .onQueue(.main))
        MainActor.assumeIsolated { log.write("main") }
      }
    }
    #expect(log == ["0 main"])
  }

  @Test func `S10 blocks run on the queue that they were given to`() async throws {
    let key = DispatchSpecificKey<String>()
    let queue = DispatchQueue(label: "com.example.serial")
    queue.setSpecific(key: key, value: "mine")
    let concurrent = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
    let log = try await log { log in
      queue.async {
        dispatchPrecondition(condition: .onQueue(queue))
        log.write(DispatchQueue.getSpecific(key: key) ?? "none")
      }
      concurrent.async(flags: .barrier) {
        dispatchPrecondition(condition: .onQueueAsBarrier(concurrent))
        log.write("barrier")
      }
    }
    #expect(log == ["0 mine", "0 barrier"])
  }

  @Test func `S10 a block that sleeps holds up its serial queue, and no other`() async throws {
    let slow = DispatchQueue(label: "com.example.slow")
    let quick = DispatchQueue(label: "com.example.quick")
    let log = try await log { log in
      slow.async {
        Thread.sleep(forTimeInterval: 10)
        log.write("slow")
      }
      slow.async { log.write("after slow") }
      quick.async { log.write("quick") }
    }
    #expect(log == ["0 quick", "10 slow", "10 after slow"])
  }

  @Test func `S10 a barrier waits for the blocks before it, and those after it wait for it`()
    async throws
  {
    let queue = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
    let log = try await log { log in
      for seconds in [3, 1, 2] {
        queue.async {
          Thread.sleep(forTimeInterval: Double(seconds))
          log.write("read \(seconds)")
        }
      }
      queue.async(flags: .barrier) {
        Thread.sleep(forTimeInterval: 5)
        log.write("barrier")
      }
      queue.async { log.write("after") }
    }
    #expect(log == ["1 read 1", "2 read 2", "3 read 3", "8 barrier", "8 after"])
  }

  @Test func `S10 sync waits for the blocks before it`() async throws {
    let queue = DispatchQueue(label: "com.example.serial")
    let log = try await log { log in
      queue.async {
        Thread.sleep(forTimeInterval: 2)
        log.write("async")
      }
      await Task.yield()
      let answer = queue.sync {
        log.write("sync")
        return 42
      }
      log.write("\(answer)")
    }
    #expect(log == ["2 async", "2 sync", "2 42"])
  }

  @Test func `S10 sync on the main queue runs there`() async throws {
    let log = try await log { log in
      let answer = DispatchQueue.main.sync { () -> Int in
        dispatchPrecondition(condition: .onQueue(.main))
        return MainActor.assumeIsolated { 42 }
      }
      log.write("\(answer)")
    }
    #expect(log == ["0 42"])
  }

  @Test func `S10 sync on a free queue runs at once, also with barriers and from a block`()
    async throws
  {
    let outer = DispatchQueue(label: "com.example.outer")
    let inner = DispatchQueue(label: "com.example.inner", attributes: .concurrent)
    let log = try await log { log in
      outer.sync {
        inner.sync(flags: .barrier) { log.write("inner") }
        log.write("outer")
      }
    }
    #expect(log == ["0 inner", "0 outer"])
  }

  @Test func `S10 a group notifies when the last block has left it`() async throws {
    let queue = DispatchQueue(label: "com.example.concurrent", attributes: .concurrent)
    let log = try await log { log in
      let group = DispatchGroup()
      group.notify(queue: queue) { log.write("empty") }
      for seconds in [2, 1] {
        queue.async(group: group) {
          Thread.sleep(forTimeInterval: Double(seconds))
          log.write("\(seconds)")
        }
      }
      group.notify(queue: .main) { log.write("notified") }
      #expect(block(on: group, for: .milliseconds(1500)) == .timedOut)
      log.write("timed out")
      block(on: group)
      log.write("waited")
    }
    #expect(log == ["0 empty", "1 1", "1 timed out", "2 2", "2 notified", "2 waited"])
  }

  @Test func `S10 work items run, are waited for, notify and can be cancelled`() async throws {
    let queue = DispatchQueue(label: "com.example.serial")
    let log = try await log { log in
      let item = DispatchWorkItem {
        Thread.sleep(forTimeInterval: 1)
        log.write("item")
      }
      item.notify(queue: .main) { log.write("notified") }
      let cancelled = DispatchWorkItem { log.write("cancelled") }
      queue.async(execute: item)
      queue.asyncAfter(deadline: .now() + 5, execute: cancelled)
      cancelled.cancel()
      #expect(cancelled.isCancelled)
      let late = DispatchWorkItem { log.write("late") }
      queue.async(execute: late)
      #expect(late.wait(timeout: .now() + 0.5) == .timedOut)
      late.wait()
      log.write("waited")
    }
    #expect(log == ["1 item", "1 notified", "1 late", "1 waited"])
  }

  @Test func `S10 a queue does nothing while the serial queue that it targets is busy`()
    async throws
  {
    let target = DispatchQueue(label: "com.example.target")
    let one = DispatchQueue(label: "com.example.one", target: target)
    let two = DispatchQueue(label: "com.example.two", attributes: .concurrent, target: target)
    let log = try await log { log in
      one.async {
        Thread.sleep(forTimeInterval: 1)
        dispatchPrecondition(condition: .onQueue(target))
        log.write("one")
      }
      two.async {
        Thread.sleep(forTimeInterval: 1)
        log.write("two")
      }
      target.async { log.write("target") }
      two.async { log.write("two again") }
    }
    #expect(log == ["1 one", "2 two", "2 two again", "2 target"])
  }

  @Test func `S10 a suspended queue runs nothing until it is resumed`() async throws {
    let suspended = DispatchQueue(label: "com.example.suspended")
    let inactive = DispatchQueue(label: "com.example.inactive", attributes: .initiallyInactive)
    let log = try await log { log in
      suspended.suspend()
      suspended.async { log.write("resumed") }
      inactive.async { log.write("activated") }
      try await Task.sleep(for: .seconds(1))
      suspended.resume()
      try await Task.sleep(for: .seconds(1))
      inactive.activate()
    }
    #expect(log == ["1 resumed", "2 activated"])
  }

  @Test func `S10 concurrentPerform runs its iterations one after another`() async throws {
    let log = try await log { log in
      DispatchQueue.concurrentPerform(iterations: 3) { log.write("\($0)") }
    }
    #expect(log == ["0 0", "0 1", "0 2"])
  }

  @Test(.needs(.clocks)) func `S10 a continuation that a queue resumes is no event from outside`()
    async throws
  {
    let log = try await log { log in
      let answer = await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) {
          continuation.resume(returning: 42)
        }
      }
      log.write("\(answer)")
    }
    #expect(log == ["60 42"])
  }

  @Test func `S10 an actor whose executor uses a queue runs in the simulation`() async throws {
    let outcome = await Simulation.run {
      let actor = QueueActor()
      for _ in 1...12 { #expect(await actor.isOnItsQueue()) }
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.externalResumptionCount == 0)
  }

  @Test func `S10 blocks stay outside a simulation that leaves Dispatch alone`() async throws {
    let queue = DispatchQueue(label: "com.example.outside")
    let outcome = await Simulation.run(Simulation.Options(dispatch: .outside)) {
      let isOutside = await withCheckedContinuation { done in
        queue.async { done.resume(returning: Simulation.current == nil) }
      }
      #expect(isOutside)
      #expect(queue.sync { 1 } == 1)
      let places = Locked<[Bool]>([])
      DispatchQueue.concurrentPerform(iterations: 3) { _ in
        places.withLock { $0.append(true) }
      }
      #expect(places.withLock { $0.count } == 3)
      // real time: a deadline of a queue outside
      await withCheckedContinuation { done in
        queue.asyncAfter(deadline: .now() + .milliseconds(1)) { done.resume() }
      }
      await withCheckedContinuation { done in
        let group = DispatchGroup()
        queue.async(group: group) {}
        group.notify(queue: queue) { done.resume() }
      }
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.elapsed == .zero)
  }

  @Test func `S6 sync on the queue that the code runs on is a deadlock with its name`() async throws
  {
    let queue = DispatchQueue(label: "com.example.serial")
    let outcome = await Simulation.run {
      await withCheckedContinuation { continuation in
        queue.async {
          queue.sync {}
          continuation.resume()
        }
      }
    }
    guard case .deadlock = outcome.report.ending else {
      Issue.record("\(outcome.report.ending)")
      return
    }
    let states = outcome.report.unfinishedTasks.map { "\($0.name ?? "none"): \($0.state)" }
    #expect(states == [#"queue com.example.serial: waiting("the queue com.example.serial")"#])
  }

  @Test func `S4 each simulation has its own order and time on a queue that several use at once`()
    async throws
  {
    let queue = DispatchQueue(label: "com.example.shared")
    let isInUse = Locked(false)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          let log = try? await log { log in
            for number in 1...20 {
              queue.async {
                // The queue has one block at a time, whichever simulation gave it.
                isInUse.withLock { isInUse in
                  #expect(!isInUse)
                  isInUse = true
                }
                Thread.sleep(forTimeInterval: 1)
                isInUse.withLock { $0 = false }
                log.write("\(number)")
              }
            }
          }
          #expect(log == (1...20).map { "\($0) \($0)" })
        }
      }
    }
  }

  @Test func `a block that is not due when the simulation ends does not run`() async throws {
    let log = QueueLog()
    let outcome = await Simulation.run {
      DispatchQueue.main.asyncAfter(deadline: .now() + 3600) { log.write("late") }
      DispatchQueue.main.asyncAfter(deadline: .distantFuture) { log.write("never") }
    }
    #expect(outcome.report.elapsed == .zero)
    #expect(log.values == [])
  }
}
