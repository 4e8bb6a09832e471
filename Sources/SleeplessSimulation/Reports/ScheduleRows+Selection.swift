import Sleepless

extension ScheduleRows {
  /// With more rows, those of tasks that have nothing to do with a switch are left out.
  private static let shortest = 12

  /// The rows to show if there is room for `limit` rows, in a schedule that fails at its end.
  ///
  /// In a long schedule these are the rows of the tasks that matter, see `matters`. If they are too many: those
  /// around the switches and the last ones, then the first ones.
  package func selection(atMost limit: Int) -> [Shown] {
    var candidates = Array(rows.indices)
    if rows.count > Self.shortest, rows.contains(where: \.isSwitch) {
      let tasks = withSharedTypes(tasksOfSwitches)
      candidates = candidates.filter { matters(rows[$0], with: tasks) }
    }
    if candidates.count > limit { candidates = nearest(candidates, atMost: limit) }
    return shown(candidates)
  }

  /// The tasks that were switched to or from, and the one that ran last; without the body, which most tasks wake.
  private var tasksOfSwitches: Set<Int> {
    var tasks = Set(rows.filter(\.isSwitch).map(\.task))
    tasks.formUnion(rows.compactMap(\.passedOver))
    if let last = rows.last { tasks.insert(last.task) }
    return tasks.subtracting([0])
  }

  /// These tasks, and those that ran methods of a type, mostly an actor, of which these ran methods too.
  private func withSharedTypes(_ tasks: Set<Int>) -> Set<Int> {
    let types = Set(rows.filter { tasks.contains(columns[$0.column].task) }.flatMap(\.types))
    let sharing = rows.filter { !types.isDisjoint(with: $0.types) }.map { columns[$0.column].task }
    return tasks.union(sharing).subtracting([0])
  }

  /// Whether a row is one of these tasks or of the body, or makes, cancels or wakes one of these tasks.
  private func matters(_ row: Row, with tasks: Set<Int>) -> Bool {
    let task = row.task
    if task == 0 || tasks.contains(task) { return true }
    return row.events.contains { event in
      switch event {
      case .makes(let other), .cancels(let other), .wakes(let other): tasks.contains(other)
      case .sleeps, .ends: false
      }
    }
  }

  private func nearest(_ candidates: [Int], atMost limit: Int) -> [Int] {
    let near = candidates.indices.filter { rows[candidates[$0]].isSwitch }
      .flatMap { [$0, $0 - 1, $0 + 1] }
    var chosen: Set<Int> = []
    for index in near + candidates.indices.suffix(limit / 4) + candidates.indices
    where candidates.indices.contains(index) && chosen.count < limit {
      chosen.insert(candidates[index])
    }
    return chosen.sorted()
  }

  /// Puts a sign between rows where others are left out.
  private func shown(_ chosen: [Int]) -> [Shown] {
    var shown: [Shown] = []
    var next = 0
    for index in chosen {
      if index > next { shown.append(gap(next..<index)) }
      shown.append(.row(index))
      next = index + 1
    }
    if next < rows.count { shown.append(gap(next..<rows.count)) }
    return shown
  }

  /// The indices of the columns that have a row among these.
  func columns(of shown: [Shown]) -> [Int] {
    Set(shown.compactMap { $0.row.map { rows[$0].column } }).sorted()
  }

  private func gap(_ range: Range<Int>) -> Shown {
    let end = range.upperBound < rows.count ? rows[range.upperBound].step : stepCount + 1
    return .leftOut(
      range, steps: end - rows[range.lowerBound].step, tasks: Set(rows[range].map(\.column)).count)
  }
}

extension ScheduleRows.Row {
  /// The types of the methods in which the row's task resumed. Closures do not count: those of a test are all of the
  /// test's type.
  fileprivate var types: [Substring] {
    frames.filter { !$0.function.contains(" in ") }.compactMap { frame in
      let name = frame.function.prefix { $0 != "(" }
      return name.lastIndex(of: ".").map { name[..<$0] }
    }
  }
}

extension ScheduleRows.Shown {
  /// The index of the row, if it is one.
  var row: Int? { if case .row(let index) = self { index } else { nil } }

  /// The number of steps and tasks that are left out, as text.
  static func text(leftOut steps: Int, of tasks: Int) -> String {
    "\(steps == 1 ? "1 step" : "\(steps) steps") of \(tasks == 1 ? "1 task" : "\(tasks) tasks")"
  }
}
