/// Something that can be called off: the token that scheduling work returns.
///
/// Dropping a scheduler's token does not cancel, just as with GCD. ``cancel()`` may be called from
/// any thread and more than once.
public protocol CancellableType: Sendable {
  /// Keeps the work from starting (again).
  ///
  /// Work that has started, on this or on another thread, is not interrupted. Cancelling twice, or
  /// after the work has run, does nothing.
  func cancel()
}
