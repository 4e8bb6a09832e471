import Foundation
import Sleepless

/// Keeps all cores busy, with one spinning thread per core unless told otherwise.
///
/// Each thread ends when it has run for two seconds. Otherwise a test that waits for its turn behind the others of its
/// process would take the cores from them meanwhile.
package final class BusyMachine: Sendable {
  private let isOver = Locked(false)

  package init(threads: Int = ProcessInfo.processInfo.activeProcessorCount) {
    for _ in 0..<threads {
      Thread.detachNewThread { [isOver] in
        var sum = 0
        while !isOver.withLock({ $0 }), Self.timeOfThread() < .seconds(2) {
          for number in 0..<10_000 { sum &+= number }
        }
        withExtendedLifetime(sum) {}
      }
    }
  }

  private static func timeOfThread() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  package func stop() { isOver.withLock { $0 = true } }

  deinit { stop() }
}
