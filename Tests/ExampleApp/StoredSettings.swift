import Dispatch
import Sleepless

/// Settings that a queue reads from a disk. Callers that cannot wait for a callback block their thread.
package final class StoredSettings: Sendable {
  private let disk: DispatchQueue
  private let read: @Sendable () -> String
  private let isRead = DispatchSemaphore(value: 0)
  private let shared = Locked<(isAskedFor: Bool, text: String?)>((false, nil))

  package init(disk: DispatchQueue, read: @escaping @Sendable () -> String) {
    self.disk = disk
    self.read = read
  }

  package func load(_ completion: @escaping @Sendable (String) -> Void) {
    disk.async { completion(self.read()) }
  }

  /// Must not be called on the disk's queue, which it waits for.
  package func loadAndWait() -> String {
    let done = DispatchSemaphore(value: 0)
    let settings = Locked("")
    load { text in
      settings.withLock { $0 = text }
      done.signal()
    }
    done.wait()
    return settings.withLock { $0 }
  }

  /// Reads once, however many callers ask.
  ///
  /// Defect: one signal lets one caller go on. Of two that wait, one waits for ever.
  package func textReadOnce() -> String { textReadOnce { isRead.wait() } }

  /// The same; a caller that goes on lets the next one go on.
  package func textReadOnceForAll() -> String {
    textReadOnce {
      isRead.wait()
      isRead.signal()
    }
  }

  private func textReadOnce(waiting wait: () -> Void) -> String {
    let (text, isFirst) = shared.withLock { shared in
      defer { shared.isAskedFor = true }
      return (shared.text, !shared.isAskedFor)
    }
    if let text { return text }
    if isFirst {
      load { text in
        self.shared.withLock { $0.text = text }
        self.isRead.signal()
      }
    }
    wait()
    return shared.withLock { $0.text! }
  }
}
