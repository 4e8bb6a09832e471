import Dispatch
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Cancelling a task cancels no block that it has given to a queue, as without a simulation (S10).
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct CancelledTaskBlockTests {
  /// A way to give a block to a queue.
  enum Way: CaseIterable {
    case async, delayed, barrier, group, notify, item, sync, syncBarrier, syncItem, iteration

    /// Whether the task runs the block itself, and so is the block's task.
    var isRunByTask: Bool {
      switch self {
      case .sync, .syncBarrier, .syncItem, .iteration: true
      case .async, .delayed, .barrier, .group, .notify, .item: false
      }
    }

    func give(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue) {
      switch self {
      case .async: queue.async(execute: block)
      case .delayed: queue.asyncAfter(deadline: .now(), execute: block)
      case .barrier: queue.async(flags: .barrier, execute: block)
      case .group: queue.async(group: DispatchGroup(), execute: block)
      case .notify: DispatchGroup().notify(queue: queue, execute: block)
      case .item: queue.async(execute: DispatchWorkItem(block: block))
      case .sync: queue.sync(execute: block)
      case .syncBarrier: queue.sync(flags: .barrier, execute: block)
      case .syncItem: queue.sync(execute: DispatchWorkItem(block: block))
      case .iteration:
        queue.sync { DispatchQueue.concurrentPerform(iterations: 1) { _ in block() } }
      }
    }
  }

  /// When the task is cancelled.
  enum Moment: CaseIterable {
    case beforeItGivesTheBlock, beforeTheBlockRuns, whileTheBlockRuns
  }

  /// Whether the block is cancelled when it begins and when it ends.
  private func course(_ way: Way, _ moment: Moment) async -> [Bool] {
    let queue = DispatchQueue(label: "com.example.queue", attributes: .concurrent)
    let (course, mayBegin, isOver) = (Log<Bool>(), Latch(), Latch())
    let task = Locked<Task<Void, Never>?>(nil)
    let cancelTask: @Sendable () -> Void = { task.withLock { $0 }!.cancel() }
    queue.suspend()
    let block: @Sendable () -> Void = {
      course.append(Task.isCancelled)
      if moment == .whileTheBlockRuns { cancelTask() }
      course.append(Task.isCancelled)
      isOver.open()
    }
    let giver = Task {
      await mayBegin.wait()
      way.give(block, to: queue)
    }
    task.withLock { $0 = giver }
    if moment == .beforeItGivesTheBlock { cancelTask() }
    mayBegin.open()
    if moment == .beforeTheBlockRuns { cancelTask() }
    queue.resume()
    await isOver.wait()
    await giver.value
    return course.values
  }

  @Test(arguments: Way.allCases, Moment.allCases)
  func `S10 a block runs, and is cancelled only if the task runs it`(
    way: Way, moment: Moment
  ) async throws {
    let expected = way.isRunByTask ? [moment != .whileTheBlockRuns, true] : [false, false]
    let outcome = await Simulation.run { await course(way, moment) }
    #expect(try outcome.result?.get() == expected)
    #expect(outcome.report.externalResumptionCount == 0)
    // Without a simulation.
    #expect(await course(way, moment) == expected)
  }
}
