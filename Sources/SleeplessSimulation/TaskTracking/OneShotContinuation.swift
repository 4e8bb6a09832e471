import Dispatch
import Foundation
import Sleepless

/// A continuation that several callers may resume, even before any code waits. The first value counts.
///
/// A wait ends by its event, its timeout or its cancellation, whichever comes first, on any thread. A
/// continuation of the standard library traps when it is resumed twice, and exists only once a task is
/// suspended.
package final class OneShotContinuation<Value: Sendable>: Sendable {
  private enum State {
    /// It has no value, and nothing waits for one.
    case created
    /// It has no value; the closure waits for one.
    case awaited(@Sendable (Value) -> Void)
    case resumed(Value)
  }

  private let state = Locked(State.created)

  package init() {}

  /// Sets the value; false if there was a value already, which then stays.
  @discardableResult
  package func resume(returning value: Value) -> Bool {
    let (isFirst, receive) = state.withLock { state -> (Bool, (@Sendable (Value) -> Void)?) in
      switch state {
      case .created:
        state = .resumed(value)
        return (true, nil)
      case .awaited(let receive):
        state = .resumed(value)
        return (true, receive)
      case .resumed: return (false, nil)
      }
    }
    receive?(value)
    return isFirst
  }

  /// Whether there is a value.
  package var isResumed: Bool { value != nil }

  private var value: Value? {
    state.withLock { state in
      if case .resumed(let value) = state { value } else { nil }
    }
  }

  /// Calls back with the value: at once if there is one, else on the thread that resumes. A continuation must
  /// have one receiver.
  package func onResume(_ receive: @escaping @Sendable (Value) -> Void) {
    let value = state.withLock { state -> Value? in
      switch state {
      case .created: state = .awaited(receive)
      case .awaited:
        preconditionFailure("A one-shot continuation must have one receiver (was given two).")
      case .resumed(let value): return value
      }
      return nil
    }
    if let value { receive(value) }
  }

  /// Suspends the task until there is a value. The function stays in the caller's isolation, because
  /// leaving an actor and coming back would be two more steps of a schedule.
  package func wait(isolation: isolated (any Actor)? = #isolation) async -> Value {
    await withUnsafeContinuation { continuation in
      onResume { _ in continuation.resume() }
    }
    // The value is read under the lock. The thread sanitizer does not see that a continuation which is
    // resumed before its task is suspended hands a value over.
    return value!
  }

  /// Waits for the value in synchronous code. On the main thread it serves the run loop meanwhile, so
  /// that the main actor can run; any other thread it blocks.
  package func waitHere() -> Value {
    let hasValue = ThreadSignal()
    onResume { _ in
      hasValue.send()
      outsideSimulations { DispatchQueue.main.async {} }  // wakes the run loop
    }
    if Thread.isMainThread {
      while !isResumed {
        // The run loop compares the limit with real time.
        let limit = outsideSimulations { Date(timeIntervalSinceNow: 0.1) }
        _ = RunLoop.main.run(mode: .default, before: limit)
      }
    } else {
      hasValue.wait()
    }
    return value!
  }
}

extension OneShotContinuation where Value == Void {
  @discardableResult
  package func resume() -> Bool { resume(returning: ()) }
}
