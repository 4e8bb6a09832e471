import Dispatch
import Foundation

/// Runs work at once on the main thread; from other threads, enqueues it on the main queue.
///
/// A view model that publishes through it has its values in the same turn of the run loop if they were set on the main
/// thread. `DispatchQueue.main` would deliver them in a later one. So work that another thread enqueued before may run
/// after work that the main thread runs at once.
///
/// Work of the main queue counts as on the main thread. On Linux, a program whose `main` is asynchronous, or which
/// calls `dispatchMain()`, drains that queue on other threads.
///
/// Delayed work goes to the main queue. In a test, pass a scheduler that the test controls instead.
public struct MainThreadScheduler: SchedulerType {
  /// Makes a scheduler; all of them are alike.
  public init() {}

  /// What the main queue has for this key, and no other queue.
  private static let mainQueueKey: DispatchSpecificKey<Void> = {
    let key = DispatchSpecificKey<Void>()
    DispatchQueue.main.setSpecific(key: key, value: ())
    return key
  }()

  private var isOnMainThread: Bool {
    Thread.isMainThread || DispatchQueue.getSpecific(key: Self.mainQueueKey) != nil
  }

  /// Runs work before it returns if it is called on the main thread, and enqueues it otherwise.
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    if isOnMainThread { work() } else { DispatchQueue.main.async(execute: work) }
  }

  /// The system's uptime.
  public var now: Duration { .uptime }

  /// Runs work on the main thread and waits until it has run.
  public func sync<Result>(execute work: () throws -> Result) rethrows -> Result {
    if isOnMainThread { try work() } else { try DispatchQueue.main.sync(execute: work) }
  }

  /// Runs work on the main queue once, after a delay.
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    DispatchQueue.main.schedule(
      after: delay, tolerance: tolerance, label: label, at: site, execute: work)
  }

  /// Runs work on the main queue after a delay and then at every interval.
  @discardableResult
  public func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    DispatchQueue.main.schedule(
      after: delay, every: interval, tolerance: tolerance, label: label, at: site, execute: work)
  }
}
