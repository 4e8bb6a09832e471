import Foundation
import SleeplessTesting

// Objects that a live thread keeps for itself.

final class Session: @unchecked Sendable {
  // Unchecked because one thread at a time uses it.
  static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { value in
      // Apple's systems declare it as no optional.
      let value: UnsafeMutableRawPointer? = value
      if let value { Unmanaged<Session>.fromOpaque(value).release() }
    }
    return key
  }()

  var requests = 0

  /// A session that the calling thread keeps as the value of its key.
  static func keptByThread() -> Session {
    let session = Session()
    pthread_setspecific(key, Unmanaged.passRetained(session).toOpaque())
    return session
  }
}

/// A thread that waits, after its work, until it is to end.
struct WaitingThread {
  private let pipe = Pipe()

  /// The result of the work.
  func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { [pipe] continuation in
      Thread.detachNewThread {
        continuation.resume(returning: work())
        _ = try? pipe.fileHandleForReading.readToEnd()
      }
    }
  }

  func end() { try? pipe.fileHandleForWriting.close() }
}

extension Leak {
  static let threads = [
    Leak(
      "a thread's dictionary", at: #line + 4,
      reads: thread("Session", "thread * -> Thread -> Session"), needs: .threadValues
    ) {
      let thread = WaitingThread()
      await expectDeallocated {
        await thread.run {
          let session = Session()
          Thread.current.threadDictionary["session"] = session
          return session
        }
      }
      thread.end()
    } healthy: {
      let thread = WaitingThread()
      await expectDeallocated {
        await thread.run {
          let session = Session()
          Thread.current.threadDictionary["session"] = session
          Thread.current.threadDictionary["session"] = nil
          return session
        }
      }
      thread.end()
    }
  ]
}
