import CRuntimeHooks
import Dispatch

/// A semaphore of this library, for threads that wait for one another. Its waits take real time in simulations too.
package final class ThreadSignal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func send() { semaphore.signal() }

  package func wait() {
    let place = sleepless_begin_idling()
    outsideSimulations { semaphore.wait() }
    sleepless_end_idling(place)
  }

  /// Waits for a real duration at most. Returns whether the signal came.
  package func wait(atMost duration: DispatchTimeInterval) -> Bool {
    // real time: for callers that look at a blocked thread
    outsideSimulations { semaphore.wait(timeout: .now() + duration) == .success }
  }
}

/// Runs code of this library that belongs to no simulation: no simulation captures its tasks or its work for queues,
/// and its waits are real.
@discardableResult
package func outsideSimulations<Result, Failure: Error>(
  _ code: () throws(Failure) -> Result
) throws(Failure) -> Result {
  let previous = sleepless_act_outside(true)
  defer { _ = sleepless_act_outside(previous) }
  return try code()
}
