import Foundation
import Sleepless

/// Keeps all cores busy, with one spinning thread per core unless told otherwise.
///
/// Each thread ends after four seconds of real time. Otherwise a test that waits for its turn behind the others of its
/// process would take the cores from them meanwhile. So only the first seconds of a test are on a busy machine.
package final class BusyMachine: Sendable {
  private let isOver = Locked(false)

  package init(threads: Int = ProcessInfo.processInfo.activeProcessorCount) {
    let end = ContinuousClock.now + .seconds(4)
    for _ in 0..<threads {
      Thread.detachNewThread { [isOver] in
        var sum = 0
        while !isOver.withLock({ $0 }), ContinuousClock.now < end {
          for number in 0..<10_000 { sum &+= number }
        }
        withExtendedLifetime(sum) {}
      }
    }
  }

  package func stop() { isOver.withLock { $0 = true } }

  deinit { stop() }
}
