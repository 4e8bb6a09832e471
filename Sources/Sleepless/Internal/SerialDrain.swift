/// Runs work one piece at a time, in one order, on the threads that bring it.
///
/// A caller that enters becomes the owner until it leaves. A caller that finds the drain occupied, by
/// another thread or by an outer call on its own thread, does not wait. It queues its work and goes on.
/// The owner runs the queued work, in order, before it leaves. Entering and leaving cost one atomic
/// operation each; with a lock for both, "send to 1 sink" in Benchmarks/compare takes half as long again.
package final class SerialDrain: Sendable {
  /// - `free`: there is no owner.
  /// - `occupied`: there is an owner and no queued work.
  /// - `hasWork`: there is an owner and queued work, which the owner runs before it leaves.
  private enum State {
    static let free: UInt = 0
    static let occupied: UInt = 1
    static let hasWork: UInt = 2
  }

  private let state = SharedNumber(State.free)
  // Invariant: the state is `hasWork` exactly when this list is not empty. The state changes to or from
  // `hasWork` only while this lock is held.
  private let waiting = Locked<ContiguousArray<@Sendable () -> Void>>([])

  package init() {}

  /// Makes the caller the owner and returns true; the caller must then call `leave`. If there is an
  /// owner already, queues the work for it and returns false.
  package func enter(or work: () -> @Sendable () -> Void) -> Bool {
    if state.replace(State.free, with: State.occupied) { return true }
    let work = work()
    return waiting.withLock { waiting in
      while !state.replace(State.occupied, with: State.hasWork), state.value != State.hasWork {
        // The owner has left in the meantime.
        if state.replace(State.free, with: State.occupied) { return true }
      }
      waiting.append(work)
      return false
    }
  }

  /// Runs the closure if there is no owner. A caller that enters meanwhile waits and then becomes the owner: it is
  /// not told to queue its work, which would run later and on this thread.
  package func ifFree<Result>(_ body: () -> Result) -> Result? {
    // Holding the lock, because that is where callers wait that find the drain occupied.
    waiting.withLock { _ in
      guard state.replace(State.free, with: State.occupied) else { return nil }
      defer { state.set(State.free) }
      return body()
    }
  }

  /// Runs the queued work and gives up ownership.
  package func leave() {
    while !state.replace(State.occupied, with: State.free) {
      // Takes all queued work at once. Taking it piece by piece would contend for the lock with the
      // threads that queue work.
      var work = waiting.withLock { waiting in
        state.set(State.occupied)
        defer { waiting = [] }
        return waiting
      }
      work.reverse()
      while let next = work.popLast() { next() }
    }
  }
}
