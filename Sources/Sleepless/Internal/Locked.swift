#if canImport(Darwin)
  import os
#else
  import Synchronization
#endif

/// A value that is only touched while its lock is held.
///
/// The closure must not call code of the user's (contract T9): decide under the lock, act after it.
///
/// Inlinable because a recorder in the module above takes it for every value: a lock that is not
/// specialised costs three times as much as one that is.
@usableFromInline
package final class Locked<Value>: Sendable {
  #if canImport(Darwin)
    // `Mutex` needs macOS 15; this one is there from macOS 13.
    @usableFromInline let lock: OSAllocatedUnfairLock<Value>

    package init(_ value: consuming sending Value) {
      lock = OSAllocatedUnfairLock(uncheckedState: value)
    }

    @inlinable package func withLock<Result>(
      _ body: (inout sending Value) throws -> sending Result
    ) rethrows -> sending Result {
      try lock.withLockUnchecked(body)
    }
  #else
    @usableFromInline let lock: Mutex<Value>
    /// Says to the thread sanitizer what the lock guarantees anyway. It cannot see that for itself:
    /// a thread that has to wait gets the lock within the standard library, which is not
    /// instrumented, and every contended `Mutex` would be reported as a race.
    @usableFromInline let handover = Atomic<UInt8>(0)

    package init(_ value: consuming sending Value) { lock = Mutex(value) }

    @inlinable package func withLock<Result>(
      _ body: (inout sending Value) throws -> sending Result
    ) rethrows -> sending Result {
      try lock.withLock { value in
        _ = handover.load(ordering: .acquiring)
        defer { handover.store(0, ordering: .releasing) }
        return try body(&value)
      }
    }
  #endif
}
