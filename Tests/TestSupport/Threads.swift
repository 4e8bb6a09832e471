import Foundation
import Sleepless

/// Runs a closure on a thread of its own and waits for its result.
package func onThread<Result: Sendable>(
  stackSize: Int? = nil, _ work: @escaping @Sendable () -> Result
) async -> Result {
  // The lock hands the result over, because the thread sanitizer cannot see that a continuation
  // does, if it is resumed before its task has gone to sleep: that is within the runtime.
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
package func startThread(stackSize: Int? = nil, _ work: @escaping @Sendable () -> Void) {
  let thread = Thread { work() }
  if let stackSize { thread.stackSize = stackSize }
  thread.start()
}
