/// Work or a subscription that can be cancelled, such as the token that `schedule` returns.
///
/// Dropping a scheduler's token does not cancel the work, as in GCD. ``cancel()`` may be called
/// from any thread and more than once.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let reminder = scheduler.schedule(after: .seconds(60)) { print("Save your work") }
/// reminder.cancel()
/// ```
public protocol CancellableType: Sendable {
  /// Keeps the work from starting, or from starting again.
  ///
  /// Work that has started, on this thread or another, runs to its end. A second call does nothing,
  /// and neither does a call after the work has run.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let reminder = scheduler.schedule(after: .seconds(60)) { print("Save your work") }
  /// reminder.cancel()
  /// scheduler.advance(by: .seconds(60))  // prints nothing
  /// ```
  func cancel()
}
