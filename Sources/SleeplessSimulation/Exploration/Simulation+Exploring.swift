import CRuntimeHooks
import Sleepless

/// What explored code and what explores it ask of a simulation.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// Has every further step told, between it and the next.
  package func watchSteps(_ watcher: @escaping @Sendable (Simulation, StepNote) -> Void) {
    executor.state.withLock { $0.watch(watcher) }
  }

  /// What random numbers are to be drawn from.
  package var randomSeed: UInt64 { executor.options.timingSeed ?? executor.options.order.seed ?? 0 }

  /// The body, if it is suspended and has not ended.
  package var suspendedBody: TaskReport? {
    executor.state.withLock { state in
      state.forgetRunning()
      return state.tasks.body.flatMap { state.suspension(of: $0)?.report }
    }
  }

  /// Cancels the body, from between two steps.
  package func cancelBody() {
    let body = executor.state.withLock { $0.tasks.body }
    guard let body else { return }
    executor.capture.run(for: executor) { sleepless_cancel_task(body.address) }
  }
}
