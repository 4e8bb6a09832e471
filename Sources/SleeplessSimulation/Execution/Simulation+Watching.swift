import CRuntimeHooks
import Sleepless
import VirtualTime

/// A helper of ours that looks at a condition again whenever something may have changed it.
///
/// What it does itself counts for nothing: two that watch would otherwise wake each other for ever.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package final class SimulationWatch: Sendable {
  /// Why a wait for a change ended.
  package enum Change: Sendable {
    /// A step was taken, by somebody else, that may have changed anything.
    case happened
    /// Virtual time has come to where the wait was to end.
    case reached
    /// Nothing can run and nothing is due.
    case nothingMore
    /// The simulation comes to its end, or the waiting task was cancelled.
    case cancelled
  }

  /// One wait of a watch.
  struct Wait {
    let watch: SimulationWatch
    let continuation: UnsafeContinuation<Void, Never>
    /// How many steps had been taken when the watch looked.
    let steps: Int
    let deadline: Instant?
    /// Whether time moves on to the deadline though nothing may be due until then.
    let reachesDeadline: Bool
  }

  private let executor: SimulationExecutor
  private let task: TaskPointer?
  private let change = Locked(Change.happened)
  private let isCancelled = Locked(false)
  /// How many steps had been taken when it began to look; nil while it does not.
  private let steps = Locked<Int?>(nil)

  fileprivate init(_ executor: SimulationExecutor) {
    self.executor = executor
    task = TaskPointer.current
    executor.state.withLock { state in
      if let task { state.watchingTasks.insert(task) }
    }
  }

  /// Notes that it is about to look: what happens from now on is news.
  package func willEvaluate() {
    executor.state.withLock { state in
      let now = state.steps
      let isNew = steps.withLock { $0.replace(with: now) == nil }
      if isNew { state.evaluations += 1 }
    }
  }

  /// Waits for news; until the deadline, if there is one.
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
          if !isOver { state.waits.append(wait) }
          return (isOver, isOver ? nil : state.takeDriver())
        }
        if isOver { continuation.resume() }
        driver?.resume()
      }
    } onCancel: {
      let waits = executor.state.withLock { state in
        isCancelled.withLock { $0 = true }
        return state.takeWaits { $0.watch === self }
      }
      for wait in waits { wait.end(.cancelled) }
    }
    if Task.isCancelled { return .cancelled }
    return change.withLock { $0 }
  }

  fileprivate func end(_ change: Change) { self.change.withLock { $0 = change } }

  private func endEvaluation(_ state: inout SimulationState) {
    if steps.withLock({ $0.take() }) != nil { state.evaluations -= 1 }
  }

  package func stop() {
    executor.state.withLock { state in
      endEvaluation(&state)
      if let task { state.watchingTasks.remove(task) }
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationWatch.Wait {
  func end(_ change: SimulationWatch.Change) {
    watch.end(change)
    continuation.resume()
  }

  /// What resumes it, once it knows why.
  func ending(_ change: SimulationWatch.Change) -> UnsafeContinuation<Void, Never> {
    watch.end(change)
    return continuation
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// Begins to watch, in the calling task, for changes of anything.
  package func watch() -> SimulationWatch { SimulationWatch(executor) }

  /// Whether the test has to move time.
  package var isManual: Bool { executor.options.time == .manual }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationState {
  mutating func takeWaits(
    where isMeant: (SimulationWatch.Wait) -> Bool
  ) -> [SimulationWatch.Wait] {
    let meant = waits.filter(isMeant)
    if !meant.isEmpty { waits.removeAll(where: isMeant) }
    return meant
  }

  /// Who watches and has not seen the latest step.
  mutating func takeNews() -> [UnsafeContinuation<Void, Never>] {
    let last = lastEvent
    return takeWaits { $0.steps < last }.map { $0.ending(.happened) }
  }

  /// Up to where time has to move for those who watch, though nothing may be due until then.
  var watchedUntil: Instant? {
    waits.lazy.filter(\.reachesDeadline).compactMap(\.deadline).min()
  }

  /// Up to where time may move at most.
  var watchesGiveUpAt: Instant? {
    waits.lazy.filter { !$0.reachesDeadline }.compactMap(\.deadline).min()
  }
}

extension Optional {
  fileprivate mutating func replace(with value: Wrapped) -> Wrapped? {
    defer { self = value }
    return self
  }
}
