// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing
import VirtualTime

/// Blocks of queues that target the main queue run on the main actor (S10).
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct QueueTargetingMainTests {
  private let targeting = DispatchQueue(label: "com.example.targeting", target: .main)

  // MARK: The place

  @Test func `S10 a block is on its queue, on the main queue and on the main actor`() async throws {
    let key = DispatchSpecificKey<Int>()
    targeting.setSpecific(key: key, value: 7)
    let log = try await log { [targeting] log in
      targeting.async {
        dispatchPrecondition(condition: .onQueue(targeting))
        dispatchPrecondition(condition: .onQueue(.main))
        MainActor.assumeIsolated { log.write("\(DispatchQueue.getSpecific(key: key) ?? 0)") }
      }
    }
    #expect(log == ["0 7"])
  }

  @Test func `S10 a block of a queue two steps from the main queue is on all three`() async throws {
    let outer = DispatchQueue(label: "com.example.outer", target: targeting)
    let log = try await log { [targeting] log in
      outer.async {
        for queue in [outer, targeting, .main] { dispatchPrecondition(condition: .onQueue(queue)) }
        log.write("block")
      }
    }
    #expect(log == ["0 block"])
  }

  @Test func `S10 a barrier is one on a concurrent queue that targets the main queue`() async throws
  {
    let concurrent = DispatchQueue(
      label: "com.example.concurrent", attributes: .concurrent, target: .main)
    let log = try await log { log in
      concurrent.async {
        Thread.sleep(forTimeInterval: 1)
        log.write("block")
      }
      concurrent.async(flags: .barrier) {
        dispatchPrecondition(condition: .onQueueAsBarrier(concurrent))
        log.write("barrier")
      }
      concurrent.async {
        dispatchPrecondition(condition: .onQueue(concurrent))
        log.write("after")
      }
    }
    #expect(log == ["1 block", "1 barrier", "1 after"])
  }

  @Test func `S10 a sync runs its block on the main actor, and waits for it`() async throws {
    let log = try await log { [targeting] log in
      targeting.async {
        Thread.sleep(forTimeInterval: 1)
        log.write("block")
      }
      await Task {
        targeting.sync {
          dispatchPrecondition(condition: .onQueue(targeting))
          MainActor.assumeIsolated { log.write("sync") }
        }
        log.write("after")
      }.value
    }
    #expect(log == ["1 block", "1 sync", "1 after"])
  }

  // MARK: Order and time

  @Test func `S10 blocks of the main queue and of queues that target it run one at a time`()
    async throws
  {
    let log = try await log { [targeting] log in
      let queues = [targeting, .main, DispatchQueue(label: "com.example.other", target: .main)]
      for queue in queues {
        queue.async {
          Thread.sleep(forTimeInterval: 1)
          log.write(queue.label)
        }
      }
    }
    #expect(
      log == ["1 com.example.targeting", "2 com.apple.main-thread", "3 com.example.other"])
  }

  @Test(.needs(.clocks)) func `S10 delays, groups and work items take virtual time`() async throws {
    let log = try await log { [targeting] log in
      let group = DispatchGroup()
      targeting.asyncAfter(deadline: .now() + 5) { log.write("late") }
      targeting.async(group: group) {
        Thread.sleep(forTimeInterval: 2)
        log.write("in group")
      }
      let item = DispatchWorkItem { log.write("item") }
      group.notify(queue: targeting) { targeting.async(execute: item) }
      item.wait()
      log.write("after the item")
    }
    #expect(log == ["2 in group", "2 item", "2 after the item", "5 late"])
  }

  @Test(.needs(.clocks)) func `S10 a timer source on such a queue fires in virtual time`()
    async throws
  {
    let log = try await log { [targeting] log in
      let timer = DispatchSource.makeTimerSource(queue: targeting)
      timer.schedule(deadline: .now() + 1, repeating: 1)
      timer.setEventHandler {
        dispatchPrecondition(condition: .onQueue(targeting))
        log.write("event")
      }
      timer.activate()
      try await Task.sleep(for: .milliseconds(2500))
      timer.cancel()
    }
    #expect(log == ["1 event", "2 event"])
  }

  @Test func `S10 the main actor waits while a block sleeps, and other tasks go on`() async throws {
    let log = try await log { [targeting] log in
      targeting.async {
        Thread.sleep(forTimeInterval: 2)
        log.write("block")
      }
      Task { @MainActor in log.write("main actor") }
      try await Task.sleep(for: .seconds(1))
      log.write("task")
    }
    #expect(log == ["1 task", "2 block", "2 main actor"])
  }

  @Test func `S10 nested blocks of such a queue and of others keep their order`() async throws {
    let log = try await log { [targeting] log in
      targeting.async {
        DispatchQueue.global().sync { log.write("global") }
        targeting.async { log.write("second") }
        DispatchQueue.main.async { log.write("main") }
        log.write("first")
      }
    }
    #expect(log == ["0 global", "0 first", "0 second", "0 main"])
  }

  @Test func `S10 such a queue that is suspended runs its blocks when it goes on`() async throws {
    let log = try await log { [targeting] log in
      targeting.async { log.write("before") }
      targeting.suspend()
      try await Task.sleep(for: .seconds(1))
      log.write("resume")
      targeting.resume()
    }
    #expect(log == ["1 resume", "1 before"])
  }

  @Test func `S10 a block waits while a queue between its queue and the main queue is suspended`()
    async throws
  {
    let outer = DispatchQueue(label: "com.example.outer", target: targeting)
    let log = try await log { [targeting] log in
      outer.async {
        dispatchPrecondition(condition: .onQueue(outer))
        log.write("block")
      }
      targeting.suspend()
      try await Task.sleep(for: .seconds(1))
      targeting.resume()
    }
    #expect(log == ["1 block"])
  }

  @Test func `S10 a queue may get the main queue as its target before it is activated`()
    async throws
  {
    let inactive = DispatchQueue(label: "com.example.inactive", attributes: .initiallyInactive)
    let log = try await log { log in
      inactive.async {
        dispatchPrecondition(condition: .onQueue(.main))
        log.write("block")
      }
      let sync = Task { inactive.sync { log.write("sync") } }
      await Task.yield()
      inactive.setTarget(queue: .main)
      inactive.activate()
      await sync.value
    }
    #expect(log == ["0 block", "0 sync"])
  }

  // MARK: Run loops

  @Test(.needs(.runLoops))
  func `S10 while such a block runs the main run loop, timers fire and blocks wait`() async throws {
    let log = try await log { [targeting] log in
      targeting.async {
        _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in log.write("timer") }
        DispatchQueue.main.async { log.write("main") }
        RunLoop.main.run(until: Date() + 3)
        log.write("block")
      }
    }
    #expect(log == ["1 timer", "3 block", "3 main"])
  }

  @Test(.needs(.runLoops))
  func `S10 a block waits while a job of the main actor runs the main run loop`() async throws {
    let log = try await log { [targeting] log in
      targeting.asyncAfter(deadline: .now() + 1) { log.write("delayed block") }
      DispatchQueue.main.asyncAfter(deadline: .now() + 2) { log.write("main") }
      await Task { @MainActor in
        targeting.async {
          dispatchPrecondition(condition: .onQueue(targeting))
          log.write("block")
        }
        runMainRunLoop(for: 3)
        log.write("task")
      }.value
    }
    #expect(log == ["2 main", "3 task", "3 block", "3 delayed block"])
  }

  @Test(.needs(.runLoops))
  func `S10 a block waits while a timer runs the main run loop`() async throws {
    let log = try await log { [targeting] log in
      DispatchQueue.main.async {
        _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in
          targeting.async {
            dispatchPrecondition(condition: .onQueue(targeting))
            log.write("block")
          }
          DispatchQueue.main.async { log.write("main") }
          RunLoop.main.run(until: Date() + 1)
          log.write("timer")
        }
      }
      try await Task.sleep(for: .seconds(5))
    }
    #expect(log == ["1 main", "2 timer", "2 block"])
  }

  // MARK: The end

  @Test func `a sync that waits when its simulation is given up runs on its queue`() async {
    let (blocks, continuation) = AsyncStream.makeStream(of: Void.self)
    let gate = ThreadSignal()
    await HangTimeout.$shortened.withValue(.milliseconds(100)) {
      let outcome = await Simulation.run { [targeting] in
        // The simulation does not see that this thread waits.
        targeting.async { gate.wait() }
        targeting.sync {
          dispatchPrecondition(condition: .onQueue(targeting))
          continuation.yield()
        }
      }
      // The second ending is that of a test beside which another one has the main actor.
      #expect(["threadBlocked", "mainActorBlocked"].contains(outcome.report.ending.name))
    }
    gate.send()
    for await _ in blocks { break }
  }

  // MARK: Exploring

  @Test @available(macOS 15, *)
  func `S7 both orders of a task and a block of such a queue are explored`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 1_000) {
      let targeting = DispatchQueue(label: "com.example.targeting", target: .main)
      let log = Locked<[String]>([])
      let task = Task { log.withLock { $0.append("task") } }
      await withCheckedContinuation { done in
        targeting.async {
          log.withLock { $0.append("block") }
          done.resume()
        }
      }
      await task.value
      return log.withLock { $0 }
    }
    #expect(result.isComplete)
    #expect(Set(orders) == [["task", "block"], ["block", "task"]])
  }

  @Test func `S10 parallel simulations share the main queue, each in its own order`() async {
    let logs = await withTaskGroup { group in
      for _ in 1...8 {
        group.addTask {
          try? await log { log in
            let targeting = DispatchQueue(label: "com.example.targeting", target: .main)
            for number in 1...5 {
              targeting.async {
                Thread.sleep(forTimeInterval: 1)
                log.write("\(number)")
              }
            }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(logs == Array(repeating: ["1 1", "2 2", "3 3", "4 4", "5 5"], count: 8))
  }
}

/// Not async, so that it may run a run loop.
@MainActor private func runMainRunLoop(for seconds: Double) {
  RunLoop.main.run(until: Date() + seconds)
}
