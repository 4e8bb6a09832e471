import Sleepless

// All waiting of recorders is here: whoever knows for certain that no event can come any more ends
// a wait through `RecorderWait.giveUp`.

/// How a read's wait for events ended.
enum WaitEnd: Equatable, Sendable {
  /// What was waited for is there, or the source has ended.
  case arrived
  /// The read was synchronous: it only looks.
  case notWaited
  /// The waiting task was cancelled.
  case cancelled
  /// The guard ran out: so much real time went by without an event.
  case silent(Duration)
  /// Somebody knows that no event can come, and says why.
  case nothingMore(String)
  /// Another task waits for the same recorder's events.
  case occupied
}

/// One read that waits for a recorder's events.
package final class RecorderWait: Sendable {
  /// Told of every wait that begins in this task, before it suspends.
  ///
  /// A simulation sets it: when nothing can run any more it ends the waits it was told of.
  @TaskLocal package static var observer: (@Sendable (RecorderWait) -> Void)?

  private enum State {
    case created  // its end may come before its continuation does
    case waiting(CheckedContinuation<WaitEnd, Never>)
    case ended(WaitEnd)
  }

  /// How many unread events are wanted.
  let count: Int
  private let state = Locked(State.created)

  fileprivate init(count: Int) { self.count = count }

  /// Ends the wait because no event can come any more; the read fails and gives the reason. Does
  /// nothing if the wait is over.
  ///
  /// The reason completes the sentence "Expected a value, but none came: …".
  package func giveUp(_ reason: String) { end(.nothingMore(reason)) }

  /// Ends the wait. Only the first end counts.
  func end(_ end: WaitEnd) {
    let continuation: CheckedContinuation<WaitEnd, Never>? = state.withLock { state in
      switch state {
      case .created:
        state = .ended(end)
        return nil
      case .waiting(let continuation):
        state = .ended(end)
        return continuation
      case .ended:
        return nil
      }
    }
    continuation?.resume(returning: end)
  }

  fileprivate func wait(isolation: isolated (any Actor)?) async -> WaitEnd {
    await withCheckedContinuation { continuation in
      let end: WaitEnd? = state.withLock { state in
        if case .ended(let end) = state { return end }
        state = .waiting(continuation)
        return nil
      }
      if let end { continuation.resume(returning: end) }
    }
  }
}

extension RecorderCore {
  /// Waits until so many events are unread or none can follow.
  func wait(for count: Int, isolation: isolated (any Actor)?) async -> WaitEnd {
    let wait = RecorderWait(count: count)
    let end: WaitEnd? = state.withLock { state in
      if state.hasArrived(count) { return .arrived }
      if state.waiter != nil { return .occupied }
      state.waiter = wait
      return nil
    }
    if let end { return end }
    RecorderWait.observer?(wait)
    let patience = Guard.interval
    let guardTimer = GuardTimer(patience) { wait.end(.silent(patience)) }
    defer {
      guardTimer.cancel()
      state.withLock { $0.waiter = nil }
    }
    return await withTaskCancellationHandler {
      await wait.wait(isolation: isolation)
    } onCancel: {
      wait.end(.cancelled)
    }
  }
}
