import CRuntimeHooks
import Sleepless

/// The means by which a simulation controls the code that it runs.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
protocol Capture: Sendable {
  /// Whether it captures every task, the main actor and the clocks.
  var isWholeProcess: Bool { get }
  /// Runs code for a simulation: a job, or the creation of its first task.
  func run(for executor: CapturingExecutor, _ body: () -> Void)
  /// Says, once in a process, what takes real time in simulations because a fact does not hold.
  func explainLimits()
  /// Hands a job to the executor that would have run it without the simulation.
  func sendOn(_ job: Job)
}

/// A capture by the public interface alone: of child tasks, actors and `async` functions.
///
/// Tasks made with `Task {}` or `Task.detached`, the main actor and real sleeps stay outside. When one of
/// these resumes a task of the simulation, that counts as an external resumption.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct PreferenceCapture: Capture {
  let isWholeProcess = false

  func run(for executor: CapturingExecutor, _ body: () -> Void) {
    // The thread is marked so that the simulation can tell its own jobs from those that come from
    // outside. The mark has no other effect here.
    let previous = sleepless_enter(executor.context)
    defer { sleepless_return_to(previous) }
    body()
  }

  func explainLimits() {}

  func sendOn(_ job: Job) { globalConcurrentExecutor.enqueue(job.job) }
}
