import Sleepless

/// A schedule as a person reads it: a column for each task that took part, and a row for each stretch
/// that a task ran without another's coming between.
///
/// What a task does on its way to an actor and back are several steps and one row. Steps of which
/// nobody knows whose they are, the runtime's own, are left out.
package struct ScheduleRows: Sendable {
  /// A task.
  package struct Column: Sendable {
    package let task: Int
    /// Its name or, if it has none, the function it runs, which says where it was made.
    package let title: String
    /// Which task made it, and when.
    package let creator: Int?
    package let instant: Duration
    package let function: String?
  }

  /// A stretch of one task.
  package struct Row: Sendable {
    package let column: Int
    package let instant: Duration
    /// The place of its first step in the schedule, counted from 1.
    package let step: Int
    /// How many steps it took.
    package var steps = 1
    /// Whether somebody else would have gone by the usual rule.
    package let isSwitch: Bool
    /// Whether the task had not run before.
    package var isStart = false
    /// The functions that it went on in, each where it came first.
    package var functions: [String] = []
    package var events: [Event] = []
  }

  /// What came of a stretch.
  package enum Event: Sendable, Equatable {
    case makes(Int)
    /// Lets somebody else go on.
    case wakes(Int)
    case sleeps(until: Duration)
    case ends
  }

  package private(set) var columns: [Column] = []
  package private(set) var rows: [Row] = []

  /// Reads a schedule. The functions are looked up unless a test says what they are.
  package init(
    _ trace: ScheduleTrace,
    functions: (ScheduleTrace.Step) -> [String] = { $0.functions },
    function: (ScheduleTrace.Participant) -> String? = { $0.function }
  ) {
    let taking = Set(trace.steps.compactMap(\.candidate.task))
    for task in trace.tasks where taking.contains(task.number) || task.number == 0 {
      // Of a child in a group the runtime knows its wrapper; it starts in what it runs.
      let own = trace.steps.filter { $0.candidate.task == task.number }.prefix(4)
      let run = own.map(functions).first { !$0.isEmpty }?.last
      let made = (function(task) ?? run).map(Self.compact)
      columns.append(
        Column(
          task: task.number, title: Self.title(task, made), creator: task.creator,
          instant: task.instant, function: made))
    }
    let places = Dictionary(uniqueKeysWithValues: zip(columns.map(\.task), columns.indices))
    for (index, step) in trace.steps.enumerated() {
      guard let task = step.candidate.task, let column = places[task] else { continue }
      add(step, index, of: task, in: column, functions(step).map(Self.compact))
      // An actor that serves several may see the last of one that is not the first.
      for case .ended(let other) in step.effects where other != task {
        guard let column = places[other] else { continue }
        var end = Row(column: column, instant: step.instant, step: index + 1, isSwitch: false)
        end.events = [.ends]
        rows.append(end)
      }
    }
  }

  private mutating func add(
    _ step: ScheduleTrace.Step, _ index: Int, of task: Int, in column: Int, _ functions: [String]
  ) {
    if let last = rows.last, last.column == column, last.instant == step.instant, !step.isSwitch {
      rows[rows.count - 1].steps += 1
    } else {
      var row = Row(column: column, instant: step.instant, step: index + 1, isSwitch: step.isSwitch)
      row.isStart = task > 0 && !rows.contains { $0.column == column }
      rows.append(row)
    }
    if let name = functions.first, !rows[rows.count - 1].functions.contains(name) {
      rows[rows.count - 1].functions.append(name)
    }
    for effect in step.effects {
      guard let event = Event(effect, of: task) else { continue }
      if case .wakes(let other) = event, rows[rows.count - 1].events.contains(.makes(other)) {
        continue
      }
      if rows[rows.count - 1].events.last != event { rows[rows.count - 1].events.append(event) }
    }
  }

  /// A function without its parameters, for which there is no room.
  private static func compact(_ function: String) -> String {
    function.components(separatedBy: " in ").map { part in
      String(part.prefix { $0 != "(" && $0 != "<" && $0 != ":" }).trimmed
    }.filter { !$0.isEmpty }.joined(separator: " in ")
  }

  private static func title(_ task: ScheduleTrace.Participant, _ function: String?) -> String {
    if task.number == 0 { return "the body" }
    if let name = task.name { return "\(task.number) \"\(name)\"" }
    return function.map { "\(task.number) \($0)" } ?? "task \(task.number)"
  }

  /// Who a task is where there is little room: its name, or its number.
  func shortName(of task: Int) -> String {
    guard let column = columns.first(where: { $0.task == task }) else { return "task \(task)" }
    if task == 0 { return "the body" }
    return column.title.hasSuffix("\"") ? column.title : "task \(task)"
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

extension ScheduleRows.Event {
  /// Nil for what goes without saying: that a task comes back from where it went.
  fileprivate init?(_ effect: ScheduleTrace.Effect, of task: Int) {
    switch effect {
    case .made(let other): self = .makes(other)
    case .woke(let other):
      guard other != task else { return nil }
      self = .wakes(other)
    case .fellAsleep(let sleeper, let until):
      guard sleeper == task else { return nil }
      self = .sleeps(until: until)
    case .ended(let other):
      guard other == task else { return nil }
      self = .ends
    }
  }
}

extension ScheduleRows {
  /// What a row says besides the functions: what came of it, the same things together.
  package func events(of row: Row) -> [String] {
    var parts: [String] = []
    if row.isStart { parts.append("starts") }
    let made = row.events.compactMap { if case .makes(let task) = $0 { task } else { nil } }
    if !made.isEmpty { parts.append("makes \(names(made))") }
    let woken = row.events.compactMap { if case .wakes(let task) = $0 { task } else { nil } }
    if !woken.isEmpty { parts.append("wakes \(names(woken))") }
    for event in row.events {
      switch event {
      case .sleeps(let until): parts.append("sleeps until \(until.shortDescription)")
      case .ends: parts.append("ends")
      case .makes, .wakes: break
      }
    }
    return parts.isEmpty && row.functions.isEmpty ? ["goes on"] : parts
  }

  /// All that a row says, in lines that each fit in a width if they can.
  func lines(of row: Row, width: Int) -> [String] {
    let whole = text(of: row)
    guard whole.displayWidth > width else { return [whole] }
    let functions = row.functions.enumerated().map { $0 == 0 ? $1 : "→ \($1)" }
    var lines = row.isStart ? [] : functions
    for event in events(of: row) {
      let isFirst = lines.isEmpty || lines.count == functions.count
      if let last = lines.last, !isFirst, last.displayWidth + event.displayWidth + 2 <= width {
        lines[lines.count - 1] += ", " + event
      } else {
        lines.append(event)
        if row.isStart, lines.count == 1 { lines += functions }
      }
    }
    return lines.map { $0.shortened(to: width) }
  }

  /// All that a row says, in one line.
  func text(of row: Row) -> String {
    var parts = events(of: row)
    if !row.functions.isEmpty {
      parts.insert(row.functions.joined(separator: " → "), at: row.isStart ? 1 : 0)
    }
    return parts.joined(separator: ", ")
  }

  private func names(_ tasks: [Int]) -> String {
    var seen: Set<Int> = []
    return tasks.filter { seen.insert($0).inserted }.map(shortName).joined(separator: ", ")
  }

  /// The rows to show if there may only be so many: those round the switches and the last ones, then
  /// the first ones; nil stands for those between.
  package func selection(atMost limit: Int) -> [Int?] {
    guard rows.count > limit else { return rows.indices.map { $0 } }
    let near = rows.indices.filter { rows[$0].isSwitch }.flatMap { [$0, $0 - 1, $0 + 1] }
    var chosen: Set<Int> = []
    for index in near + rows.indices.suffix(limit / 4) + rows.indices
    where rows.indices.contains(index) && chosen.count < limit { chosen.insert(index) }
    var shown: [Int?] = []
    for index in chosen.sorted() {
      if index != (shown.last ?? -1).map({ $0 + 1 }) { shown.append(nil) }
      shown.append(index)
    }
    return shown
  }
}
