import Dispatch
import Foundation
import Sleepless

/// Runs drivers on threads of their own, beyond the few that all tasks of the process share: a job
/// that blocks its thread must not take one of those from whoever could end the wait.
///
/// There is a thread for each driver that runs at this moment. A few that have nothing to do stay,
/// since the next simulation comes soon; the others end.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class DriverThreads: TaskExecutor {
  static let shared = DriverThreads()

  /// Where a thread that has nothing to do waits, and finds its next job.
  private final class IdleThread: Sendable {
    private let job = Locked<UnownedJob?>(nil)
    private let wakeUp = DispatchSemaphore(value: 0)

    func give(_ job: UnownedJob) {
      self.job.withLock { $0 = job }
      wakeUp.signal()
    }

    func wait() -> UnownedJob {
      wakeUp.wait()
      return job.withLock { $0.take()! }
    }
  }

  /// The seats of the idle threads. The last to come is the first to go: what it needs is still in
  /// the processor's caches.
  private let idle = Locked<[IdleThread]>([])
  private let keptCount = 2 * ProcessInfo.processInfo.activeProcessorCount

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if let idleThread = idle.withLock({ $0.popLast() }) {
      idleThread.give(job)
    } else {
      start(with: job)
    }
  }

  private func start(with job: UnownedJob) {
    let thread = Thread { [self] in
      let idleThread = IdleThread()
      job.runSynchronously(on: asUnownedTaskExecutor())
      while becomesIdle(on: idleThread) {
        idleThread.wait().runSynchronously(on: asUnownedTaskExecutor())
      }
    }
    thread.name = "Sleepless simulation"
    thread.start()
  }

  /// False if enough others wait for a job.
  private func becomesIdle(on idleThread: IdleThread) -> Bool {
    idle.withLock { idle in
      guard idle.count < keptCount else { return false }
      idle.append(idleThread)
      return true
    }
  }
}
