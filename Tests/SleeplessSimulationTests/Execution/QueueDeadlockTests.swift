// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Blocks that wait for each other's queues are a deadlock, which natively hangs or ends the process.
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct QueueDeadlockTests {
  @Test func `S6 two queues that wait for each other are named`() async {
    let one = DispatchQueue(label: "com.example.one")
    let two = DispatchQueue(label: "com.example.two")
    let waits = await deadlock {
      let group = DispatchGroup()
      one.async(group: group) {
        Thread.sleep(forTimeInterval: 1)
        two.sync {}
      }
      two.async(group: group) {
        Thread.sleep(forTimeInterval: 1)
        one.sync {}
      }
      await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
    }
    #expect(
      waits == [
        #"queue com.example.one: waiting("the queue com.example.two")"#,
        #"queue com.example.two: waiting("the queue com.example.one")"#,
      ])
  }

  @Test func `S6 sync within sync on one queue is named`() async {
    let queue = DispatchQueue(label: "com.example.one")
    let waits = await deadlock { queue.sync { queue.sync {} } }
    #expect(waits == [#"body: waiting("the queue com.example.one")"#])
  }

  @Test func `S6 a queue without a label is told as one`() async {
    let queue = DispatchQueue(label: "")
    let waits = await deadlock { queue.sync { queue.sync {} } }
    #expect(waits == [#"body: waiting("a queue")"#])
  }

  @Test func `S6 a task and a queue that wait for each other are named`() async {
    let queue = DispatchQueue(label: "com.example.one")
    let waits = await deadlock {
      let semaphore = DispatchSemaphore(value: 0)
      queue.async { semaphore.wait() }
      await Task.yield()
      queue.sync { _ = semaphore.signal() }
    }
    #expect(
      waits == [
        #"body: waiting("the queue com.example.one")"#,
        #"queue com.example.one: waiting("a semaphore")"#,
      ])
  }

  @Test func `S6 a barrier that waits for a reader, which waits for the barrier, is named`() async {
    let queue = DispatchQueue(label: "com.example.one", attributes: .concurrent)
    let waits = await deadlock {
      await withCheckedContinuation { done in
        queue.async {
          queue.sync(flags: .barrier) {}
          done.resume()
        }
      }
    }
    #expect(waits == [#"queue com.example.one: waiting("the queue com.example.one")"#])
  }

  // A work item has a group, for which libdispatch waits.
  @Test func `S6 a block that waits for a later work item of its queue is named`() async {
    let queue = DispatchQueue(label: "com.example.one")
    let waits = await deadlock {
      await withCheckedContinuation { done in
        queue.async {
          let item = DispatchWorkItem {}
          queue.async(execute: item)
          item.wait()
          done.resume()
        }
      }
    }
    #expect(waits == [#"queue com.example.one: waiting("a work item")"#])
  }

  @Test(arguments: [false, true])
  func `S6 iterations that wait for a semaphore that is never signalled are named`(
    areInBlock: Bool
  ) async {
    let queue = DispatchQueue(label: "com.example.one")
    let waits = await deadlock {
      let semaphore = DispatchSemaphore(value: 0)
      let perform: @Sendable () -> Void = {
        DispatchQueue.concurrentPerform(iterations: 3) { _ in semaphore.wait() }
      }
      guard areInBlock else { return perform() }
      await withCheckedContinuation { done in
        queue.async {
          perform()
          done.resume()
        }
      }
    }
    // The iterations run one after another, and the first one waits.
    let name = areInBlock ? "queue com.example.one" : "body"
    #expect(waits == [#"\#(name): waiting("a semaphore")"#])
  }

  @Test func `S6 an iteration that waits for a later one is named, and one that waits is not`()
    async
  {
    let semaphore = DispatchSemaphore(value: 0)
    let waits = await deadlock {
      for waiting in [1, 0] {
        DispatchQueue.concurrentPerform(iterations: 2) { iteration in
          if iteration == waiting { semaphore.wait() } else { semaphore.signal() }
        }
      }
    }
    #expect(waits == [#"body: waiting("a semaphore")"#])
  }

  // In a process of its own: the deadlock keeps the main actor for good.
  @Test(.oneProcess, .timeLimit(.minutes(10)))
  func `S6 sync with the main queue on the main actor is named`() async {
    await #expect(processExitsWith: .success) {
      let waits = await deadlock {
        await Task(name: "main") { @MainActor in syncWithMainQueue() }.value
      }
      #expect(waits == [#"main: waiting("the queue com.apple.main-thread")"#])
    }
  }

  // In a process of its own, too.
  @Test(.oneProcess, .timeLimit(.minutes(10)))
  func `S6 sync with a queue that targets the main queue is named on the main actor`() async {
    await #expect(processExitsWith: .success) {
      let waits = await deadlock {
        let targeting = DispatchQueue(label: "com.example.targeting", target: .main)
        await Task(name: "main") { @MainActor in wait(for: targeting) }.value
      }
      #expect(waits == [#"main: waiting("the queue com.example.targeting")"#])
    }
  }

  @Test(.needs(.clocks)) func `S10 waits with a wall time take virtual time`() async throws {
    let outcome = await Simulation.run {
      let results = [
        DispatchSemaphore(value: 0).wait(wallTimeout: .now() + 2),
        enteredGroup().wait(wallTimeout: .now() + 3),
        DispatchWorkItem {}.wait(wallTimeout: .now() + 4),
      ]
      return results.map { $0 == .timedOut }
    }
    #expect(try outcome.result?.get() == [true, true, true])
    #expect(outcome.report.elapsed == .seconds(9))
  }

  #if os(Linux)
    @Test func `S10 a block sees the label of its queue, and is on no other queue`() async throws {
      let queue = DispatchQueue(label: "com.example.one")
      let other = DispatchQueue(label: "com.example.two")
      let outcome = await Simulation.run {
        await withCheckedContinuation { done in
          queue.async {
            dispatchPrecondition(condition: .notOnQueue(other))
            dispatchPrecondition(condition: .notOnQueue(.main))
            done.resume(returning: String(cString: labelOfQueue(nil)))
          }
        }
      }
      #expect(try outcome.result?.get() == "com.example.one")
    }
  #endif
}

#if os(Linux)
  /// The label of a queue; of the one whose block calls if that is nil.
  @_silgen_name("dispatch_queue_get_label")
  private func labelOfQueue(_ queue: UnsafeRawPointer?) -> UnsafePointer<CChar>
#endif

/// What waits when a body has ended in a deadlock.
private func deadlock(_ body: @escaping @Sendable () async -> Void) async -> [String] {
  // The timeout is so long that a test would fail if its simulation waited for it.
  let outcome = await Simulation.run(Simulation.Options(timeout: .seconds(600))) { await body() }
  #expect(outcome.report.ending.name == "deadlock")
  let tasks = [outcome.report.body].compactMap { $0 } + outcome.report.unfinishedTasks
  return tasks.filter { if case .waiting = $0.state { true } else { false } }
    .map { "\($0.name ?? "body"): \($0.state)" }
}

/// Not async, so that it may call `sync`.
private func syncWithMainQueue() { DispatchQueue.main.sync {} }

private func wait(for queue: DispatchQueue) { queue.sync {} }

private func enteredGroup() -> DispatchGroup {
  let group = DispatchGroup()
  group.enter()
  return group
}
