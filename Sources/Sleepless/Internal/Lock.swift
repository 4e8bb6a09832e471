#if canImport(Darwin)
  import os
#elseif canImport(Glibc)
  import CAtomics
  import Glibc
#elseif canImport(Musl)
  import CAtomics
  import Musl
#endif

/// A lock that is held for a few instructions. `Locked` keeps a value beside it.
///
/// Locking and unlocking are separate calls, because a closure costs a debug build two calls and a type
/// lookup in the runtime. `Mutex` has separate calls only as underscored functions, and the import of its module
/// makes a debug build from scratch over a second longer: see CAtomics.
@usableFromInline package struct Lock: ~Copyable, @unchecked Sendable {
  // Unchecked because of the pointer. A mutex is made for several threads.
  #if canImport(Darwin)
    @usableFromInline package let mutex = OSAllocatedUnfairLock()

    @usableFromInline package init() {}
  #else
    /// On the heap, because a mutex must not move. C allocates it, because Swift's generic allocation is slow in a
    /// debug build.
    @usableFromInline package let mutex = sleepless_make_mutex()!

    @usableFromInline package init() {}

    deinit { sleepless_free_mutex(mutex) }
  #endif

  @usableFromInline @_transparent package borrowing func lock() {
    #if canImport(Darwin)
      mutex.lock()
    #else
      pthread_mutex_lock(mutex)
    #endif
  }

  @usableFromInline @_transparent package borrowing func unlock() {
    #if canImport(Darwin)
      mutex.unlock()
    #else
      pthread_mutex_unlock(mutex)
    #endif
  }
}
