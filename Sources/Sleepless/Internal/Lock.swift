#if canImport(Darwin)
  import os
#else
  import Synchronization
#endif

/// A lock that is held for a few instructions. `Locked` keeps a value beside it.
///
/// Locking and unlocking are separate calls, because a closure costs a debug build two calls and a type
/// lookup in the runtime. The standard library offers separate calls only as underscored functions.
@usableFromInline package struct Lock: ~Copyable, Sendable {
  #if canImport(Darwin)
    // `Mutex` needs macOS 15; this lock needs macOS 13.
    @usableFromInline package let unfair = OSAllocatedUnfairLock()
  #else
    @usableFromInline package let mutex = Mutex(())
    /// Shows the thread sanitizer the order that the lock guarantees. A thread that has to wait gets
    /// the lock inside the standard library, which is not instrumented. Without this variable, the
    /// sanitizer would report every contended `Mutex` as a race.
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
