import Dispatch

extension DispatchQueue: SchedulerType {
  /// Enqueues work and returns at once.
  ///
  /// ```swift
  /// let queue = DispatchQueue(label: "saving")
  /// queue.async { print("first") }
  /// queue.async { print("second") }
  /// queue.sync {}  // by now both have run, in this order
  /// ```
  @preconcurrency
  @_disfavoredOverload
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    self.async(group: nil, qos: .unspecified, flags: [], execute: work)
  }

  /// The system's uptime, as `DispatchTime` counts it.
  ///
  /// Where there is Combine, a queue has Combine's `now` as well. `queue.now` means that one, and this
  /// one where a `Duration` is expected or the queue is used as a ``SchedulerType``.
  @_disfavoredOverload  // code that was written for Combine's would otherwise no longer compile
  public var now: Duration { .uptime }

  /// Runs work on this queue once, after a delay; the tolerance becomes the timer's leeway.
  ///
  /// The example calls the short form, which passes the caller's line as `site`.
  ///
  /// ```swift
  /// let queue = DispatchQueue(label: "toasts")
  /// queue.schedule(after: .seconds(2)) { print("hidden") }
  /// try await Task.sleep(for: .seconds(3))  // prints hidden after 2 seconds
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    DispatchTimer(after: delay, every: nil, tolerance: tolerance, on: self, execute: work)
  }

  /// Runs work on this queue after a delay and then at every interval; the tolerance becomes the timer's leeway.
  ///
  /// The example calls the short form, which passes the caller's line as `site`.
  ///
  /// ```swift
  /// let queue = DispatchQueue(label: "polling")
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
      after: delay, every: interval, tolerance: tolerance, on: self, execute: work)
  }
}
