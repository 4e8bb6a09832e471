import VirtualTime

/// The functions to call after each step, and the latest step until they have been called with it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct StepWatchers {
  typealias Watcher = @Sendable (Simulation, StepNote) -> Void

  private var watchers: [Watcher] = []
  /// Whether there are watchers. Each step asks for it, and `isEmpty` of an array is generic code.
  private(set) var isAny = false
  /// The latest step, until the watchers have been called with it. It is in an array because an empty one takes 8 bytes
  /// of the state; see `EndState`.
  private var pending: [StepNote] = []

  init(_ watcher: Watcher?) { if let watcher { add(watcher) } }

  mutating func add(_ watcher: @escaping Watcher) {
    watchers.append(watcher)
    isAny = true
  }

  /// Whether the watchers have not been called with the latest step yet.
  var hasPending: Bool { !pending.isEmpty }

  mutating func note(_ step: StepNote) { pending = [step] }

  /// Notes that another task runs within the latest step.
  mutating func noteTaskWithinStep(_ report: Simulation.TaskReport) {
    if hasPending { pending[0].tasksWithinStep.append(report) }
  }

  /// Takes the latest step, with the functions to call; nil if they have been called with it.
  mutating func takeLatest() -> (note: StepNote, watchers: [Watcher])? {
    pending.popLast().map { ($0, watchers) }
  }
}

/// The step that a simulation has just taken, for its watchers.
package struct StepNote: Sendable {
  /// Counted from 1.
  package let step: Int
  package let instant: Duration
  /// The task that ran, or the first task that an actor ran; nil if unknown.
  package let task: Int?
  /// The task as it was before the step; nil if the job was an actor's or the runtime's.
  package let report: Simulation.TaskReport?
  /// The tasks that ran within the step, while its task was held, as they were before they ran.
  package var tasksWithinStep: [Simulation.TaskReport] = []
}

/// One step of a simulation: which task ran, and when.
package struct StepRecord: Equatable, Sendable {
  /// Nil if the job was an actor's or the runtime's own.
  package let task: Int?
  package let instant: Instant
}
