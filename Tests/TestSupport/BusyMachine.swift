import Foundation
import Sleepless

/// Keeps all cores busy for at most four seconds, with one spinning thread per core unless told otherwise.
///
/// The time is real; create it outside simulations. Without that limit, a test that waits for a thread would keep the
/// cores from the tests that it waits for. So what a test does later is not done on a machine that this keeps busy.
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
