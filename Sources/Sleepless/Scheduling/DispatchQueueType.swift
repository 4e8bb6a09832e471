import Dispatch

/// A queue that runs work later: what a class needs of `DispatchQueue` if it calls `async`.
///
/// Change the type of a stored property from `DispatchQueue` to `any DispatchQueueType`, keep
/// `DispatchQueue.main` as the default argument, and a test can pass a queue that it steers itself.
/// Calls stay as they are:
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
/// A conforming type implements ``async(execute:)`` and nothing else.
public protocol DispatchQueueType: Sendable {
  /// Enqueues work and returns at once; the order among calls is the queue's.
  @preconcurrency
  @_disfavoredOverload  // so that calls get the variant below, which knows its caller's line
  func async(execute work: @escaping @Sendable @convention(block) () -> Void)
}

extension DispatchQueueType {
  /// Enqueues work and returns at once; the order among calls is the queue's.
  ///
  /// Does what ``async(execute:)`` does. A stand-in also learns which line the work came from, and
  /// can name it in a failure.
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

/// A queue that can make use of its caller's line, which ``DispatchQueueType`` does not ask for.
package protocol LocatedQueue: DispatchQueueType {
  /// Enqueues work that came from a line.
  func async(at site: CallSite, execute work: @escaping @Sendable @convention(block) () -> Void)
}

/// A queue in virtual time.
package protocol VirtualQueue: LocatedQueue {
  /// Enqueues work as `async` does, under a name, and returns what can call it off.
  func enqueue(
    _ label: String, at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType

  /// Enqueues work for when every task of the group has left it.
  func async(
    whenEmpty group: DispatchGroup, at site: CallSite,
    execute work: @escaping @Sendable @convention(block) () -> Void)
}
