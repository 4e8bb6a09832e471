import Dispatch
import Foundation
import Sleepless
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(10))) struct OperationQueueTests {
  private let queue = OperationQueue()
  private let log = Log<String>()

  init() { queue.maxConcurrentOperationCount = 1 }

  @Test func `work runs as operations, in order`() {
    let held: any DispatchQueueType = queue
    for name in ["a", "b", "c"] {
      held.async { [log] in log.append(OperationQueue.current == nil ? "nowhere" : name) }
    }
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.values == ["a", "b", "c"])
  }

  @Test func `sync waits for its turn, returns and throws`() {
    queue.async { [log] in log.append("before") }
    #expect(queue.sync { log.values } == ["before"])
    #expect(throws: CancellationError.self) { try queue.sync { throw CancellationError() } }
  }

  @Test func `sync may be called again and again`() {
    // The queue releases an operation a moment after it reports the end.
    for number in 0..<500 { #expect(queue.sync { number } == number) }
  }

  @Test func `sync returns its result although all operations are cancelled`() {
    final class CancellingQueue: OperationQueue, @unchecked Sendable {
      override func addOperations(_ operations: [Operation], waitUntilFinished wait: Bool) {
        for operation in operations { operation.cancel() }
        super.addOperations(operations, waitUntilFinished: wait)
      }
    }
    #expect(CancellingQueue().sync { 42 } == 42)
  }

  @Test func `delayed and repeating work runs in the queue`() async {
    let token = Locked<(any CancellableType)?>(nil)
    await withCheckedContinuation { done in
      let item = queue.schedule(after: .zero, every: .microseconds(100)) { [log] in
        log.append(OperationQueue.current == nil ? "nowhere" : "tick")
        if log.values.count == 3 { done.resume() }
      }
      token.withLock { $0 = item }
    }
    token.withLock { $0 }?.cancel()
    #expect(log.values.prefix(3) == ["tick", "tick", "tick"])
  }

  @Test func `T8 cancelled work does not run although its operation is already waiting`() async {
    // The timer fires on a GCD thread; its operation waits behind the running one.
    await withCheckedContinuation { done in
      queue.addOperation { [queue, log] in
        let isWaiting = DispatchSemaphore(value: 0)
        let token = queue.schedule(after: .zero) { log.append("cancelled") }
        queue.schedule(after: .milliseconds(1)) { done.resume() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.001) { isWaiting.signal() }
        isWaiting.wait()
        token.cancel()
      }
    }
    #expect(log.values == [])
  }

  @Test func `a queue whose owner has released it runs its work and is then released`()
    async
  {
    final class ReleasedQueue: OperationQueue, @unchecked Sendable {
      let released = Event()
      deinit { released.happen() }
    }
    let ran = Event()
    let released = {
      let queue = ReleasedQueue()
      queue.schedule(after: .milliseconds(1)) { ran.happen() }
      return queue.released
    }()
    await ran.wait()
    await released.wait()
  }

  @Test func `a deadline in the distant future does not stop the program`() {
    let held: any SchedulerType = queue
    held.asyncAfter(deadline: DispatchTime.distantFuture) {}
    held.schedule(after: .forever) {}.cancel()
  }
}
