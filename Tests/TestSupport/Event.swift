import Sleepless

/// An event that happens once, on any thread. A test waits for it and not for time.
package final class Event: Sendable {
  private enum State {
    case awaited([CheckedContinuation<Void, Never>])
    case happened
  }

  private let state = Locked(State.awaited([]))

  package init() {}

  package func happen() {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard case .awaited(let waiting) = state else { return [] }
      state = .happened
      return waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  package func wait() async {
    await withCheckedContinuation { continuation in
      let hasHappened = state.withLock { state in
        guard case .awaited(let waiting) = state else { return true }
        state = .awaited(waiting + [continuation])
        return false
      }
      if hasHappened { continuation.resume() }
    }
  }
}
