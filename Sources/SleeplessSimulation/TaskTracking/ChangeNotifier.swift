/// Notifies the helpers that wait for a condition that it may have changed.
///
/// Code that a condition may depend on calls ``somethingHappened()`` after a change: a recorder that got an
/// event, a double that was called, a test's task that has run for a while. While no helper waits that costs
/// one load. All helpers in all tests of the process are notified; each evaluates its condition once more.
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
  /// 1 while a helper waits.
  private static let isAwaited = SharedNumber(0)

  /// Notifies all waiters of a change. Any thread may call it, with no lock held.
  package static func somethingHappened() {
    // A waiter that is being added at this moment may be missed. It evaluates its condition after that, and
    // again every few milliseconds, because of changes that no code announces.
    guard isAwaited.value == 1 else { return }
    let waiters = state.withLock { Array($0.waiters.values) }
    for waiter in waiters { waiter.wake(true) }
  }

  /// Notifies the waiters that a task has run for a while; nil stands for an actor that has run some task.
  ///
  /// The tasks of waiters do not count: they would wake themselves, or each other, for ever.
  package static func hasRun(_ task: UInt64?) {
    guard isAwaited.value == 1 else { return }
    let waiters = state.withLock { state in
      let isWaiter = task != nil && state.waiters.values.contains { $0.task == task }
      return isWaiter ? [] : Array(state.waiters.values)
    }
    for waiter in waiters { waiter.wake(task != nil) }
  }

  /// Adds a waiter, for the calling task; returns its number for `remove`.
  ///
  /// The closure is called at each change, on the thread of the change, and must be fast. `isCertain` is false
  /// if the waiter's own task may have made the change.
  package static func add(_ wake: @escaping @Sendable (_ isCertain: Bool) -> Void) -> Int {
    let task = currentTaskID()
    return state.withLock { state in
      state.last += 1
      state.waiters[state.last] = Waiter(task: task, wake: wake)
      isAwaited.set(1)
      return state.last
    }
  }

  /// Removes a waiter. A thread that notifies at this moment may still call its closure.
  package static func remove(_ number: Int) {
    state.withLock { state in
      state.waiters[number] = nil
      if state.waiters.isEmpty { isAwaited.set(0) }
    }
  }
}
