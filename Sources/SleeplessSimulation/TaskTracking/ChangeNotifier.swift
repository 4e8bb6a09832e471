/// "Something happened": tells those who wait for a condition that it may be true by now.
///
/// Whatever a condition may depend on calls ``somethingHappened()`` after it has changed: a recorder
/// that takes an event in, a double that is called, a test's task that has run for a while. As long
/// as nobody waits that costs one load. It is told to everybody, in all tests of the process: who is
/// woken in vain looks once more, and waits on.
package enum ChangeNotifier {
  private struct Waiter {
    let task: UInt64?
    let wake: @Sendable (_ isCertain: Bool) -> Void
  }

  private struct State {
    var last = 0
    var waiters: [Int: Waiter] = [:]
  }

  private static let state = Locked(State())
  /// 1 while somebody waits.
  private static let isAwaited = SharedNumber(0)

  /// Says that something has changed. Any thread may call it, with no lock held.
  package static func somethingHappened() {
    // A waiter that is just being added may be missed. It looks at its condition after that and, as
    // with changes that nobody announces, again and again at times.
    guard isAwaited.value == 1 else { return }
    let waiters = state.withLock { Array($0.waiters.values) }
    for waiter in waiters { waiter.wake(true) }
  }

  /// Says that a task has run for a while. It is no news if it is one of those that wait: they would
  /// wake themselves, or each other, for ever. Nil stands for an actor that has run somebody's task.
  package static func hasRun(_ task: UInt64?) {
    guard isAwaited.value == 1 else { return }
    let waiters = state.withLock { state in
      let isWaiter = task != nil && state.waiters.values.contains { $0.task == task }
      return isWaiter ? [] : Array(state.waiters.values)
    }
    for waiter in waiters { waiter.wake(task != nil) }
  }

  /// Has a closure called whenever something happens, on the thread on which it does; it must be
  /// quick. Returns what `remove` wants. It is the calling task that waits; what is not certain may
  /// have been done by itself.
  package static func add(_ wake: @escaping @Sendable (_ isCertain: Bool) -> Void) -> Int {
    let task = currentTaskID()
    return state.withLock { state in
      state.last += 1
      state.waiters[state.last] = Waiter(task: task, wake: wake)
      isAwaited.set(1)
      return state.last
    }
  }

  /// Ends that. A thread that is telling at this moment may still call the closure.
  package static func remove(_ number: Int) {
    state.withLock { state in
      state.waiters[number] = nil
      if state.waiters.isEmpty { isAwaited.set(0) }
    }
  }
}
