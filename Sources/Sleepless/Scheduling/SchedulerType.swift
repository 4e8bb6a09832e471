import Dispatch

/// A queue with a clock: it runs work at once, after a delay, or at an interval.
///
/// `DispatchQueue`, `OperationQueue`, ``RunLoopScheduler`` and ``MainThreadScheduler`` are the live schedulers. Times
/// are `Duration`s. ``now`` counts from an origin that only the scheduler knows, so compare its values only with one
/// another. GCD's calls (`asyncAfter`, `DispatchWorkItem`, `DispatchGroup.notify`) compile as well.
///
/// ```swift
/// final class Retry: Sendable {
///   private let scheduler: any SchedulerType
///
///   init(scheduler: any SchedulerType = DispatchQueue.main) { self.scheduler = scheduler }
///
///   func again(_ work: @escaping @Sendable () -> Void) {
///     scheduler.schedule(after: .seconds(2), execute: work)
///   }
/// }
/// ```
public protocol SchedulerType: DispatchQueueType {
  /// The time since some fixed origin.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let start = scheduler.now
  /// scheduler.advance(by: .seconds(5))
  /// print(scheduler.now - start)  // prints 5.0 seconds
  /// ```
  var now: Duration { get }

  /// Runs work once, after a delay; a negative delay counts as zero.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: .seconds(2), tolerance: .zero, label: "hide", at: CallSite()) {
  ///   print("hidden")
  /// }
  /// scheduler.advance(by: .seconds(2))  // prints hidden
  /// ```
  ///
  /// - Parameters:
  ///   - delay: How long to wait.
  ///   - tolerance: By how much the system may be late, to save energy.
  ///   - label: A name for failures and lists of pending work.
  ///   - site: Where the call stands.
  ///   - work: What to run.
  /// - Returns: A token that cancels the work; dropping the token does not.
  @discardableResult
  func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType

  /// Runs work after a delay and then at every interval.
  ///
  /// The intervals count from the first run. An interval that is not positive stops the program at
  /// the caller's line; a test scheduler fails the test instead.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let polling = scheduler.schedule(
  ///   after: .zero, every: .seconds(10), tolerance: .zero, label: "poll", at: CallSite()
  /// ) { print("poll") }
  /// scheduler.advance(by: .seconds(15))  // prints poll twice: at once and after 10 seconds
  /// polling.cancel()
  /// ```
  @discardableResult
  func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType

  /// Runs work as the queue would and returns its result when it has run.
  ///
  /// Work of a serial queue must not call this on its own queue: GCD then stops the program or waits for
  /// ever, and a test scheduler fails the test.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.async { print("first") }
  /// let sum = scheduler.sync { 1 + 2 }  // prints first
  /// print(sum)  // prints 3
  /// ```
  func sync<Result>(execute work: () throws -> Result) rethrows -> Result
}

extension SchedulerType {
  /// Runs work once, after a delay.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: .seconds(2), label: "hide the toast") { print("hidden") }
  /// scheduler.advance(by: .seconds(2))  // prints hidden
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

  /// Runs work at every interval until it is cancelled; the first run comes after `delay`, or after
  /// one interval.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let polling = scheduler.schedule(every: .seconds(10)) { print("poll") }
  /// scheduler.advance(by: .seconds(25))  // prints poll twice: after 10 and after 20 seconds
  /// polling.cancel()
  /// scheduler.advance(by: .seconds(25))  // prints nothing
  /// ```
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
