import CRuntimeHooks
import Sleepless

/// How a simulation gets hold of the code that it runs.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
protocol Capture: Sendable {
  /// Whether it gets hold of every task, of the main actor and of the clocks.
  var isWholeProcess: Bool { get }
  /// Runs something on behalf of a simulation: a job, or the making of its first task.
  func run(for executor: CapturingExecutor, _ body: () -> Void)
  /// Hands a job to the executor that would have got it without the simulation.
  func sendOn(_ job: Job)
}

/// With the public interface alone: what child tasks, actors and `async` functions do.
///
/// Tasks made with `Task {}` or `Task.detached`, the main actor and real sleeps stay outside; what
/// comes back from them counts as an external resumption.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct PreferenceCapture: Capture {
  let isWholeProcess = false

  func run(for executor: CapturingExecutor, _ body: () -> Void) {
    // The thread is still marked, so that the simulation knows its own jobs from those that come
    // from outside. Nothing else follows from the mark.
    let previous = sleepless_enter(executor.context)
    defer { _ = sleepless_enter(previous) }
    body()
  }

  func sendOn(_ job: Job) { globalConcurrentExecutor.enqueue(job.job) }
}
