import Foundation

/// Blocks the threads that reach it until a test opens it.
final class Gate: Sendable {
  private let condition = NSCondition()
  // Only accessed under the condition's lock.
  nonisolated(unsafe) private var isOpen = false

  func open() {
    condition.lock()
    isOpen = true
    condition.broadcast()
    condition.unlock()
  }

  func wait() {
    condition.lock()
    while !isOpen { condition.wait() }
    condition.unlock()
  }
}
