import CRuntimeHooks
import Sleepless
import VirtualTime

/// Lets a helper of this library wait for changes. Each time something may have changed, the helper
/// evaluates its condition again.
///
/// The helper's own steps do not count as changes: two helpers would otherwise wake each other for ever.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package final class SimulationWatch: Sendable {
  /// Why a wait for a change ended.
  package enum Change: Sendable {
    /// Another task has taken a step, which may have changed anything.
    case happened
    /// Virtual time has reached the deadline of the wait.
    case reached
    /// Nothing can run and nothing is due.
    case nothingMore
    /// The simulation ends, or the waiting task was cancelled.
    case cancelled
  }

  /// One wait of a watch for a change.
  struct Wait {
    let watch: SimulationWatch
    let continuation: UnsafeContinuation<Void, Never>
    /// How many steps had been taken when the latest evaluation began.
    let steps: Int
    let deadline: Instant?
    /// Whether time moves to the deadline even if nothing is due until then.
    let reachesDeadline: Bool
  }

  private let executor: SimulationExecutor
  private let task: TaskPointer?
  private let change = Locked(Change.happened)
  private let isCancelled = Locked(false)
  /// How many steps had been taken when the evaluation under way began; nil if none is.
  private let steps = Locked<Int?>(nil)

  fileprivate init(_ executor: SimulationExecutor) {
    self.executor = executor
    task = TaskPointer.current
    executor.state.withLock { state in
      if let task { state.helpers.add(task) }
    }
  }

  /// Notes that the helper is about to evaluate its condition. Later steps count as changes.
  package func willEvaluate() {
    executor.state.withLock { state in
      let now = state.steps
      let isNew = steps.withLock { $0.replace(with: now) == nil }
      if isNew { state.helpers.beginEvaluation() }
    }
  }

  /// Waits for a change, but not beyond the deadline if there is one.
  package func nextChange(until deadline: Instant?, reachesDeadline: Bool) async -> Change {
    let seen = steps.withLock { $0 } ?? 0
    executor.state.withLock { endEvaluation(&$0) }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let wait = Wait(
          watch: self, continuation: continuation, steps: seen, deadline: deadline,
          reachesDeadline: reachesDeadline)
        let (isOver, driver) = executor.state.withLock { state in
          let isOver = isCancelled.withLock { $0 }
          if !isOver { state.helpers.add(wait) }
          return (isOver, isOver ? nil : state.driver.takeContinuation())
        }
        if isOver { continuation.resume() }
        driver?.resume()
      }
    } onCancel: {
      let waits = executor.state.withLock { state in
        isCancelled.withLock { $0 = true }
        return state.helpers.takeWaits { $0.watch === self }
      }
      for wait in waits { wait.end(.cancelled) }
    }
    if Task.isCancelled { return .cancelled }
    return change.withLock { $0 }
  }

  fileprivate func end(_ change: Change) { self.change.withLock { $0 = change } }

  private func endEvaluation(_ state: inout SimulationState) {
    if steps.withLock({ $0.take() }) != nil { state.helpers.endEvaluation() }
  }

  package func stop() {
    executor.state.withLock { state in
      endEvaluation(&state)
      if let task { state.helpers.remove(task) }
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationWatch.Wait {
  func end(_ change: SimulationWatch.Change) {
    watch.end(change)
    continuation.resume()
  }

  /// Stores in the watch why the wait ends, and returns the continuation to resume.
  func ending(_ change: SimulationWatch.Change) -> UnsafeContinuation<Void, Never> {
    watch.end(change)
    return continuation
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// Begins to watch for changes, for a helper in the calling task.
  package func watch() -> SimulationWatch { SimulationWatch(executor) }

  /// Does work of this library that may take long, within a job. The watchdog does not count its time, so
  /// that the job is not reported as one that blocks its thread.
  package func unwatched<Result>(_ work: () throws -> Result) rethrows -> Result {
    executor.state.withLock { $0.unwatchedCalls += 1 }
    defer { executor.state.withLock { $0.unwatchedCalls -= 1 } }
    return try work()
  }

  /// Whether the test has to move time.
  package var isManual: Bool { executor.options.time == .manual }
}

extension Optional {
  fileprivate mutating func replace(with value: Wrapped) -> Wrapped? {
    defer { self = value }
    return self
  }
}
