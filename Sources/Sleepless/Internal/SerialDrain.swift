/// Lets one in at a time. What others want done meanwhile, the one who is in does before leaving.
///
/// Nobody ever waits: who finds it occupied, by another thread or by itself further down the stack,
/// leaves the work and goes on. Work is done in the order in which it was left. Entering and leaving
/// cost one atomic operation each; with a lock for both, "send to 1 sink" in Benchmarks/compare takes
/// half as long again.
package final class SerialDrain: Sendable {
  /// - `occupied`: somebody is in.
  /// - `expected`: somebody is in, and there is work to be done before leaving.
  private enum State {
    static let free: UInt = 0
    static let occupied: UInt = 1
    static let expected: UInt = 2
  }

  private let state = SharedNumber(State.free)
  // Invariant: under its lock, and only then, the state turns to or from `expected`, which it is
  // exactly when there is work.
  private let waiting = Locked<ContiguousArray<@Sendable () -> Void>>([])

  package init() {}

  /// Whether the caller is in, and has to call `leave`. If not, the work will be done.
  package func enter(or work: () -> @Sendable () -> Void) -> Bool {
    if state.replace(State.free, with: State.occupied) { return true }
    let work = work()
    return waiting.withLock { waiting in
      while !state.replace(State.occupied, with: State.expected), state.value != State.expected {
        // Whoever was in has left.
        if state.replace(State.free, with: State.occupied) { return true }
      }
      waiting.append(work)
      return false
    }
  }

  /// Does what has been left, and leaves.
  package func leave() {
    while !state.replace(State.occupied, with: State.free) {
      // All at once: taking one by one, this thread and those that leave work would be in each
      // other's way.
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
