import Foundation
import Sleepless

/// Keeps all cores busy, with one spinning thread per core unless told otherwise.
package final class BusyMachine: Sendable {
  private let isOver = Locked(false)

  package init(threads: Int = ProcessInfo.processInfo.activeProcessorCount) {
    for _ in 0..<threads {
      Thread.detachNewThread { [isOver] in
        var sum = 0
        while !isOver.withLock({ $0 }) { for number in 0..<10_000 { sum &+= number } }
        withExtendedLifetime(sum) {}
      }
    }
  }

  package func stop() { isOver.withLock { $0 = true } }

  deinit { stop() }
}
