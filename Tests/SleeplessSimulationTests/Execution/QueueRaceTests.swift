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

  @Test(.needs(.blockingCalls), arguments: Guard.allCases) @available(macOS 15, *)
  func `S7 an update between a reading and a writing call is found`(by guarding: Guard) async {
    await expectBug(right: 2) { isRight in
      let (count, guarded) = (Locked(0), Guarded(by: guarding))
      await withTaskGroup { group in
        for _ in 1...2 {
          group.addTask {
            if isRight { return guarded.use { count.withLock { $0 += 1 } } }
            let old = guarded.use { count.withLock { $0 } }
            guarded.use { count.withLock { $0 = old + 1 } }
          }
        }
      }
      return count.withLock { $0 }
    }
  }

  @Test(.needs(.blockingCalls), arguments: Guard.allCases) @available(macOS 15, *)
  func `S8 another task may run before each call that need not wait`(by guarding: Guard) async {
    let (_, orders) = await explored(.wokenFirst, schedules: 200) {
      let (log, guarded) = (Locked<[Int]>([]), Guarded(by: guarding))
      await withTaskGroup { group in
        for number in 1...2 {
          group.addTask {
            for _ in 1...2 { guarded.use { log.withLock { $0.append(number) } } }
          }
        }
      }
      return log.withLock { $0 }
    }
    // A task that runs within the step of another one is not held itself.
    #expect(Set(orders) == [[1, 1, 2, 2], [1, 2, 2, 1], [2, 1, 1, 2], [2, 2, 1, 1]])
  }

  @Test(.needs(.blockingCalls), arguments: [false, true]) @available(macOS 15, *)
  func `S7 an update between two syncs of blocks is found`(onMainQueue: Bool) async {
    await expectBug(right: 2) { isRight in
      let (count, guarded, group) = (Locked(0), Guarded(by: .queue), DispatchGroup())
      let add: @Sendable () -> Void = {
        if isRight { return guarded.use { count.withLock { $0 += 1 } } }
        let old = guarded.use { count.withLock { $0 } }
        guarded.use { count.withLock { $0 = old + 1 } }
      }
      (onMainQueue ? DispatchQueue.main : .global()).async(group: group, execute: add)
      DispatchQueue.global().async(group: group, execute: add)
      return await withCheckedContinuation { done in
        group.notify(queue: .global()) { done.resume(returning: count.withLock { $0 }) }
      }
    }
  }

  @Test(.needs(.blockingCalls)) @available(macOS 15, *)
  func `S7 an update between two syncs of a cancellation handler is found`() async {
    await expectBug(right: 2) { isRight in
      let (count, guarded) = (Locked(0), Guarded(by: .queue))
      await withTaskGroup { group in
        group.addTask {
          await withTaskCancellationHandler {
            try? await Task.sleep(for: .seconds(1))
          } onCancel: {
            if isRight { return guarded.use { count.withLock { $0 += 1 } } }
            let old = guarded.use { count.withLock { $0 } }
            guarded.use { count.withLock { $0 = old + 1 } }
          }
        }
        await Task.yield()
        group.addTask { guarded.use { count.withLock { $0 += 1 } } }
        group.cancelAll()
      }
      return count.withLock { $0 }
    }
  }

  @Test(.needs(.blockingCalls)) @available(macOS 15, *)
  func `S8 a step within a step counts as another schedule than two steps`() async {
    let (result, orders) = await explored(.wokenFirst, schedules: 100) {
      let (log, guarded) = (Locked(""), Guarded(by: .queue))
      await withTaskGroup { group in
        group.addTask {
          log.withLock { $0 += "1" }
          guarded.use { log.withLock { $0 += "1" } }
        }
        group.addTask { log.withLock { $0 += "2" } }
      }
      return log.withLock { $0 }
    }
    #expect(Set(orders) == ["112", "121", "211"])
    #expect(result.distinct >= 3)
  }

  @Test(.needs(.blockingCalls)) @available(macOS 15, *)
  func `S7 an update between two syncs is found among a hundred tasks`() async {
    await expectBug(right: 100) { isRight in
      let (count, guarded) = (Locked(0), Guarded(by: .queue))
      await withTaskGroup { group in
        for _ in 1...100 {
          group.addTask {
            if isRight { return guarded.use { count.withLock { $0 += 1 } } }
            let old = guarded.use { count.withLock { $0 } }
            guarded.use { count.withLock { $0 = old + 1 } }
          }
        }
      }
      return count.withLock { $0 }
    }
  }

  @Test(.needs(.blockingCalls)) @available(macOS 15, *)
  func `tasks that poll do not keep a held task for ever`() async {
    let (result, counts) = await explored(.wokenFirst, schedules: 50) {
      let (hasEnded, polls) = (Locked(false), Locked(0))
      let guarded = Guarded(by: .queue)
      await withTaskGroup { group in
        for _ in 1...30 {
          group.addTask {
            while !hasEnded.withLock({ $0 }) {
              polls.withLock { $0 += 1 }
              await Task.yield()
            }
          }
        }
        group.addTask {
          guarded.use {}
          hasEnded.withLock { $0 = true }
        }
      }
      return polls.withLock { $0 }
    }
    #expect(result.run == 50 && result.failure == nil)
    // Each job that can run is one chance at a call.
    #expect(counts.allSatisfy { $0 < 10_000 }, "\(counts.max() ?? 0)")
  }

  @Test(.needs(.blockingCalls)) @available(macOS 15, *)
  func `S7 the schedule with a task between two calls is shrunk and replayed`() async throws {
    let program: @Sendable () async -> Int = {
      let (count, guarded) = (Locked(0), Guarded(by: .queue))
      await withTaskGroup { group in
        for _ in 1...4 {
          group.addTask {
            await Task.yield()
            let old = guarded.use { count.withLock { $0 } }
            guarded.use { count.withLock { $0 = old + 1 } }
          }
        }
      }
      return count.withLock { $0 }
    }
    for seed in 0..<UInt64(rounds(5)) {
      let explorer = Explorer(
        ExplorationPlan(name: "test", schedules: 300, strategy: .wokenFirst, seed: seed))
      _ = await run(explorer, failing: { $0 != 4 }, program)
      let failure = try #require(explorer.result.failure, "seed \(seed)")
      // In a release build the tasks take other steps, and more switches may be needed.
      #if DEBUG
        #expect(failure.shrunk.switches == 1, "seed \(seed)")
      #else
        #expect(failure.shrunk.switches <= 4, "seed \(seed)")
      #endif
      let replaying = Explorer(
        ExplorationPlan(
          name: "test", schedules: 1, strategy: .portfolio, seed: 0,
          replay: try ReplayString(failure.replay)))
      let values = await run(replaying, failing: { $0 != 4 }, program)
      #expect(values == [3, 3] && replaying.mismatch == nil, "seed \(seed): \(values)")
    }
  }

  @Test(.needs(.blockingCalls)) @available(macOS 15, *)
  func `a schedule in which a task needs a lock of the held task is repeated without that`() async {
    let (result, orders) = await explored(.wokenFirst, schedules: 200) {
      let (lock, queue) = (NSLock(), DispatchQueue(label: "com.example"))
      let log = Locked("")
      await withTaskGroup { group in
        group.addTask {
          // The lock is held while the call lets others run first.
          lock.withLock {
            log.withLock { $0 += "1" }
            queue.sync { log.withLock { $0 += "1" } }
          }
          log.withLock { $0 += "1" }
          queue.sync { log.withLock { $0 += "1" } }
        }
        group.addTask { lock.withLock { log.withLock { $0 += "2" } } }
      }
      return log.withLock { $0 }
    }
    #expect(result.run == 200)
    // One schedule did not count, because the second task waited for the lock. It was run again. Both tasks ran at the
    // same time in it, so its order is any.
    #expect(orders.count == 201)
    let expected: Set = ["11112", "21111", "11121"]
    #expect(expected.isSubset(of: orders), "\(Set(orders))")
    #expect(orders.count { !expected.contains($0) } <= 1, "\(Set(orders))")
    // The second task still runs within a step at the other call, which has another stack.
    #expect(orders.suffix(100).contains("11121"))
  }

  @Test(arguments: [false, true]) @available(macOS 15, *)
  func `once a block has waited for its waker's lock, later blocks run after the waker's step`(
    needsLock: Bool
  ) async {
    let (result, orders) = await explored(.wokenFirst, schedules: 200) {
      let (lock, log, group) = (NSLock(), Locked(""), DispatchGroup())
      lock.withLock {
        DispatchQueue.global().async(group: group) {
          if needsLock { lock.withLock {} }
        }
      }
      DispatchQueue.global().async(group: group) { log.withLock { $0 += "other" } }
      log.withLock { $0 += "waker" }
      await withCheckedContinuation { done in
        group.notify(queue: .global()) { done.resume() }
      }
      return log.withLock { $0 }
    }
    #expect(result.run == 200)
    let isOtherFirst = Set(orders.suffix(100).map { $0 == "otherwaker" })
    #expect(isOtherFirst == (needsLock ? [false] : [false, true]), "\(Set(orders))")
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

/// What lets one thread at a time use something.
enum Guard: String, CaseIterable { case queue, concurrentQueue, semaphore }

private struct Guarded: Sendable {
  private let guarding: Guard
  private let queue: DispatchQueue
  private let semaphore = DispatchSemaphore(value: 1)

  init(by guarding: Guard) {
    self.guarding = guarding
    let isConcurrent = guarding == .concurrentQueue
    queue = DispatchQueue(label: "com.example", attributes: isConcurrent ? .concurrent : [])
  }

  func use<Result>(_ body: () -> Result) -> Result {
    switch guarding {
    case .queue: return queue.sync(execute: body)
    case .concurrentQueue: return queue.sync(flags: .barrier, execute: body)
    case .semaphore:
      semaphore.wait()
      defer { semaphore.signal() }
      return body()
    }
  }
}

/// Not async, so that it may call `sync`.
private func append(_ number: Int, to log: Locked<[Int]>, on queue: DispatchQueue) {
  queue.sync { log.withLock { $0.append(number) } }
}
