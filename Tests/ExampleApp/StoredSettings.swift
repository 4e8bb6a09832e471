import Dispatch
import Sleepless

/// Settings that a queue reads from a disk. Callers that cannot wait for a callback block their thread.
package final class StoredSettings: Sendable {
  private let disk: DispatchQueue
  private let read: @Sendable () -> String

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
}
