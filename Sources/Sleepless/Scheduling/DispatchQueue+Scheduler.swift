import Dispatch

extension DispatchQueue: SchedulerType {
  /// Enqueues work and returns at once.
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
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    DispatchTimer(after: delay, every: nil, tolerance: tolerance, on: self, execute: work)
  }

  /// Runs work on this queue again and again; the tolerance becomes the timer's leeway.
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
