import Dispatch

/// A queue that runs work later: the part of `DispatchQueue` that a class with `async` calls needs.
///
/// Change the type of a stored property from `DispatchQueue` to `any DispatchQueueType` and keep
/// `DispatchQueue.main` as the default argument. A test can then pass a queue that it controls. The
/// calls stay as they are:
///
/// ```swift
/// final class Counter: Sendable {
///   let queue: any DispatchQueueType
///   init(queue: any DispatchQueueType = DispatchQueue.main) { self.queue = queue }
///   func countLater(_ count: @escaping @Sendable () -> Void) {
///     queue.async { count() }
///   }
/// }
/// ```
///
/// A conforming type implements only ``async(execute:)``.
public protocol DispatchQueueType: Sendable {
  /// Enqueues work and returns at once. The queue decides the order of the work.
  ///
  /// ```swift
  /// struct InlineQueue: DispatchQueueType {
  ///   func async(execute work: @escaping @Sendable @convention(block) () -> Void) { work() }
  /// }
  ///
  /// InlineQueue().async { print("at once") }  // prints "at once"
  /// ```
  @preconcurrency
  @_disfavoredOverload  // so that calls choose the variant below, which records the caller's line
  func async(execute work: @escaping @Sendable @convention(block) () -> Void)
}

extension DispatchQueueType {
  /// Enqueues work and returns at once. The queue decides the order of the work.
  ///
  /// Does the same as ``async(execute:)``. A test's queue also learns the caller's line and can
  /// name it in a failure.
  ///
  /// ```swift
  /// let queue = TestScheduler()
  /// queue.async { print("work") }
  /// print("called")  // prints called
  /// queue.advance()  // prints work
  /// ```
  @preconcurrency
  public func async(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    if let queue = self as? any LocatedQueue {
      let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
      queue.async(at: site, execute: work)
    } else {
      let enqueue = self.async(execute:)
      enqueue(work)
    }
  }
}

/// A queue that records the caller's line; ``DispatchQueueType`` does not require one.
package protocol LocatedQueue: DispatchQueueType {
  /// Enqueues work and records the caller's line.
  func async(at site: CallSite, execute work: @escaping @Sendable @convention(block) () -> Void)
}

/// A queue in virtual time.
package protocol VirtualQueue: LocatedQueue {
  /// Enqueues work as `async` does, under a label, and returns a token that cancels it.
  func enqueue(
    _ label: String, at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType

  /// Enqueues work when every task has left the group.
  func async(
    whenEmpty group: DispatchGroup, at site: CallSite,
    execute work: @escaping @Sendable @convention(block) () -> Void)
}
