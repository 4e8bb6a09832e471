import Foundation
import SleeplessTesting

/// Keeps every core busy until it is stopped.
final class Load: Sendable {
  static let cores = ProcessInfo.processInfo.activeProcessorCount
  static let threads = 4 * cores

  private let isWanted = Locked(true)
  private let running = DispatchGroup()

  /// Starts the threads. All of them spin when the initialiser returns.
  init() {
    let starting = DispatchGroup()
    for _ in 0..<Self.threads {
      starting.enter()
      running.enter()
      Thread.detachNewThread { [isWanted, running] in
        starting.leave()
        Self.spin { isWanted.withLock { $0 } }
        running.leave()
      }
    }
    starting.wait()
  }

  func stop() {
    isWanted.withLock { $0 = false }
    running.wait()
  }

  private static func spin(while isWanted: () -> Bool) {
    // A xorshift never becomes zero. The optimiser does not know that, so it keeps the loop.
    var state: UInt64 = 1
    while state != 0, isWanted() {
      for _ in 0..<100_000 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
      }
    }
  }
}
