// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Races between blocks of queues are found, and there is none in the program that is right.
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct QueueRaceTests {
  @Test(.needs(.clocks)) @available(macOS 15, *)
  func `S7 the stale one of two answers with one deadline is found`() async {
    await expectBug(right: 2) { isRight in
      let state = Locked((asked: 0, shown: 0))
      let group = DispatchGroup()
      let deadline = DispatchTime.now() + 1
      for question in 1...2 {
        state.withLock { $0.asked = question }
        group.enter()
        DispatchQueue.global().asyncAfter(deadline: deadline) {
          state.withLock { if !isRight || $0.asked == question { $0.shown = question } }
          group.leave()
        }
      }
      return await withCheckedContinuation { done in
        group.notify(queue: .global()) { done.resume(returning: state.withLock { $0.shown }) }
      }
    }
  }

  @Test @available(macOS 15, *)
  func `S7 a notify before the last leave is found`() async {
    await expectBug(right: 2) { isRight in
      let (count, group) = (Locked(0), DispatchGroup())
      for _ in 1...2 {
        if isRight { group.enter() }
        DispatchQueue.global().async {
          // Too late: the group may be empty before.
          if !isRight { group.enter() }
          DispatchQueue.global().async {
            count.withLock { $0 += 1 }
            group.leave()
          }
        }
      }
      return await withCheckedContinuation { done in
        group.notify(queue: .global()) { done.resume(returning: count.withLock { $0 }) }
      }
    }
  }

  @Test @available(macOS 15, *)
  func `S7 a race between a block and a task is found`() async {
    await expectBug(right: 2) { isRight in
      let (count, group) = (Locked(0), DispatchGroup())
      DispatchQueue.global().async(group: group) { count.withLock { $0 += 1 } }
      let task = Task {
        if isRight { return count.withLock { $0 += 1 } }
        let old = count.withLock { $0 }
        await Task.yield()
        count.withLock { $0 = old + 1 }
      }
      await task.value
      return await withCheckedContinuation { done in
        group.notify(queue: .global()) { done.resume(returning: count.withLock { $0 }) }
      }
    }
  }

  @Test @available(macOS 15, *)
  func `S8 a sync with a free queue lets nothing run before it returns`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 1_000) {
      let (log, queue) = (Locked<[Int]>([]), DispatchQueue(label: "com.example"))
      await withTaskGroup { group in
        for number in 1...2 {
          group.addTask {
            for _ in 1...2 { append(number, to: log, on: queue) }
          }
        }
      }
      return log.withLock { $0 }
    }
    #expect(result.isComplete)
    #expect(Set(orders) == [[1, 1, 2, 2], [2, 2, 1, 1]])
  }

  @Test(.needs(.blockingCalls)) @available(macOS 15, *)
  func `S7 an update between two syncs is found, with a sleep of zero between them`() async {
    await expectBug(right: 2) { isRight in
      let counter = Counter()
      await withTaskGroup { group in
        for _ in 1...2 {
          group.addTask { if isRight { counter.add() } else { counter.addInTwoSyncs() } }
        }
      }
      return counter.value
    }
  }

  @Test(.needs(.clocks)) @available(macOS 15, *)
  func `S8 both orders of two blocks with one deadline are explored`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 1_000) {
      let (log, group) = (Locked<[Int]>([]), DispatchGroup())
      let deadline = DispatchTime.now() + 1
      for number in 1...2 {
        group.enter()
        DispatchQueue.global().asyncAfter(deadline: deadline) {
          log.withLock { $0.append(number) }
          group.leave()
        }
      }
      await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
      return log.withLock { $0 }
    }
    #expect(result.isComplete)
    #expect(Set(orders) == [[1, 2], [2, 1]])
  }
}

/// A number that a queue guards.
private final class Counter: @unchecked Sendable {
  // Unchecked because the number is used on the queue only.
  private let queue = DispatchQueue(label: "com.example.counter")
  private var count = 0

  var value: Int { queue.sync { count } }

  func add() { queue.sync { count += 1 } }

  func addInTwoSyncs() {
    let old = value
    Thread.sleep(forTimeInterval: 0)
    queue.sync { count = old + 1 }
  }
}

/// Not async, so that it may call `sync`.
private func append(_ number: Int, to log: Locked<[Int]>, on queue: DispatchQueue) {
  queue.sync { log.withLock { $0.append(number) } }
}
