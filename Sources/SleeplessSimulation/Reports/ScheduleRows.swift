import Foundation
import Sleepless

/// A schedule for people: a column for each task that ran and for each queue whose blocks ran, and a row for each run
/// of steps that one task took without a step of another in between.
///
/// A task that enters an actor and leaves it takes several steps, which are one row. The runtime's own steps,
/// which belong to no known task, are left out.
package struct ScheduleRows: Sendable {
  /// A task, or a queue.
  package struct Column: Sendable {
    /// The task; of a queue, the task of the first block.
    package let task: Int
    /// The tasks of a queue's other blocks.
    fileprivate(set) var others: Set<Int> = []
    /// The queue's name, or the task's number and its name, if it has one: `2 "search"`, `task 2`.
    package let title: String
    /// The title. For a task without a name also the function that it runs, because that shows where it was
    /// created.
    package var heading: [String] {
      isNamed ? [title] : [title] + [function?.shortText].compactMap(\.self)
    }
    let isNamed: Bool
    /// The task that created it, and when.
    package let creator: Int?
    package let instant: Duration
    package let function: CodeFrame?

    /// Whether a row of the column may be one of a task.
    func has(_ task: Int) -> Bool { self.task == task || others.contains(task) }
  }

  /// A run of steps of one task.
  package struct Row: Sendable {
    package let column: Int
    let task: Int
    package let instant: Duration
    /// The number of its first step in the schedule, counted from 1.
    package let step: Int
    /// Whether another task would have run by default.
    package let isSwitch: Bool
    /// The task that would have run instead, if it is known.
    let passedOver: Int?
    /// Whether it begins with the end of a sleep.
    package let isAlarm: Bool
    /// Whether the task had not run before.
    package var isStart = false
    /// What comes before the functions: why the task goes on, if nothing else says it.
    var opening: String? { isStart ? "starts" : isAlarm ? "its sleep ends" : nil }
    /// The task that goes on after this row, though it was not suspended before.
    package var heldTask: Int?
    /// Where it resumed.
    fileprivate(set) var frames: [CodeFrame] = []
    package var events: [Event] = []
  }

  /// An effect of a row.
  package enum Event: Sendable, Equatable {
    case makes(Int)
    case cancels(Int)
    /// Resumes other tasks.
    case wakes(Int)
    case sleeps(until: Duration)
    case ends(byError: Bool)
  }

  package private(set) var columns: [Column] = []
  package private(set) var rows: [Row] = []
  let stepCount: Int

  /// A row, or rows that are left out.
  package enum Shown: Sendable, Equatable {
    case row(Int)
    case leftOut(Range<Int>, steps: Int, tasks: Int)
  }

  /// Makes the rows of a schedule. The functions are looked up unless a test gives them.
  package init(
    _ trace: ScheduleTrace,
    functions: (ScheduleTrace.Step) -> [CodeFrame] = { $0.functions },
    function: (ScheduleTrace.Participant) -> CodeFrame? = { $0.function }
  ) {
    stepCount = trace.steps.count
    let actions = trace.steps.map(trace.actions)
    let taking = Set(
      trace.steps.compactMap(\.candidate.task) + actions.joined().compactMap(\.performer))
    for task in trace.tasks where taking.contains(task.number) || task.number == 0 {
      // All blocks of a queue share a column. Queues with one name are not told apart.
      let queue = task.isBlock ? columns.firstIndex { $0.title == task.name } : nil
      if let queue {
        columns[queue].others.insert(task.number)
        continue
      }
      // For a child of a group the runtime reports a wrapper; the child's function is the one it starts in.
      let own = trace.steps.filter { $0.candidate.task == task.number }.prefix(4)
      let run = own.map(functions).first { !$0.isEmpty }?.last
      columns.append(
        Column(
          task: task.number, title: Self.title(task), isNamed: task.number == 0 || task.name != nil,
          creator: task.creator, instant: task.instant, function: function(task) ?? run))
    }
    var places: [Int: Int] = [:]
    for (index, column) in columns.enumerated() {
      for task in column.others.union([column.task]) { places[task] = index }
    }
    for (index, step) in trace.steps.enumerated() {
      let task = step.candidate.task
      if let task, let column = places[task] {
        continueRow(in: column, of: task, at: step, index, isSwitch: step.isSwitch)
        rows[rows.count - 1].heldTask = step.heldTask
        note(functions(step).first, in: column)
      }
      // An actor may run several tasks in one step.
      for (performer, effect) in actions[index] {
        guard let performer, let column = places[performer] else { continue }
        continueRow(in: column, of: performer, at: step, index, isSwitch: false)
        if case .woke(performer, _) = effect { continue }
        note(effect)
      }
    }
  }

  /// Makes sure that the last row is one of this task.
  private mutating func continueRow(
    in column: Int, of task: Int, at step: ScheduleTrace.Step, _ index: Int, isSwitch: Bool
  ) {
    if let last = rows.last, last.task == task, last.instant == step.instant, !isSwitch {
      return
    }
    var row = Row(
      column: column, task: task, instant: step.instant, step: index + 1, isSwitch: isSwitch,
      passedOver: isSwitch ? step.runnable[step.defaultIndex].task : nil,
      isAlarm: step.candidate.kind == .alarm)
    row.isStart = task > 0 && !rows.contains { $0.task == task }
    rows.append(row)
  }

  private mutating func note(_ frame: CodeFrame?, in column: Int) {
    guard let frame, rows[rows.count - 1].frames.last != frame else { return }
    rows[rows.count - 1].frames.append(frame)
  }

  private mutating func note(_ effect: ScheduleTrace.Effect) {
    let event = Event(effect)
    let events = rows[rows.count - 1].events
    if case .wakes(let other) = event, events.contains(.makes(other)) { return }
    if events.last != event { rows[rows.count - 1].events.append(event) }
  }

  private static func title(_ task: ScheduleTrace.Participant) -> String {
    if task.number == 0 { return "the body" }
    if task.isBlock, let name = task.name { return name }
    return task.name.map { "\(task.number) \"\($0)\"" } ?? "task \(task.number)"
  }

  func title(of task: Int) -> String {
    columns.first { $0.has(task) }?.title ?? "task \(task)"
  }
}

extension String {
  /// The text before the first occurrence of a mark.
  fileprivate func prefix(upTo mark: String) -> Substring {
    range(of: mark).map { self[..<$0.lowerBound] } ?? self[...]
  }
}

extension ScheduleRows.Event {
  fileprivate init(_ effect: ScheduleTrace.Effect) {
    switch effect {
    case .made(let task): self = .makes(task)
    case .cancelled(let task, _): self = .cancels(task)
    case .woke(let task, _): self = .wakes(task)
    case .fellAsleep(_, let until): self = .sleeps(until: until)
    case .ended(_, let byError): self = .ends(byError: byError)
    }
  }
}

extension ScheduleTrace.Step {
  fileprivate func effect(_ index: Int) -> ScheduleTrace.Effect? {
    effects.indices.contains(index) ? effects[index] : nil
  }
}

extension ScheduleTrace {
  typealias StepAction = (performer: Int?, effect: Effect)

  /// The effects of a step, with the task that caused each.
  fileprivate func actions(of step: Step) -> [StepAction] {
    step.effects.enumerated().map { index, effect in
      switch effect {
      case .made(let task): return (tasks[task].creator, effect)
      case .fellAsleep(let task, _), .ended(let task, _): return (task, effect)
      case .cancelled(_, let canceller?), .woke(_, let canceller?): return (canceller, effect)
      case .cancelled: return (step.candidate.task, effect)
      case .woke(let task, nil):
        // A task that waits for a task that it has created resumes when that task ends.
        for case .ended(let waker, _) in [index + 1, index - 1].compactMap(step.effect)
        where tasks[waker].creator == task { return (waker, effect) }
        return (step.candidate.kind == .actor ? task : step.candidate.task, effect)
      }
    }
  }
}

extension ScheduleRows {
  /// Where a row's task resumed: `Cart.pay at Cart.swift:12`. Of a function that was named before, in the
  /// heading or in the row, only the line. The rounds of a loop are told once: `12 -> 14 (3 times)`.
  func functions(of row: Row) -> [String] {
    let column = columns[row.column]
    var named = column.isNamed ? nil : column.function
    var isFirst = true
    return Self.loops(in: row.frames).map { loop in
      let texts = loop.frames.map { frame in
        defer { (named, isFirst) = (frame, false) }
        return Self.text(of: frame, after: named, isFirst: isFirst)
      }
      let path = texts.joined(separator: " -> ")
      return loop.rounds > 1 ? "\(path) (\(loop.rounds) times)" : path
    }
  }

  private static func text(of frame: CodeFrame, after named: CodeFrame?, isFirst: Bool) -> String {
    guard let named, named.function == frame.function else { return frame.shortText }
    guard let line = frame.line else { return String(frame.shortText.prefix(upTo: " in ")) }
    return line.path == named.line?.path && !isFirst ? "\(line.number)" : "at \(line.text)"
  }

  /// The frames, and how often they follow each other. Those that do so once are on their own.
  private static func loops(in frames: [CodeFrame]) -> [(frames: [CodeFrame], rounds: Int)] {
    var loops: [(frames: [CodeFrame], rounds: Int)] = []
    var rest = frames[...]
    while !rest.isEmpty {
      let length = (1...longestRound).first { rounds(of: $0, in: rest) > 1 } ?? 1
      let count = rounds(of: length, in: rest)
      loops.append((Array(rest.prefix(length)), count))
      rest = rest.dropFirst(length * count)
    }
    return loops
  }

  /// How often the first frames, as many as `length`, follow each other. At least once.
  private static func rounds(of length: Int, in frames: ArraySlice<CodeFrame>) -> Int {
    let round = frames.prefix(length)
    var rest = frames.dropFirst(length)
    var count = 1
    while rest.starts(with: round) {
      rest = rest.dropFirst(length)
      count += 1
    }
    return count
  }

  /// The most frames of a round that are recognised.
  private static let longestRound = 4

  /// The texts of a row's effects. Tasks that the row creates share one text, and so do tasks that it cancels or
  /// wakes.
  package func events(of row: Row) -> [String] {
    var parts: [String] = []
    if let opening = row.opening { parts.append(opening) }
    let made = row.events.compactMap { if case .makes(let task) = $0 { task } else { nil } }
    if !made.isEmpty { parts.append("makes \(names(made))") }
    let cancelled = row.events.compactMap { if case .cancels(let task) = $0 { task } else { nil } }
    if !cancelled.isEmpty { parts.append("cancels \(names(cancelled))") }
    let woken = row.events.compactMap { if case .wakes(let task) = $0 { task } else { nil } }
    if !woken.isEmpty { parts.append("wakes \(names(woken))") }
    for event in row.events {
      switch event {
      case .sleeps(let until): parts.append("sleeps until \(until.shortDescription)")
      case .ends(let byError): parts.append(byError ? "ends with an error" : "ends")
      case .makes, .cancels, .wakes: break
      }
    }
    if parts.isEmpty, row.frames.isEmpty { parts = ["goes on"] }
    if let held = row.heldTask { parts.append("before \(title(of: held)) goes on") }
    return parts
  }

  /// The texts of a row, in lines that fit in a width.
  func lines(of row: Row, width: Int) -> [String] {
    let whole = text(of: row)
    guard whole.displayWidth > width else { return [whole] }
    let functions = functions(of: row).enumerated().map { $0 == 0 ? $1 : "-> \($1)" }
    var lines = row.opening != nil ? [] : functions
    for event in events(of: row) {
      let isFirst = lines.isEmpty || lines.count == functions.count
      if let last = lines.last, !isFirst, last.displayWidth + event.displayWidth + 2 <= width {
        lines[lines.count - 1] += ", " + event
      } else {
        lines.append(event)
        if row.opening != nil, lines.count == 1 { lines += functions }
      }
    }
    return lines.flatMap { $0.wrapped(to: width) }
  }

  /// The texts of a row, in one line.
  func text(of row: Row) -> String {
    var parts = events(of: row)
    let functions = functions(of: row)
    if !functions.isEmpty {
      parts.insert(functions.joined(separator: " -> "), at: row.opening != nil ? 1 : 0)
    }
    return parts.joined(separator: ", ")
  }

  /// Such as `the body, 1 "reader", tasks 2, 3`, or `tasks 2 to 9`. Of many with names the first are listed.
  private func names(_ tasks: [Int]) -> String {
    var unnamed: [Int] = []
    var named: [String] = []
    for task in Set(tasks).sorted() {
      let title = title(of: task)
      if title == "task \(task)" {
        unnamed.append(task)
      } else if !named.contains(title) {
        named.append(title)
      }
    }
    if named.count > Self.mostNames {
      named =
        named.prefix(Self.mostNames - 2) + [
          "\(named.count - Self.mostNames + 2) more tasks with names"
        ]
    }
    if unnamed.count == 1 { named.append("task \(unnamed[0])") }
    if unnamed.count > 1 { named.append("tasks \(Self.list(unnamed))") }
    return named.joined(separator: ", ")
  }

  private static let mostNames = 8

  /// Such as `1, 4 to 7`.
  private static func list(_ numbers: [Int]) -> String {
    var ranges: [ClosedRange<Int>] = []
    for number in numbers {
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges.flatMap { range in
      range.count > 2 ? ["\(range.lowerBound) to \(range.upperBound)"] : range.map { "\($0)" }
    }.joined(separator: ", ")
  }
}
