import Dispatch

/// A queue that also knows the time: runs work at once, after a delay, or again and again.
///
/// `DispatchQueue`, `OperationQueue` and ``RunLoopScheduler`` are the live ones. Time is `Duration`;
/// ``now`` counts from an origin that only the scheduler knows, so compare its values with one
/// another and with nothing else. The calls that GCD's users know (`asyncAfter`, `DispatchWorkItem`,
/// `DispatchGroup.notify`) compile as well.
public protocol SchedulerType: DispatchQueueType {
  /// The time since some fixed origin.
  var now: Duration { get }

  /// Runs work once, after a delay; a negative delay means none.
  ///
  /// - Parameters:
  ///   - delay: How long to wait.
  ///   - tolerance: By how much the system may be late, to save energy.
  ///   - label: A name for failures and lists of pending work.
  ///   - site: Where the call stands.
  ///   - work: What to run.
  /// - Returns: A token that cancels; dropping it does not.
  @discardableResult
  func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType

  /// Runs work after a delay and then again at every interval, counted from the first time.
  ///
  /// An interval that is not positive is a mistake in the program and stops it at the caller's
  /// line; a test scheduler fails the test instead.
  @discardableResult
  func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType

  /// Runs work as the queue would and returns its result when it has run.
  func sync<Result>(execute work: () throws -> Result) rethrows -> Result
}

extension SchedulerType {
  /// Runs work once, after a delay.
  ///
  /// ```swift
  /// scheduler.schedule(after: .seconds(2), label: "hide the toast") { hide() }
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration = .zero, label: String? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    schedule(
      after: delay, tolerance: tolerance, label: label,
      at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column), execute: work)
  }

  /// Runs work again and again, first after one interval or after `delay`, until cancelled.
  @discardableResult
  public func schedule(
    after delay: Duration? = nil, every interval: Duration, tolerance: Duration = .zero,
    label: String? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    schedule(
      after: delay ?? interval, every: interval, tolerance: tolerance, label: label,
      at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column), execute: work)
  }
}
