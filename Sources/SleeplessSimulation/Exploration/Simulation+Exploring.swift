import CRuntimeHooks
import Sleepless

/// The calls for explored code and for the exploration.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// Calls a function after each step from now on, before the next one.
  package func watchSteps(_ watcher: @escaping @Sendable (Simulation, StepNote) -> Void) {
    executor.state.withLock { $0.watchers.add(watcher) }
  }

  /// The seed of random numbers.
  package var randomSeed: UInt64 { executor.options.timingSeed ?? executor.options.order.seed ?? 0 }

  /// The body, if it is suspended and has not ended.
  package var suspendedBody: TaskReport? {
    executor.state.withLock { state in
      state.running.end()
      return state.tasks.body.flatMap { state.suspension(of: $0)?.report }
    }
  }

  /// Cancels the body, between two steps.
  package func cancelBody() {
    let body = executor.state.withLock { $0.tasks.body }
    guard let body else { return }
    executor.capture.run(for: executor) { sleepless_cancel_task(body.address) }
  }
}
