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

  private struct State {
    /// Jobs for idle threads that have been woken already.
    var jobs: [UnownedJob] = []
    var idleCount = 0
  }

  private let state = Locked(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  private let keptCount = 2 * ProcessInfo.processInfo.activeProcessorCount

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isTaken = state.withLock { state in
      guard state.idleCount > 0 else { return false }
      state.idleCount -= 1
      state.jobs.append(job)
      return true
    }
    if isTaken { wakeUp.signal() } else { start(with: job) }
  }

  private func start(with job: UnownedJob) {
    let thread = Thread { [self] in
      var next: UnownedJob? = job
      while let job = next {
        job.runSynchronously(on: asUnownedTaskExecutor())
        next = waitForJob()
      }
    }
    thread.name = "Sleepless simulation"
    thread.start()
  }

  /// The next job, or nil if enough others wait for one.
  private func waitForJob() -> UnownedJob? {
    let stays = state.withLock { state in
      guard state.idleCount < keptCount else { return false }
      state.idleCount += 1
      return true
    }
    guard stays else { return nil }
    wakeUp.wait()
    return state.withLock { $0.jobs.removeFirst() }
  }
}
