// virtual time: everything here runs in simulations
import Dispatch
import Foundation
import SleeplessTesting
import TestSupport
import Testing
import VirtualTime

/// What a user reads when too many threads are blocked. In processes of their own, because
/// these threads stay blocked.
@Suite(.needs(.queues), .oneProcess, .timeLimit(.minutes(10))) struct BlockedThreadsTextTests {
  @Test func `F3 blocks that wait for a semaphore`() async {
    await #expect(processExitsWith: .success) {
      let semaphore = DispatchSemaphore(value: 0)
      let texts = await textsOfManyBlocks { semaphore.wait() }
      #expect(texts == [text(reason: "a semaphore")])
    }
  }

  @Test func `F3 blocks that wait for a group`() async {
    await #expect(processExitsWith: .success) {
      let group = DispatchGroup()
      group.enter()
      let texts = await textsOfManyBlocks { group.wait() }
      #expect(texts == [text(reason: "a dispatch group")])
    }
  }

  @Test func `F3 blocks that wait for a queue`() async {
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "com.example.held")
      queue.suspend()
      let texts = await textsOfManyBlocks { queue.sync {} }
      #expect(texts == [text(reason: "the queue com.example.held")])
    }
  }

  @Test func `F3 blocks that wait for work items`() async {
    await #expect(processExitsWith: .success) {
      let texts = await textsOfManyBlocks { DispatchWorkItem {}.wait() }
      #expect(texts == [text(reason: "a work item")])
    }
  }
}

private let count = 600

/// The failures of a simulation in which so many blocks wait.
private func textsOfManyBlocks(
  _ wait: @escaping @Sendable () -> Void
) async -> [String] {
  let failures = await failures {
    try? await simulate {
      for _ in 1...count { DispatchQueue.global().async(execute: wait) }
      try await Task.sleep(for: .seconds(2))
    }
  }
  return failures.map(\.withoutFunctions.text)
}

private func text(reason: String) -> String {
  let queue = "queue com.apple.root.default-qos"
  let tasks = (1...9).map { "  task \($0) \"\(queue)\": waiting for \(reason) since 0 s" }
  return """
    The simulation was given up at 0 s, because 512 of its threads are blocked at the same time.
      the body: asleep until 2 s since 0 s
    \(tasks.joined(separator: "\n"))
      and \(count - 9) more tasks
    Each call that sleeps or waits keeps a thread of the system, also without a simulation. \
    Await instead of blocking, or use fewer queues.
    """
}
