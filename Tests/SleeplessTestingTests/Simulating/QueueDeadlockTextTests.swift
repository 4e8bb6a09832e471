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
          """, ofQueues)
      ])
  }
}
