import Dispatch
import Foundation

extension OperationQueue: SchedulerType {
  /// Adds work as an operation and returns at once.
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    addOperation { work() }
  }

  /// The system's uptime.
  public var now: Duration { .uptime }

  /// Adds work as an operation and waits until it has finished. On a queue that runs one operation
  /// at a time, calling it from within an operation waits for ever.
  public func sync<Result>(execute work: () throws -> Result) rethrows -> Result {
    try waitForResult(
      of: work,
      by: { addOperations([BlockOperation(block: $0)], waitUntilFinished: true) },
      rescue: { throw $0 })
  }

  /// Adds work as an operation once, after a delay.
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    LiveWork(
      after: delay, every: nil, tolerance: tolerance, on: .global(),
      deliver: { [weak self] in self?.addOperation($0) }, execute: work)
  }

  /// Adds work as an operation again and again.
  @discardableResult
  public func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    requirePositive(interval, at: site)
    return LiveWork(
      after: delay, every: interval, tolerance: tolerance, on: .global(),
      deliver: { [weak self] in self?.addOperation($0) }, execute: work)
  }
}
