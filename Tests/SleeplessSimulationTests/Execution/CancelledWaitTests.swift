// virtual time: all sleeps and waits are in simulations
#if os(Linux)
  import CoreFoundation
  import Dispatch
  import Foundation
  import SleeplessSimulation
  import TestSupport
  import Testing

  /// Cancelling a task does not end a call that blocks its thread (S10).
  @Suite(.needs(.queues), .needs(.clocks), .timeLimit(.minutes(10))) struct CancelledWaitTests {
    // The timeout is so long that a test would fail if its simulation waited for it.
    private let options = Simulation.Options(timeout: .seconds(600))

    @Test(arguments: BlockingCall.all)
    fileprivate func `S10 a call that blocks the thread ends as if its task were not cancelled`(
      call: BlockingCall
    ) async throws {
      for need in call.needs { try need.orCancel() }
      let runLog = RunLog()
      let outcome = await Simulation.run(options) {
        let waiter = Task {
          runLog.note("cancelled: \(Task.isCancelled)")
          await call.callInPlace()
          runLog.note("cancelled: \(Task.isCancelled)")
        }
        try await Task.sleep(for: .seconds(1))
        waiter.cancel()
        runLog.note("cancels")
        await waiter.value
      }
      #expect(runLog.entries == ["cancelled: false@0", "cancels@1000", "cancelled: true@3000"])
      #expect(outcome.report.ending.name == "finished")
      #expect(outcome.report.externalResumptionCount == 0)
    }

    @Test(arguments: BlockingCall.all)
    fileprivate func `S10 a call that blocks the thread of a cancelled task blocks it all the same`(
      call: BlockingCall
    ) async throws {
      for need in call.needs { try need.orCancel() }
      let runLog = RunLog()
      let outcome = await Simulation.run(options) {
        let waiter = Task {
          await call.callInPlace()
          runLog.note("cancelled: \(Task.isCancelled)")
        }
        waiter.cancel()
        await waiter.value
      }
      #expect(runLog.entries == ["cancelled: true@3000"])
      #expect(outcome.report.ending.name == "finished")
    }
  }

  /// A call that blocks its thread for three seconds, and what ends it.
  private struct BlockingCall: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var needs: [Need] = []
    var isOnMainActor = false
    let call: @Sendable () -> Void

    func callInPlace() async {
      if isOnMainActor { await MainActor.run { call() } } else { call() }
    }

    static let all = waits + timedWaits + sleeps + runs

    /// Until something happens.
    private static let waits = [
      Self(testDescription: "DispatchSemaphore.wait()") {
        let semaphore = DispatchSemaphore(value: 0)
        afterThreeSeconds { semaphore.signal() }
        semaphore.wait()
      },
      Self(testDescription: "DispatchGroup.wait()") {
        let group = DispatchGroup.entered
        afterThreeSeconds { group.leave() }
        group.wait()
      },
      Self(testDescription: "DispatchWorkItem.wait()") {
        let item = DispatchWorkItem {}
        DispatchQueue.global().asyncAfter(deadline: .now() + 3, execute: item)
        item.wait()
      },
      Self(testDescription: "DispatchQueue.sync") { busyQueue().sync {} },
      Self(testDescription: "DispatchQueue.sync(flags: .barrier)") {
        busyQueue(.concurrent).sync(flags: .barrier) {}
      },
      Self(testDescription: "dispatch_async_and_wait") {
        let queue = busyQueue()
        asyncAndWait(queue.object) { dispatchPrecondition(condition: .onQueue(queue)) }
      },
      Self(testDescription: "dispatch_barrier_async_and_wait") {
        let queue = busyQueue(.concurrent)
        barrierAsyncAndWait(queue.object) {
          dispatchPrecondition(condition: .onQueueAsBarrier(queue))
        }
      },
      Self(testDescription: "NSCondition.wait()", needs: [.operations]) {
        let condition = NSCondition()
        afterThreeSeconds { condition.broadcast() }
        condition.withLock { condition.wait() }
      },
      Self(testDescription: "pthread_cond_wait", needs: [.operations]) {
        let condition = ConditionOfC()
        afterThreeSeconds { condition.broadcast() }
        condition.wait()
      },
      Self(
        testDescription: "OperationQueue.waitUntilAllOperationsAreFinished()", needs: [.operations]
      ) {
        let queue = OperationQueue()
        queue.addOperation { Thread.sleep(forTimeInterval: 3) }
        queue.waitUntilAllOperationsAreFinished()
      },
      Self(testDescription: "Operation.waitUntilFinished()", needs: [.operations]) {
        let (queue, operation) = (
          OperationQueue(), BlockOperation { Thread.sleep(forTimeInterval: 3) }
        )
        queue.addOperation(operation)
        operation.waitUntilFinished()
      },
    ]

    /// Until a deadline: what they wait for does not come.
    private static let timedWaits = [
      Self(testDescription: "DispatchSemaphore.wait(timeout:)") {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 3)
      },
      Self(testDescription: "DispatchSemaphore.wait(wallTimeout:)") {
        _ = DispatchSemaphore(value: 0).wait(wallTimeout: .now() + 3)
      },
      Self(testDescription: "DispatchGroup.wait(timeout:)") {
        let group = DispatchGroup.entered
        _ = group.wait(timeout: .now() + 3)
        group.leave()
      },
      Self(testDescription: "DispatchGroup.wait(wallTimeout:)") {
        let group = DispatchGroup.entered
        _ = group.wait(wallTimeout: .now() + 3)
        group.leave()
      },
      Self(testDescription: "DispatchWorkItem.wait(wallTimeout:)") {
        _ = DispatchWorkItem {}.wait(wallTimeout: .now() + 3)
      },
      Self(testDescription: "NSCondition.wait(until:)", needs: [.operations, .dates]) {
        let condition = NSCondition()
        condition.withLock { _ = condition.wait(until: Date() + 3) }
      },
      Self(testDescription: "NSConditionLock.lock(before:)", needs: [.operations, .dates]) {
        _ = NSConditionLock(condition: 0).lock(whenCondition: 1, before: Date() + 3)
      },
      Self(testDescription: "pthread_cond_timedwait", needs: [.operations]) {
        _ = ConditionOfC().wait(seconds: 3)
      },
    ]

    private static let sleeps = [
      Self(testDescription: "Thread.sleep(forTimeInterval:)") { Thread.sleep(forTimeInterval: 3) },
      Self(testDescription: "Thread.sleep(until:)", needs: [.dates]) {
        Thread.sleep(until: Date() + 3)
      },
      Self(testDescription: "sleep") { _ = Foundation.sleep(3) },
      Self(testDescription: "usleep") { usleep(3_000_000) },
      Self(testDescription: "nanosleep") {
        var time = timespec(tv_sec: 3, tv_nsec: 0)
        nanosleep(&time, nil)
      },
    ]

    /// Runs of the run loop, of the thread's own and of the main one.
    private static let runs = [false, true].flatMap { isOnMainActor in
      let place = isOnMainActor ? " on the main actor" : ""
      return [
        Self(
          testDescription: "RunLoop.run(until:)\(place)", needs: [.runLoops, .dates],
          isOnMainActor: isOnMainActor
        ) {
          keepRunLoop { RunLoop.current.run(until: Date() + 3) }
        },
        Self(
          testDescription: "RunLoop.run(mode:before:)\(place)", needs: [.runLoops, .dates],
          isOnMainActor: isOnMainActor
        ) {
          keepRunLoop { _ = RunLoop.current.run(mode: .default, before: Date() + 3) }
        },
        Self(
          testDescription: "CFRunLoopRunInMode\(place)", needs: [.runLoops],
          isOnMainActor: isOnMainActor
        ) {
          keepRunLoop { _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 3, false) }
        },
        Self(
          testDescription: "CFRunLoopRun\(place)", needs: [.runLoops], isOnMainActor: isOnMainActor
        ) {
          _ = Timer.scheduledTimer(withTimeInterval: 3, repeats: false) { _ in
            CFRunLoopStop(CFRunLoopGetCurrent())
          }
          CFRunLoopRun()
        },
      ]
    }
  }

  private func afterThreeSeconds(_ code: @escaping @Sendable () -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + 3, execute: code)
  }

  /// A queue with a block that sleeps for three seconds.
  private func busyQueue(_ attributes: DispatchQueue.Attributes = []) -> DispatchQueue {
    let queue = DispatchQueue(label: "com.example.busy", attributes: attributes)
    queue.async { Thread.sleep(forTimeInterval: 3) }
    return queue
  }

  /// Runs the run loop with a timer that is not due, without which it would return at once.
  private func keepRunLoop(_ run: () -> Void) {
    let timer = Timer.scheduledTimer(withTimeInterval: 60, repeats: false) { _ in }
    run()
    timer.invalidate()
  }
#endif
