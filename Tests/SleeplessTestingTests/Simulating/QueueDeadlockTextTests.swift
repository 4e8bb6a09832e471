// virtual time: everything here runs in simulations
import Dispatch
import Foundation
import SleeplessSimulation
import SleeplessTesting
import TestSupport
import Testing
import VirtualTime

/// What a user reads when code waits for queues for ever.
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct QueueDeadlockTextTests {
  private func text(of body: @escaping @Sendable () async throws -> Void) async -> [String] {
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(100)) { try? await simulate(body) }
    }
    return failures.map(\.withoutFunctions.text)
  }

  private let ofQueues = (
    cause: "a sync with the queue that the code runs on, a continuation that is never resumed",
    advice: "Inject a double there, or run the call in Simulation.outside { ... }."
  )
  private let ofItems = (
    cause: """
    a wait for a work item of the queue that the code runs on, a continuation that is never resumed
    """,
    advice: "Inject a double there, or run the call in Simulation.outside { ... }."
  )
  private let ofGroups = (
    cause: "a group that is never left, a continuation that is never resumed",
    advice: "Inject a double there, or run the call in Simulation.outside { ... }."
  )
  private let ofSuspendedQueues = (
    cause: "a queue that is never resumed, a continuation that is never resumed",
    advice: "Inject a double there, or run the call in Simulation.outside { ... }."
  )
  private let ofSemaphores = (
    cause: """
    a semaphore or a condition that is never signalled, a group that is never left, a continuation that is never \
    resumed
    """,
    advice: "If one of them is to signal, run the whole waiting call in Simulation.outside { ... }."
  )

  private func deadlock(
    at time: String, _ tasks: String, _ end: (cause: String, advice: String)
  ) -> String {
    """
    The simulation is deadlocked at \(time): nothing can run, nothing is due, and the body has not ended.
    \(tasks)
    This is usually \(end.cause), or tasks that wait for each other.
    Threads and the network are not simulated; the simulation waits 100 ms for them. \(end.advice)
    """
  }

  @Test func `F3 a block that waits for a later work item of its queue`() async {
    let queue = DispatchQueue(label: "com.example.cache")
    let text = await text {
      await withCheckedContinuation { done in
        queue.async {
          let item = DispatchWorkItem {}
          queue.async(execute: item)
          item.wait()
          done.resume()
        }
      }
    }
    #expect(
      text == [
        deadlock(
          at: "0 s",
          """
            the body: suspended since 0 s
            task 1 "queue com.example.cache": waiting for a work item since 0 s
            a block on queue com.example.cache: waiting for a block before it
          """, ofItems)
      ])
  }

  @Test func `F3 a queue that waits for itself in the middle of a sync`() async {
    let queue = DispatchQueue(label: "com.example.cache")
    let text = await text {
      await withCheckedContinuation { done in
        queue.async {
          Thread.sleep(forTimeInterval: 2)
          queue.sync {}
          done.resume()
        }
      }
    }
    #expect(
      text == [
        deadlock(
          at: "2 s",
          """
            the body: suspended since 0 s
            task 1 "queue com.example.cache": waiting for the queue com.example.cache since 2 s
          """, ofQueues)
      ])
  }

  @Test func `F3 a task and a queue that wait for each other`() async {
    let queue = DispatchQueue(label: "com.example.cache")
    let text = await text {
      let semaphore = DispatchSemaphore(value: 0)
      queue.async { semaphore.wait() }
      try await Task.sleep(for: .seconds(1))
      queue.sync { _ = semaphore.signal() }
    }
    #expect(
      text == [
        deadlock(
          at: "1 s",
          """
            the body: waiting for the queue com.example.cache since 1 s
            task 1 "queue com.example.cache": waiting for a semaphore since 0 s
          """, ofSemaphores)
      ])
  }

  @Test func `F3 three queues that wait for each other in a ring`() async {
    let queues = ["one", "two", "three"].map { DispatchQueue(label: "com.example.\($0)") }
    let text = await text {
      let group = DispatchGroup()
      for (index, queue) in queues.enumerated() {
        queue.async(group: group) {
          Thread.sleep(forTimeInterval: 1)
          queues[(index + 1) % 3].sync {}
        }
      }
      await withCheckedContinuation { done in group.notify(queue: .main) { done.resume() } }
    }
    #expect(
      text == [
        deadlock(
          at: "1 s",
          """
            the body: suspended since 0 s
            task 1 "queue com.example.one": waiting for the queue com.example.two since 1 s
            task 2 "queue com.example.two": waiting for the queue com.example.three since 1 s
            task 3 "queue com.example.three": waiting for the queue com.example.one since 1 s
            a block on queue com.apple.main-thread: waiting for a dispatch group
          """, ofQueues)
      ])
  }

  @Test func `F3 a group that is not left before its notify`() async {
    let text = await text {
      let group = DispatchGroup()
      group.enter()
      await withCheckedContinuation { done in
        group.notify(queue: DispatchQueue(label: "com.example.screen")) { done.resume() }
      }
    }
    #expect(
      text == [
        deadlock(
          at: "0 s",
          """
            the body: suspended since 0 s
            a block on queue com.example.screen: waiting for a dispatch group
          """, ofGroups)
      ])
  }

  @Test func `F3 queues that are suspended, or whose target is`() async {
    let disk = DispatchQueue(label: "com.example.disk")
    let cache = DispatchQueue(label: "com.example.cache", target: disk)
    disk.suspend()
    let text = await text {
      Task(name: "reader") { wait(for: cache) }
      await withCheckedContinuation { done in
        for _ in 1...2 { disk.async {} }
        cache.async { done.resume() }
      }
    }
    disk.resume()
    #expect(
      text == [
        deadlock(
          at: "0 s",
          """
            the body: suspended since 0 s
            task 1 "reader": waiting for the queue com.example.cache since 0 s
            2 blocks on queue com.example.cache: waiting for a suspended queue
            2 blocks on queue com.example.disk: waiting for a suspended queue
          """, ofSuspendedQueues)
      ])
  }

  @Test func `F3 blocks of background work are not listed`() async {
    let log = DispatchQueue(label: "com.example.log")
    log.suspend()
    let text = await text {
      let group = DispatchGroup()
      group.enter()
      Simulation.current!.background {
        log.async {}
        group.notify(queue: DispatchQueue(label: "com.example.metrics")) {}
      }
      await withCheckedContinuation { done in
        group.notify(queue: DispatchQueue(label: "com.example.screen")) { done.resume() }
      }
    }
    log.resume()
    #expect(
      text == [
        deadlock(
          at: "0 s",
          """
            the body: suspended since 0 s
            a block on queue com.example.screen: waiting for a dispatch group
          """, ofGroups)
      ])
  }

  @Test func `F3 tasks, blocks, groups, work items and continuations are in one list`() async {
    let text = await text {
      let (semaphore, group) = (DispatchSemaphore(value: 0), DispatchGroup())
      group.enter()
      let cache = DispatchQueue(label: "com.example.cache")
      nonisolated(unsafe) let item = DispatchWorkItem {}
      Task(name: "loader") { wait(for: semaphore) }
      cache.async { semaphore.wait() }
      cache.async(execute: item)
      Task(name: "timer") {
        try await Task.sleep(for: .seconds(3))
        wait(for: group)
      }
      DispatchQueue(label: "com.example.reader").async {
        Thread.sleep(forTimeInterval: 1)
        cache.sync {}
      }
      DispatchQueue.global().async { group.wait() }
      DispatchQueue(label: "com.example.log").async {
        Thread.sleep(forTimeInterval: 2)
        item.wait()
      }
      Task(name: "asker") { await never() }
      group.notify(queue: .main) {}
      await never()
    }
    #expect(
      text == [
        deadlock(
          at: "3 s",
          """
            the body: suspended since 0 s
            task 1 "loader": waiting for a semaphore since 0 s
            task 2 "queue com.example.cache": waiting for a semaphore since 0 s
            task 3 "timer": waiting for a dispatch group since 3 s
            task 4 "queue com.example.reader": waiting for the queue com.example.cache since 1 s
            task 5 "queue com.apple.root.default-qos": waiting for a dispatch group since 0 s
            task 6 "queue com.example.log": waiting for a work item since 2 s
            task 7 "asker": suspended since 0 s
            a block on queue com.apple.main-thread: waiting for a dispatch group
            a block on queue com.example.cache: waiting for a block before it
          """, ofSemaphores)
      ])
  }

  @Test func `F3 a task that awaits a task which waits for a queue`() async {
    let queue = DispatchQueue(label: "com.example.cache")
    let text = await text {
      let semaphore = DispatchSemaphore(value: 0)
      queue.async { semaphore.wait() }
      let reader = Task(name: "reader") { wait(for: queue) }
      Task(name: "screen") {
        await reader.value
        semaphore.signal()
      }
      await reader.value
    }
    #expect(
      text == [
        deadlock(
          at: "0 s",
          """
            the body: suspended since 0 s
            task 1 "queue com.example.cache": waiting for a semaphore since 0 s
            task 2 "reader": waiting for the queue com.example.cache since 0 s
            task 3 "screen": suspended since 0 s
          """, ofSemaphores)
      ])
  }

  @Test(.needs(.clocks)) func `F3 a wait with a deadline is over before the deadlock`() async {
    let queue = DispatchQueue(label: "com.example.cache")
    let text = await text {
      let semaphore = DispatchSemaphore(value: 0)
      queue.async {
        _ = semaphore.wait(timeout: .now() + 60)
        semaphore.wait()
      }
      Task(name: "reader") {
        _ = waitForAMinute(for: semaphore)
        wait(for: queue)
      }
      await never()
    }
    #expect(
      text == [
        deadlock(
          at: "60 s",
          """
            the body: suspended since 0 s
            task 1 "queue com.example.cache": waiting for a semaphore since 60 s
            task 2 "reader": waiting for the queue com.example.cache since 60 s
          """, ofSemaphores)
      ])
  }
}

// Asynchronous code must not call these directly.

private func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

private func wait(for group: DispatchGroup) { group.wait() }

private func wait(for queue: DispatchQueue) { queue.sync {} }

private func waitForAMinute(for semaphore: DispatchSemaphore) -> DispatchTimeoutResult {
  semaphore.wait(timeout: .now() + 60)
}

private func never() async {
  await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}
