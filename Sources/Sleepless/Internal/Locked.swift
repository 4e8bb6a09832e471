/// A value that is read and written only while its lock is held.
///
/// The closure must not call the user's code (contract T9): decide under the lock, act after unlocking.
///
/// Locks are taken millions of times a second, also in debug builds, which tests use. In a debug build,
/// generic code looks up each type in the runtime, so the value lies beside the lock and not in it. In a
/// release build the other modules inline this code, so the class must be `@usableFromInline`.
@usableFromInline package final class Locked<Value: ~Copyable>: @unchecked Sendable {
  // Unchecked because of the value. All access to it goes through the lock.
  @usableFromInline package let value: UnsafeMutablePointer<Value>
  @usableFromInline package let mutex = Lock()

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
    mutex.lock()
    defer { mutex.unlock() }
    return try body(&value.pointee)
  }

  /// Locks and returns the value, which the caller may use until `unlock`. For the few places where the
  /// closure of `withLock` is too slow in a debug build.
  @inlinable package func lock() -> UnsafeMutablePointer<Value> {
    mutex.lock()
    return value
  }

  @inlinable package func unlock() { mutex.unlock() }
}

extension Locked where Value == Bool {
  /// Sets it to true; false if it was true already.
  package func setForTheFirstTime() -> Bool {
    withLock { value in
      defer { value = true }
      return !value
    }
  }
}
