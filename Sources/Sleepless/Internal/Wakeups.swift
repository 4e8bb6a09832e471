/// "Something happened": tells those who wait for a condition that it may be true by now.
///
/// Whatever a condition may depend on calls ``somethingHappened()`` after it has changed: a recorder
/// that takes an event in, a double that is called, a test's task that has run for a while. As long
/// as nobody waits that costs one load. It is told to everybody, in all tests of the process: who is
/// woken in vain looks once more, and waits on.
package enum Wakeups {
  private struct State {
    var last = 0
    var waiters: [Int: @Sendable () -> Void] = [:]
  }

  private static let state = Locked(State())
  /// 1 while somebody waits.
  private static let isAwaited = SharedByte(0)

  /// Says that something has changed. Any thread may call it, with no lock held.
  package static func somethingHappened() {
    // A waiter that is just being added may be missed. It looks at its condition after that and, as
    // with changes that nobody announces, again and again at times.
    guard isAwaited.value == 1 else { return }
    let waiters = state.withLock { Array($0.waiters.values) }
    for wake in waiters { wake() }
  }

  /// Has a closure called whenever something happens, on the thread on which it does; it must be
  /// quick. Returns what `remove` wants.
  package static func add(_ wake: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.last += 1
      state.waiters[state.last] = wake
      isAwaited.set(1)
      return state.last
    }
  }

  package static func remove(_ number: Int) {
    state.withLock { state in
      state.waiters[number] = nil
      if state.waiters.isEmpty { isAwaited.set(0) }
    }
  }
}
