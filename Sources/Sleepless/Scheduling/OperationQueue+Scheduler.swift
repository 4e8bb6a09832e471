import Dispatch
import Foundation

extension OperationQueue: SchedulerType {
  /// Adds work as an operation and returns at once.
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
  public func sync<Result>(execute work: () throws -> Result) rethrows -> Result {
    try waitForResult(
      of: work,
      by: { addOperations([AwaitedOperation(block: $0)], waitUntilFinished: true) },
      rescue: { throw $0 })
  }

  /// Adds work as an operation once, after a delay.
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    DispatchTimer(
      after: delay, every: nil, tolerance: tolerance, on: .global(),
      deliver: { self.addOperation($0) }, execute: work)
  }

  /// Adds work as an operation again and again.
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
