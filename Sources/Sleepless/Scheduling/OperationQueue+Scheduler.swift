import Dispatch
import Foundation

extension OperationQueue: SchedulerType {
  /// Adds work as an operation and returns at once.
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// queue.maxConcurrentOperationCount = 1
  /// queue.async { print("first") }
  /// queue.async { print("second") }
  /// queue.waitUntilAllOperationsAreFinished()  // by now both have run, in this order
  /// ```
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    addOperation { work() }
  }

  /// The system's uptime.
  ///
  /// Where there is Combine, a queue has Combine's `now` as well. `queue.now` means that one, and this
  /// one where a `Duration` is expected or the queue is used as a ``SchedulerType``.
  @_disfavoredOverload  // see `DispatchQueue`
  public var now: Duration { .uptime }

  /// Adds work as an operation and waits until it has finished.
  ///
  /// On a queue that runs one operation at a time, a call from within an operation waits for ever.
  /// Cancelling the queue's operations does not cancel this one.
  ///
  /// ```swift
  /// let sum = OperationQueue().sync { 1 + 2 }
  /// print(sum)  // prints 3
  /// ```
  public func sync<Result>(execute work: () throws -> Result) rethrows -> Result {
    try waitForResult(
      of: work,
      by: { addOperations([AwaitedOperation(block: $0)], waitUntilFinished: true) },
      rescue: { throw $0 })
  }

  /// Adds an operation after a delay.
  ///
  /// The example calls the short form, which passes the caller's line as `site`.
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// queue.schedule(after: .seconds(2)) { print("hidden") }
  /// try await Task.sleep(for: .seconds(3))  // prints hidden after 2 seconds
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    DispatchTimer(
      after: delay, every: nil, tolerance: tolerance, on: .global(),
      deliver: { self.addOperation($0) }, execute: work)
  }

  /// Adds an operation after a delay and then at every interval.
  ///
  /// The example calls the short form, which passes the caller's line as `site`.
  ///
  /// ```swift
  /// let queue = OperationQueue()
  /// let polling = queue.schedule(after: .zero, every: .seconds(10)) { print("poll") }
  /// try await Task.sleep(for: .seconds(15))  // prints poll twice: at once and after 10 seconds
  /// polling.cancel()
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    requirePositive(interval, at: site)
    return DispatchTimer(
      after: delay, every: interval, tolerance: tolerance, on: .global(),
      deliver: { self.addOperation($0) }, execute: work)
  }
}

/// An operation whose caller waits for the result, so `cancelAllOperations` must not skip it.
private final class AwaitedOperation: BlockOperation, @unchecked Sendable {
  // Unchecked because its superclass is. This class has no state of its own.
  override func cancel() {}
}
