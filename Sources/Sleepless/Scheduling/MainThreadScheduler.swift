import Dispatch

/// Runs work at once on the main thread; from other threads, enqueues it on the main queue.
///
/// A value that is set on the main thread arrives in the same turn of the run loop, unless a value from another thread
/// waits. `DispatchQueue.main` would deliver it in a later one.
/// `receive(on:)` keeps the order of values all the same: if a value of another thread waits, that one comes first,
/// and the newer one in a later turn. Work that `async` enqueues from another thread may run after work that the main
/// thread runs at once.
///
/// Work of the main queue counts as on the main thread. On Linux, a program whose `main` is asynchronous, or which
/// calls `dispatchMain()`, drains that queue on other threads.
///
/// Delayed work goes to the main queue. In a test, pass a scheduler that the test controls instead.
///
/// ```swift
/// let progress = EventSubject<Double, Never>()
/// let token = progress.receive(on: MainThreadScheduler()).sink { print($0) }
/// ```
public struct MainThreadScheduler: SchedulerType {
  /// Makes a scheduler; all of them are alike.
  ///
  /// ```swift
  /// let scheduler = MainThreadScheduler()
  /// scheduler.async { print("work") }  // on the main thread prints work at once
  /// print("after the call")  // prints "after the call"
  /// ```
  public init() {}

  /// Runs work before it returns if it is called on the main thread, and enqueues it otherwise.
  ///
  /// ```swift
  /// let scheduler = MainThreadScheduler()
  /// scheduler.async { print("work") }  // on the main thread prints work at once
  /// print("after the call")  // prints "after the call"
  /// ```
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    if MainQueue.isCurrent { work() } else { DispatchQueue.main.async(execute: work) }
  }

  /// The system's uptime.
  public var now: Duration { .uptime }

  /// Runs work on the main thread and waits until it has run.
  ///
  /// ```swift
  /// let sum = MainThreadScheduler().sync { 1 + 2 }  // on the main thread, a plain call
  /// print(sum)  // prints 3
  /// ```
  public func sync<Result>(execute work: () throws -> Result) rethrows -> Result {
    if MainQueue.isCurrent { try work() } else { try DispatchQueue.main.sync(execute: work) }
  }

  /// Runs work on the main queue once, after a delay.
  ///
  /// The example calls the short form, which passes the caller's line as `site`.
  ///
  /// ```swift
  /// let scheduler = MainThreadScheduler()
  /// scheduler.schedule(after: .seconds(2)) { print("hidden") }
  /// try await Task.sleep(for: .seconds(3))  // prints hidden after 2 seconds
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    DispatchQueue.main.schedule(
      after: delay, tolerance: tolerance, label: label, at: site, execute: work)
  }

  /// Runs work on the main queue after a delay and then at every interval.
  ///
  /// The example calls the short form, which passes the caller's line as `site`.
  ///
  /// ```swift
  /// let scheduler = MainThreadScheduler()
  /// let polling = scheduler.schedule(after: .zero, every: .seconds(10)) { print("poll") }
  /// try await Task.sleep(for: .seconds(15))  // prints poll twice: at once and after 10 seconds
  /// polling.cancel()
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    DispatchQueue.main.schedule(
      after: delay, every: interval, tolerance: tolerance, label: label, at: site, execute: work)
  }
}
