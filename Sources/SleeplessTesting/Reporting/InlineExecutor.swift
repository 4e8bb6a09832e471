/// Runs every job at once, on the thread that enqueues it.
///
/// Before the 6.2 runtime, a job that ran inside another job left the outer one without its current
/// task. Hence the availability.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, *)
final class InlineExecutor: TaskExecutor {
  static let shared = InlineExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
