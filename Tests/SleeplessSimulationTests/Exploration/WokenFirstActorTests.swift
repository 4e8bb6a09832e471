// virtual time: everything here runs in simulations
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// A woken task that is isolated to an actor may run before its waker's next statement, if no other job is in the actor.
@Suite(.wholeProcess, .timeLimit(.minutes(10))) struct WokenFirstActorTests {
  @Test @available(macOS 15, *)
  func `S8 a task that is resumed in an actor may run before the next statement`() async {
    let (_, orders) = await explored(.wokenFirst, schedules: 200) {
      let notebook = Notebook()
      let waiting = Task { await notebook.wait() }
      while await !notebook.isWaiting { await Task.yield() }
      let continuation = await notebook.takeContinuation()
      continuation.resume()
      notebook.log.append("waker")
      await waiting.value
      return notebook.log.values.joined(separator: " ")
    }
    #expect(Set(orders) == ["waker woken", "woken waker"])
  }

  @Test @available(macOS 15, *)
  func `S8 a new task that hops to an actor may run there before the next statement`() async {
    let (_, orders) = await explored(.wokenFirst, schedules: 200) {
      let notebook = Notebook()
      let new = Task { await notebook.note("woken") }
      notebook.log.append("waker")
      await new.value
      return notebook.log.values.joined(separator: " ")
    }
    #expect(Set(orders) == ["waker woken", "woken waker"])
  }

  @Test @available(macOS 15, *)
  func `S8 the waker may be in another actor, and goes on there`() async {
    let (_, orders) = await explored(.wokenFirst, schedules: 200) {
      let (notebook, waker) = (Notebook(), Waker())
      let waiting = Task { await notebook.wait() }
      while await !notebook.isWaiting { await Task.yield() }
      await waker.resume(notebook.takeContinuation(), notebook.log)
      await waiting.value
      await waker.note("after", notebook.log)
      return notebook.log.values.joined(separator: " ")
    }
    #expect(Set(orders) == ["waker woken after", "woken waker after"])
  }

  @Test @available(macOS 15, *)
  func `S8 no task runs in the actor of its waker before the waker leaves it`() async {
    let (_, orders) = await explored(.wokenFirst, schedules: 200) {
      let notebook = Notebook()
      let waiting = Task { await notebook.wait() }
      while await !notebook.isWaiting { await Task.yield() }
      await notebook.resume()
      await waiting.value
      return notebook.log.values.joined(separator: " ")
    }
    #expect(Set(orders) == ["waker woken"])
    // A job that waited for the actor would have had its schedule repeated.
    #expect(orders.count == 200)
  }

  @Test @available(macOS 15, *)
  func `S8 a task that ran first in an actor takes its turn there from then on`() async {
    let (result, sums) = await explored(.wokenFirst, schedules: 200) {
      let counter = OneAtATime()
      await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<3 { await counter.count() }
          }
        }
      }
      return await counter.sum
    }
    #expect(result.failed == 0 && result.run == 200)
    #expect(Set(sums) == [12] && sums.count == 200)
  }

  @Test(.needs(.blockingCalls)) @available(macOS 15, *)
  func `S8 a woken task may block its thread in an actor by a call that takes virtual time`()
    async
  {
    let (result, orders) = await explored(.wokenFirst, schedules: 200) {
      let notebook = Notebook()
      let new = Task { await notebook.sleepAndNote("woken") }
      notebook.log.append("waker")
      let other = Task { await notebook.note("other") }
      await new.value
      await other.value
      return notebook.log.values.joined(separator: " ")
    }
    #expect(result.run == 200 && orders.count == 200)
    // The other task enters the actor when the thread has left it, or before. The sleep may begin within a step.
    #expect(
      Set(orders) == [
        "sleep waker woken other", "waker sleep woken other", "waker other sleep woken",
      ])
  }

  @Test @available(macOS 15, *)
  func `S8 a woken task in an actor that needs a lock of its waker blocks once`() async {
    let (result, orders) = await explored(.wokenFirst, schedules: 100) {
      let (notebook, lock) = (Notebook(), NSLock())
      let blocked = lock.withLock {
        let new = Task { await notebook.lockAndNote("woken", lock) }
        notebook.log.append("waker")
        return new
      }
      await blocked.value
      await notebook.note("after")
      return notebook.log.values.joined(separator: " ")
    }
    #expect(result.run == 100)
    // One schedule did not count: its woken task blocked.
    #expect(orders.count == 101 && Set(orders) == ["waker woken after"])
  }

  @Test @available(macOS 15, *)
  func `S7 a schedule in which a task ran first in an actor is replayed`() async throws {
    let explorer = Explorer(
      ExplorationPlan(name: "test", schedules: 200, strategy: .wokenFirst, seed: 0))
    let program = { @Sendable () async -> String in
      let notebook = Notebook()
      let new = Task { await notebook.note("woken") }
      notebook.log.append("waker")
      await new.value
      return notebook.log.values.joined(separator: " ")
    }
    _ = await run(explorer, failing: { $0 == "woken waker" }, program)
    let failure = try #require(explorer.result.failure)
    // The new task runs before the next statement, and goes on where it hops to the actor.
    #expect(failure.shrunk.switches == 2)
    let again = Explorer(
      ExplorationPlan(name: "test", schedules: 1, replay: try ReplayString(failure.replay)))
    let orders = await run(again, failing: { $0 == "woken waker" }, program)
    #expect(orders.first == "woken waker")
  }
}

private actor Notebook {
  nonisolated let log = Log<String>()
  private var continuation: UnsafeContinuation<Void, Never>?

  var isWaiting: Bool { continuation != nil }

  func wait() async {
    await withUnsafeContinuation { continuation = $0 }
    preconditionIsolated()
    log.append("woken")
  }

  func takeContinuation() -> UnsafeContinuation<Void, Never> { continuation! }

  func resume() {
    continuation!.resume()
    log.append("waker")
  }

  func note(_ text: String) {
    preconditionIsolated()
    log.append(text)
  }

  func sleepAndNote(_ text: String) {
    log.append("sleep")
    Thread.sleep(forTimeInterval: 1)
    log.append(text)
  }

  func lockAndNote(_ text: String, _ lock: NSLock) {
    lock.withLock { log.append(text) }
  }
}

private actor Waker {
  func resume(_ continuation: UnsafeContinuation<Void, Never>, _ log: Log<String>) {
    continuation.resume()
    preconditionIsolated()
    log.append("waker")
  }

  func note(_ text: String, _ log: Log<String>) { log.append(text) }
}

/// Fails if two jobs are in it at once.
private actor OneAtATime {
  private(set) var sum = 0
  private var isOccupied = false

  func count() {
    precondition(!isOccupied)
    isOccupied = true
    let before = sum
    // The new task must not enter the actor here.
    Task { countAgain() }
    sum = before + 1
    isOccupied = false
  }

  private func countAgain() { precondition(!isOccupied) }
}
