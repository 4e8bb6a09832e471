import Dispatch
import Sleepless
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(10))) struct DispatchQueueTests {
  private let queue = DispatchQueue(label: "live")
  private let log = Log<String>()

  /// Waits until the queue has run all its work.
  private func drain() async { await withCheckedContinuation { c in queue.async { c.resume() } } }

  @Test func `a variable of type DispatchQueue still takes all of GCD's calls`() async {
    // Each of these calls would be ambiguous if our functions competed with GCD's.
    let group = DispatchGroup()
    let deadline: DispatchTime = .now() + 0.001
    queue.async { [log] in log.append("a") }
    queue.async(execute: { [log] in log.append("b") })
    queue.async(execute: DispatchWorkItem { [log] in log.append("c") })
    queue.async(group: group, qos: .utility, flags: .barrier) { [log] in log.append("d") }
    queue.asyncAfter(deadline: .now()) { [log] in log.append("e") }
    queue.asyncAfter(deadline: .now(), execute: DispatchWorkItem {})
    await withCheckedContinuation { done in
      queue.asyncAfter(deadline: deadline, qos: .utility) { done.resume() }
    }
    await withCheckedContinuation { done in
      queue.asyncAfter(wallDeadline: .now() + .milliseconds(1)) { done.resume() }
    }
    #expect(queue.sync { 1 } == 1)
    #expect(queue.sync(flags: .barrier) { 2 } == 2)
    #expect(log.values.sorted() == ["a", "b", "c", "d", "e"])
  }

  @Test func `a task that is cancelled before does not sleep on a queue`() async {
    let task = Task { [queue] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await queue.sleep(for: .seconds(86_400))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a sleep on a queue ends at once when its task is cancelled`() async {
    // An immediate task returns when it sleeps.
    let task = Task.immediate { [queue] in try await queue.sleep(for: .seconds(86_400)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a queue held by protocol runs work in order and on itself`() async {
    let held: any DispatchQueueType = queue
    for name in ["a", "b"] {
      held.async { [log, queue] in
        dispatchPrecondition(condition: .onQueue(queue))
        log.append(name)
      }
    }
    await drain()
    #expect(log.values == ["a", "b"])
  }

  @Test func `a queue held by protocol takes GCD's deadlines`() async {
    let held: any SchedulerType = queue
    let stored: DispatchTime = .now() + 0.001
    let storedWall: DispatchWallTime = .now() + 0.001
    await withCheckedContinuation { done in
      held.asyncAfter(deadline: .now() + 0.001) { done.resume() }
    }
    await withCheckedContinuation { done in
      held.asyncAfter(deadline: stored) { done.resume() }
    }
    await withCheckedContinuation { done in
      held.asyncAfter(wallDeadline: .now() + 0.001) { done.resume() }
    }
    await withCheckedContinuation { done in
      held.asyncAfter(wallDeadline: storedWall) { done.resume() }
    }
  }

  @Test func `sync returns what the work returns and throws what it throws`() {
    let held: any SchedulerType = queue
    #expect(held.sync { 42 } == 42)
    #expect(throws: CancellationError.self) { try held.sync { throw CancellationError() } }
  }

  @Test func `work never runs before its delay has passed on the queue's own clock`() async {
    let held: any SchedulerType = queue
    let start = held.now
    let end = await withCheckedContinuation { done in
      held.schedule(after: .milliseconds(1)) { done.resume(returning: held.now) }
    }
    #expect(end - start >= .milliseconds(1))
  }

  @Test func `T5 a negative delay counts as zero`() async {
    await withCheckedContinuation { done in
      queue.schedule(after: .seconds(-100)) { done.resume() }
    }
  }
}
