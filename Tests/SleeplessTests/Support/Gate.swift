import Foundation

/// Holds up the threads that come to it until it is opened, for tests of what happens meanwhile.
final class Gate: Sendable {
  private let condition = NSCondition()
  // Only touched under the condition's lock.
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
