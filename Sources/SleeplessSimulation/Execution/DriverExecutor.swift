import Dispatch

/// Runs a driver on a thread of its own, beyond the few that all tasks of the process share: a job
/// that blocks its thread must not take one of those from whoever could end the wait.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class DriverExecutor: TaskExecutor {
  // Serial, because a serial queue gets a thread however many are busy.
  private let queue = DispatchQueue(label: "Sleepless simulation")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
