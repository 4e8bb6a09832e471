import Foundation
import Sleepless
import TestSupport

/// A thread that only runs its run loop.
final class RunLoopThread: Sendable {
  let scheduler: RunLoopScheduler
  private let isStopped: Locked<Bool>

  init() async {
    let isStopped = Locked(false)
    self.isStopped = isStopped
    scheduler = await withCheckedContinuation { continuation in
      startThread {
        let loop = RunLoop.current
        // A run loop without a timer or a port returns at once. This timer never fires.
        loop.add(
          Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .common)
        continuation.resume(returning: loop.scheduler)
        while !isStopped.withLock({ $0 }) { _ = loop.run(mode: .default, before: .distantFuture) }
      }
    }
  }

  func stop() { scheduler.async { [isStopped] in isStopped.withLock { $0 = true } } }
}
