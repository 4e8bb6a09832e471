import Foundation
import Sleepless

/// Runs a closure on a new thread and waits for its result.
package func onThread<Result: Sendable>(
  stackSize: Int? = nil, _ work: @escaping @Sendable () -> Result
) async -> Result {
  // A lock passes the result on. The thread sanitizer cannot see that a continuation does so if it
  // is resumed before its task is suspended, because that happens in the runtime.
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

/// Runs a closure on a new thread.
package func startThread(stackSize: Int? = nil, _ work: @escaping @Sendable () -> Void) {
  let thread = Thread { work() }
  if let stackSize { thread.stackSize = stackSize }
  thread.start()
}
