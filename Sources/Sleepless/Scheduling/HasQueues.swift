/// Has a queue for work on the main thread, for features composed of protocols.
///
/// ```swift
/// protocol Search: HasService & HasMainQueue {}
/// ```
public protocol HasMainQueue {
  /// The queue for work on the main thread: `DispatchQueue.main` in production.
  var mainQueue: any DispatchQueueType { get }
}

/// Has a queue for work that must not block the main thread, for features composed of protocols.
public protocol HasBackgroundQueue {
  /// The queue for work in the background: one of `DispatchQueue.global()` in production.
  var backgroundQueue: any DispatchQueueType { get }
}
