// virtual time: the yield lets a simulation go on
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

#if os(Linux)
  import CoreFoundation
#endif

/// Cancelling a task cancels no block that it has given to a queue, an operation queue, a timer or a run loop, as
/// without a simulation (S10).
@Suite(.needs(.queues), .timeLimit(.minutes(10))) struct CancelledTaskBlockTests {
  /// A way to give a block away.
  enum Way: CaseIterable {
    case async, delayed, barrier, group, notify, item, timerSource
    case sync, syncBarrier, syncItem, asyncAndWait, iteration
    case operation, barrierOperation, completion, mainOperation
    case timer, mainTimer, perform, mainPerform

    var needs: [Need] {
      switch self {
      case .operation, .barrierOperation, .completion, .mainOperation: [.operations]
      case .timer, .mainTimer, .perform, .mainPerform: [.runLoops, .dates]
      case .timerSource: [.clocks]
      default: []
      }
    }

    /// Whether the task runs the block itself, and so is the block's task.
    var isRunByTask: Bool {
      switch self {
      case .sync, .syncBarrier, .syncItem, .asyncAndWait, .iteration, .timer, .perform: true
      case .async, .delayed, .barrier, .group, .notify, .item, .timerSource, .operation,
        .barrierOperation, .completion, .mainOperation, .mainTimer, .mainPerform:
        false
      }
    }

    /// Whether the block runs without a simulation, and then on the same thread each time.
    var isKnownOutside: Bool {
      switch self {
      // Dispatch may run the block on any thread.
      case .asyncAndWait: false
      // Nobody runs the main run loop under Swift Testing.
      case .mainTimer, .mainPerform: false
      default: true
      }
    }

    /// The block runs when the queue is no longer suspended, or on the main actor.
    func give(_ block: @escaping @Sendable () -> Void, to queue: DispatchQueue) {
      let operations = OperationQueue()
      operations.underlyingQueue = queue
      switch self {
      case .async: queue.async(execute: block)
      case .delayed: queue.asyncAfter(deadline: .now(), execute: block)
      case .barrier: queue.async(flags: .barrier, execute: block)
      case .group: queue.async(group: DispatchGroup(), execute: block)
      case .notify: DispatchGroup().notify(queue: queue, execute: block)
      case .item: queue.async(execute: DispatchWorkItem(block: block))
      case .timerSource:
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler {
          block()
          timer.cancel()
        }
        timer.schedule(deadline: .now())
        timer.activate()
      case .sync: queue.sync(execute: block)
      case .syncBarrier: queue.sync(flags: .barrier, execute: block)
      case .syncItem: queue.sync(execute: DispatchWorkItem(block: block))
      case .asyncAndWait:
        #if os(Linux)
          SleeplessSimulationTests.asyncAndWait(queue.object, block)
        #else
          queue.asyncAndWait(execute: DispatchWorkItem(block: block))
        #endif
      case .iteration:
        queue.sync { DispatchQueue.concurrentPerform(iterations: 1) { _ in block() } }
      case .operation: operations.addOperation(block)
      case .barrierOperation: operations.addBarrierBlock(block)
      case .completion:
        let operation = BlockOperation {}
        operation.completionBlock = block
        operations.addOperation(operation)
      case .mainOperation: OperationQueue.main.addOperation(block)
      case .timer:
        queue.sync {
          // The run loop of a thread of Dispatch may have sources of earlier code. They would keep it running.
          let timer = Self.timer {
            block()
            #if os(Linux)
              CFRunLoopStop(CFRunLoopGetCurrent())
            #endif
          }
          RunLoop.current.add(timer, forMode: .default)
          _ = RunLoop.current.run(mode: .default, before: .distantFuture)
        }
      case .mainTimer: RunLoop.main.add(Self.timer(block), forMode: .default)
      case .perform:
        queue.sync {
          RunLoop.current.perform(block)
          _ = RunLoop.current.run(mode: .default, before: Date())
        }
      case .mainPerform: RunLoop.main.perform(block)
      }
    }

    private static func timer(_ block: @escaping @Sendable () -> Void) -> Timer {
      Timer(timeInterval: 0, repeats: false) { _ in block() }
    }
  }

  /// When the task is cancelled.
  enum Moment: CaseIterable {
    case beforeItGivesTheBlock, beforeTheBlockRuns, whileTheBlockRuns
  }

  /// Whether the block is cancelled when it begins and when it ends.
  @available(macOS 15, *)
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
    // Without a simulation it blocks its thread, and the pool may have only two.
    let giver = Task(executorPreference: Simulation.current == nil ? ThreadExecutor() : nil) {
      await mayBegin.wait()
      way.give(block, to: queue)
    }
    task.withLock { $0 = giver }
    if moment == .beforeItGivesTheBlock { cancelTask() }
    mayBegin.open()
    if moment == .beforeTheBlockRuns {
      // In a simulation the task gives the block meanwhile.
      await Task.yield()
      cancelTask()
    }
    queue.resume()
    await isOver.wait()
    await giver.value
    return course.values
  }

  @Test(arguments: Way.allCases, Moment.allCases) @available(macOS 15, *)
  func `S10 a block runs, and is cancelled only if the task runs it`(
    way: Way, moment: Moment
  ) async throws {
    for need in way.needs { try need.orCancel() }
    let expected = way.isRunByTask ? [moment != .whileTheBlockRuns, true] : [false, false]
    let outcome = await Simulation.run { await course(way, moment) }
    #expect(try outcome.result?.get() == expected)
    #expect(outcome.report.externalResumptionCount == 0)
    guard way.isKnownOutside else { return }
    // Without a simulation.
    #expect(await course(way, moment) == expected)
  }
}
