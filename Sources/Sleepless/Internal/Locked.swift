/// A value that is only touched while its lock is held.
///
/// The closure must not call code of the user's (contract T9): decide under the lock, act after it.
///
/// Locks are taken millions of times a second, in debug builds too, which is how tests run. There
/// generic code asks the runtime for every type it meets, so the value lies beside the lock and not
/// in it. In release the other modules inline this, for which the class has to be
/// `@usableFromInline`.
@usableFromInline package final class Locked<Value: ~Copyable>: @unchecked Sendable {
  // Unchecked because of the value, which nobody touches without the lock.
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

  /// The value, to be touched until `unlock`: for the few places where a debug build would take too long
  /// for the closure.
  @inlinable package func lock() -> UnsafeMutablePointer<Value> {
    mutex.lock()
    return value
  }

  @inlinable package func unlock() { mutex.unlock() }
}
