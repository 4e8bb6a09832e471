import Foundation
import Sleepless

/// Runs a closure on a thread of its own and waits for its result.
func onThread<Result: Sendable>(
  stackSize: Int? = nil, _ work: @escaping @Sendable () -> Result
) async -> Result {
  // By way of a lock, because the thread sanitizer cannot see the continuation's handover: that is
  // in the runtime, which is not instrumented.
  let result = Locked<Result?>(nil)
  await withCheckedContinuation { continuation in
    startThread(stackSize: stackSize) {
      let value = work()
      result.withLock { $0 = value }
      continuation.resume()
    }
  }
  return result.withLock { $0! }
}

/// Runs a closure on a thread of its own.
func startThread(stackSize: Int? = nil, _ work: @escaping @Sendable () -> Void) {
  let thread = Thread { work() }
  if let stackSize { thread.stackSize = stackSize }
  thread.start()
}
