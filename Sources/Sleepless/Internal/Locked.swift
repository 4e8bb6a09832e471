#if canImport(Darwin)
  import os
#else
  import Synchronization
#endif

/// A value that is only touched while its lock is held.
///
/// The closure must not call code of the user's (contract T9): decide under the lock, act after it.
///
/// Locks are taken millions of times a second, in debug builds too, which is how tests run. There
/// generic code asks the runtime for every type it meets, so the value lies beside the lock and not
/// in it. In release the other modules inline this, for which the class has to be
/// `@usableFromInline`.
@usableFromInline package final class Locked<Value>: @unchecked Sendable {
  // Unchecked because of the value, which nobody touches without the lock.
  @usableFromInline package let value: UnsafeMutablePointer<Value>
  #if canImport(Darwin)
    // `Mutex` needs macOS 15; this one is there from macOS 13.
    @usableFromInline package let lock = OSAllocatedUnfairLock()
  #else
    @usableFromInline package let lock = Mutex(())
    /// Says to the thread sanitizer what the lock guarantees anyway. It cannot see that for itself:
    /// a thread that has to wait gets the lock within the standard library, which is not
    /// instrumented, and every contended `Mutex` would be reported as a race.
    @usableFromInline package let handover = Atomic<UInt8>(0)
  #endif

  package init(_ value: consuming sending Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  @inlinable package func withLock<Result>(
    _ body: (inout sending Value) throws -> sending Result
  ) rethrows -> sending Result {
    #if canImport(Darwin)
      lock.lock()
      defer { lock.unlock() }
      return try body(&value.pointee)
    #else
      return try lock.withLock { _ in
        _ = handover.load(ordering: .acquiring)
        defer { handover.store(0, ordering: .releasing) }
        return try body(&value.pointee)
      }
    #endif
  }
}
