/// How far a task has come. A place means the same moment of the task in similar schedules. The number of a
/// choice does not: it changes with each switch before it.
struct TaskPlace: Hashable, Sendable {
  /// The key of the task, which it has in every order.
  let task: UInt64
  /// How many steps it has taken.
  var steps: Int

  static let unknown = TaskPlace(task: .max, steps: 0)
}

/// Where a task runs within the step of another task, which is held meanwhile.
struct PlaceWithinStep: Hashable, Sendable {
  /// The task that runs.
  let task: TaskPlace
  /// The call before which it runs; nil if the held task has just woken or created it.
  let call: CallPlace?
}

/// A call of a task before which others may run.
struct CallPlace: Hashable, Sendable {
  let caller: TaskPlace
  /// How many such calls the task has made before in the same step.
  let number: Int
}

/// A call before which a task is held while others run.
struct HeldCall {
  let place: CallPlace
  /// The calls on the task's stack, innermost first, as addresses of code.
  let stack: [UInt]
  /// The number of the last job for which the strategy was asked. Each job is one chance at each call.
  var latestJob: Int32 = -1
}

/// The steps that one task takes in a row.
struct Turn: Equatable, Sendable {
  /// How far the task has come at the end of the turn.
  var end: TaskPlace
  /// Whether a switch ends the turn.
  var isCut = false

  var task: UInt64 { end.task }
}

/// A departure from the default order.
enum Switch: Equatable, Sendable {
  /// When a task came to this place, the task with that key ran instead of the default.
  case to(UInt64, from: TaskPlace)
  /// A task ran within the step of another one.
  case withinStep(PlaceWithinStep)

  /// The keys of the tasks that it concerns.
  var tasks: [UInt64] {
    switch self {
    case .to(let task, let place): [place.task, task]
    case .withinStep(let place): [place.task.task] + (place.call.map { [$0.caller.task] } ?? [])
    }
  }
}

extension [Turn] {
  /// The switches between the turns.
  var switches: [Switch] {
    zip(self, dropFirst()).filter { $0.0.isCut }.map { .to($1.task, from: $0.end) }
  }

  /// The turns up to the one that begins with the last switch. After it the schedule takes the default
  /// order.
  var upToLastSwitch: [Turn] {
    guard let last = lastIndex(where: \.isCut) else { return [] }
    return Array(prefix(last + 2))
  }
}
