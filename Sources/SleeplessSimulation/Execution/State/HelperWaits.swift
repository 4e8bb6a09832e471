import VirtualTime

/// The waits of this library's helpers for a change, and the handlers of deadlocks.
///
/// See `SimulationWatch`. A helper checks its condition again when a step has been taken by another
/// task. The helper's own steps do not count, as two helpers would otherwise wake each other for ever.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct HelperWaits {
  typealias Wait = SimulationWatch.Wait

  private var waits: [Wait] = [] { didSet { isAnyWaiting = !waits.isEmpty } }
  /// The tasks that the helpers run in.
  private var tasks: Set<TaskPointer> = [] { didSet { isAnyRunning = !tasks.isEmpty } }
  // Each step asks for these two, and `isEmpty` of a collection is generic code.
  private(set) var isAnyWaiting = false
  private(set) var isAnyRunning = false
  /// How many helpers are evaluating their conditions.
  private var evaluations = 0
  /// The number of the latest step that may have changed what a helper's condition reads.
  var lastChange = 0
  /// The calls to make, once each, before a deadlock is declared.
  private var deadlockHandlers: [@Sendable () -> Void] = []

  // MARK: Helpers

  mutating func add(_ task: TaskPointer) { tasks.insert(task) }

  mutating func remove(_ task: TaskPointer) { tasks.remove(task) }

  mutating func beginEvaluation() { evaluations += 1 }

  mutating func endEvaluation() { evaluations -= 1 }

  /// Whether a job is a helper's own. A job of an actor does not show which task the actor will run, so it
  /// counts as a helper's while a helper evaluates its condition. A change that is missed that way is
  /// noticed when nothing else can run.
  func isOwn(_ job: Job) -> Bool { job.isTask ? tasks.contains(job.task) : evaluations > 0 }

  // MARK: Waits

  mutating func add(_ wait: Wait) { waits.append(wait) }

  mutating func takeWaits(where isMeant: (Wait) -> Bool) -> [Wait] {
    let meant = waits.filter(isMeant)
    if !meant.isEmpty { waits.removeAll(where: isMeant) }
    return meant
  }

  /// Takes the waits that began before the latest change.
  mutating func takeOutdated() -> [UnsafeContinuation<Void, Never>] {
    let change = lastChange
    return takeWaits { $0.steps < change }.map { $0.ending(.happened) }
  }

  /// Takes the first wait with this deadline, which time has reached.
  mutating func takeWait(until deadline: Instant) -> UnsafeContinuation<Void, Never>? {
    let index = waits.firstIndex { $0.deadline == deadline }
    return index.map { waits.remove(at: $0).ending(.reached) }
  }

  /// The first deadline that time has to reach, even if nothing is due then.
  var target: Instant? { waits.lazy.filter(\.reachesDeadline).compactMap(\.deadline).min() }

  /// The first deadline after which a wait ends, if time moves on at all.
  var limit: Instant? { waits.lazy.filter { !$0.reachesDeadline }.compactMap(\.deadline).min() }

  // MARK: Deadlocks

  mutating func onDeadlock(_ handler: @escaping @Sendable () -> Void) {
    deadlockHandlers.append(handler)
  }

  /// Takes the calls to make before a deadlock is declared. Each wait ends with one of them.
  mutating func takeDeadlockHandlers() -> [@Sendable () -> Void] {
    defer { deadlockHandlers = [] }
    let waits = takeWaits { _ in true }
    return deadlockHandlers + waits.map { wait in { wait.end(.nothingMore) } }
  }
}
