#if canImport(Darwin)
  import os
#else
  import Synchronization
#endif

/// A lock to be held for a few instructions; what it protects lies beside it, see `Locked`.
///
/// It is taken and given back by calls of their own, without a closure, of which a debug build makes two
/// and a question to the runtime. That is why it uses the standard library's underscored functions.
@usableFromInline package struct Lock: ~Copyable, Sendable {
  #if canImport(Darwin)
    // `Mutex` needs macOS 15; this one is there from macOS 13.
    @usableFromInline package let unfair = OSAllocatedUnfairLock()
  #else
    @usableFromInline package let mutex = Mutex(())
    /// Says to the thread sanitizer what the lock guarantees anyway. It cannot see that for itself:
    /// a thread that has to wait gets the lock within the standard library, which is not
    /// instrumented, and every contended `Mutex` would be reported as a race.
    @usableFromInline package let handover = Atomic<UInt8>(0)
  #endif

  @usableFromInline package init() {}

  @usableFromInline @_transparent package borrowing func lock() {
    #if canImport(Darwin)
      unfair.lock()
    #else
      mutex._unsafeLock()
      _ = handover.load(ordering: .acquiring)
    #endif
  }

  @usableFromInline @_transparent package borrowing func unlock() {
    #if canImport(Darwin)
      unfair.unlock()
    #else
      handover.store(0, ordering: .releasing)
      mutex._unsafeUnlock()
    #endif
  }
}
