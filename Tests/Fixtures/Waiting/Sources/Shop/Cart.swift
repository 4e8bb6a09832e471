import Foundation

/// A cart that a thread saves.
final class Cart: @unchecked Sendable {
  private let lock = NSLock()
  private var items: [String] = []
  private var saved = 0

  init() {}

  func add(_ item: String) {
    lock.withLock { items.append(item) }
    Thread.detachNewThread { [self] in
      Thread.sleep(forTimeInterval: 0.1)  // real time: find-waits finds it
      lock.withLock { saved += 1 }
    }
  }

  var savedCount: Int { lock.withLock { saved } }
}
