/// The steps that one task takes in a row.
struct Turn: Equatable, Sendable {
  /// The key of the task, which it has in every order.
  let task: UInt64
  /// How many steps the task has taken at the end of the turn, those of its earlier turns included.
  var steps: Int
  /// Whether a switch ends the turn.
  var isCut = false
}

/// A departure from the default order that is found again in a similar schedule: by the task that
/// ran last, and not by the number of the choice, which changes with each switch before it.
struct Switch: Hashable, Sendable {
  /// The key of the task that ran last, and how many steps it had taken.
  struct Place: Hashable, Sendable {
    let task: UInt64
    let steps: Int
  }

  let place: Place
  /// The key of the task that ran instead of the default.
  let task: UInt64
}

extension [Turn] {
  var switches: [Switch] {
    zip(self, dropFirst()).filter { $0.0.isCut }.map { turn, next in
      Switch(place: Switch.Place(task: turn.task, steps: turn.steps), task: next.task)
    }
  }

  /// The turns up to the one that the last switch begins; the default order follows.
  var upToLastSwitch: [Turn] {
    guard let last = lastIndex(where: \.isCut) else { return [] }
    return Array(prefix(last + 2))
  }
}
