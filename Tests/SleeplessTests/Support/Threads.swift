import Foundation
import Sleepless

/// Runs a closure on a thread of its own and waits for its result.
func onThread<Result: Sendable>(
  stackSize: Int? = nil, _ work: @escaping @Sendable () -> Result
) async -> Result {
  await withCheckedContinuation { continuation in
    startThread(stackSize: stackSize) { continuation.resume(returning: work()) }
  }
}

/// Runs a closure on a thread of its own.
func startThread(stackSize: Int? = nil, _ work: @escaping @Sendable () -> Void) {
  let thread = Thread { work() }
  if let stackSize { thread.stackSize = stackSize }
  thread.start()
}
