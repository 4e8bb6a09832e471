#if canImport(Darwin)
  import os
#else
  import Synchronization
#endif

/// A value that is only touched while its lock is held.
///
/// The closure must not call code of the user's (contract T9): decide under the lock, act after it.
package final class Locked<Value>: Sendable {
  #if canImport(Darwin)
    // `Mutex` needs macOS 15; this one is there from macOS 13.
    private let lock: OSAllocatedUnfairLock<Value>

    package init(_ value: consuming sending Value) {
      lock = OSAllocatedUnfairLock(uncheckedState: value)
    }

    package func withLock<Result>(
      _ body: (inout sending Value) throws -> sending Result
    ) rethrows -> sending Result {
      try lock.withLockUnchecked(body)
    }
  #else
    private let lock: Mutex<Value>

    package init(_ value: consuming sending Value) { lock = Mutex(value) }

    package func withLock<Result>(
      _ body: (inout sending Value) throws -> sending Result
    ) rethrows -> sending Result {
      try lock.withLock(body)
    }
  #endif
}
