import Sleepless

/// A schedule as a picture: an HTML page that loads no other files.
///
/// Time runs down. If there is room each task has a lane with its rows in it. On a narrow screen, or with many
/// tasks, the lanes are lines at the side and the texts are next to them. The page uses the reader's light or
/// dark colours, and its text says everything, for a screen reader too.
package struct SchedulePage: Sendable {
  private let rows: ScheduleRows
  private let title: String
  private let notes: [String]
  private let ending: String?
  private let rowLimit: Int

  /// `title` names the test, `notes` are shown above the lanes, and `ending` is the failure.
  package init(
    _ rows: ScheduleRows, title: String, notes: [String] = [], ending: String? = nil,
    rowLimit: Int = 2_000
  ) {
    self.rows = rows
    self.title = title
    self.notes = notes
    self.ending = ending
    self.rowLimit = rowLimit
  }

  package var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(escaped(title))</title>
    <style>
    \(Self.style(lanes: rows.columns.count))
    </style>
    </head>
    <body>
    <main>
    <h1>\(escaped(title))</h1>
    \(notes.map { "<p class=\"note\">\(escaped($0))</p>" }.joined(separator: "\n"))
    <h2>Tasks</h2>
    <ul class="tasks">
    \(rows.columns.map(task).joined(separator: "\n"))
    </ul>
    <h2>Schedule</h2>
    <p class="note" id="key">Time runs down. <span class="switch">switch</span> marks a \
    step that is not the default: the latest task, else the one that has waited longest.</p>
    <div class="heads" aria-hidden="true"><span></span>\
    \(rows.columns.map { "<b \(lane($0))>\(escaped(rows.title(of: $0.task)))</b>" }.joined())</div>
    <ol class="steps">
    \(steps)
    </ol>
    \(ending.map { "<p class=\"ending\" role=\"note\">✗ \(escaped($0))</p>" } ?? "")
    </main>
    </body>
    </html>

    """
  }

  private func task(_ column: ScheduleRows.Column) -> String {
    var origin: [String] = []
    if column.task > 0, let function = column.function { origin.append("runs \(function.text)") }
    if let creator = column.creator { origin.append("made by \(rows.title(of: creator))") }
    if column.task > 0 { origin.append("at \(column.instant.shortDescription)") }
    let text = origin.isEmpty ? "" : " <span>\(escaped(origin.joined(separator: ", ")))</span>"
    return "<li \(lane(column))><b>\(escaped(rows.title(of: column.task)))</b>\(text)</li>"
  }

  // MARK: Steps

  private var steps: String {
    var instant: Duration?
    let lineRanges = lineRanges
    return rows.selection(atMost: rowLimit).map { shown in
      switch shown {
      case .leftOut(let steps, let tasks):
        return "<li class=\"gap\">… \(steps) steps of \(tasks) tasks …</li>"
      case .row(let index):
        let row = rows.rows[index]
        let isNew = row.instant != instant
        instant = row.instant
        return step(row, index, isNewInstant: isNew, lineRanges)
      }
    }.joined(separator: "\n")
  }

  private func step(
    _ row: ScheduleRows.Row, _ index: Int, isNewInstant: Bool, _ lineRanges: [ClosedRange<Int>?]
  ) -> String {
    let column = rows.columns[row.column]
    let time = row.instant.shortDescription
    let functions = rows.functions(of: row).map { "<code>\(escaped($0))</code>" }.joined(
      separator: " → ")
    var parts = rows.events(of: row).map(escaped)
    if !functions.isEmpty { parts.insert(functions, at: row.isStart ? 1 : 0) }
    let mark = row.isSwitch ? "<span class=\"switch\">switch</span> " : ""
    return """
      <li class="\(isNewInstant ? "new" : "same")" \(lane(column))>\
      <time>\(time)</time> \(graph(row, index, lineRanges))\
      <div class="event">\(mark)<b>\(escaped(rows.title(of: column.task)))</b> \(parts.joined(separator: ", "))</div></li>
      """
  }

  /// The first and the last row of each task's line: from its creation, or its first row, to its last row.
  private var lineRanges: [ClosedRange<Int>?] {
    rows.columns.indices.map { column in
      let task = rows.columns[column].task
      let own = rows.rows.indices.filter { rows.rows[$0].column == column }
      let made = rows.rows.firstIndex { $0.events.contains(.makes(task)) }
      guard let last = own.last, let first = [made, own.first].compactMap({ $0 }).min() else {
        return nil
      }
      return first...last
    }
  }

  /// The lines of all tasks beside a row, for narrow screens.
  private func graph(
    _ row: ScheduleRows.Row, _ index: Int, _ lineRanges: [ClosedRange<Int>?]
  ) -> String {
    let count = rows.columns.count
    func x(_ column: Int) -> String { "\((column * 2 + 1) * 1000 / (count * 2))" }
    var shapes = ""
    for (column, range) in lineRanges.enumerated() {
      guard let range, range.contains(index) else { continue }
      let (top, bottom) = (index == range.lowerBound ? 50 : 0, index == range.upperBound ? 50 : 100)
      shapes += line(column, x(column), "\(top)%", x(column), "\(bottom)%", "life")
    }
    for other in others(of: row) {
      shapes += line(row.column, x(row.column), "50%", x(other), "50%", "reach")
    }
    return "<div class=\"graph\" aria-hidden=\"true\"><svg>\(shapes)"
      + "<circle class=\"l\(row.column % Self.colorCount)\" cx=\"\(percent(x(row.column)))\" "
      + "cy=\"50%\" r=\"5\"/></svg></div>"
  }

  private func line(
    _ column: Int, _ x1: String, _ y1: String, _ x2: String, _ y2: String, _ kind: String
  ) -> String {
    "<line class=\"\(kind) l\(column % Self.colorCount)\" x1=\"\(percent(x1))\" y1=\"\(y1)\" "
      + "x2=\"\(percent(x2))\" y2=\"\(y2)\"/>"
  }

  private func percent(_ thousandths: String) -> String {
    let number = Int(thousandths)!
    return "\(number / 10).\(number % 10)%"
  }

  /// The lanes of the tasks that a row created or woke.
  private func others(of row: ScheduleRows.Row) -> [Int] {
    let tasks = row.events.compactMap { event -> Int? in
      switch event {
      case .makes(let task), .wakes(let task): task
      default: nil
      }
    }
    return rows.columns.indices.filter { tasks.contains(rows.columns[$0].task) }
  }

  private func lane(_ column: ScheduleRows.Column) -> String {
    let index = rows.columns.firstIndex { $0.task == column.task }!
    return "style=\"--lane:\(index + 2);--color:var(--c\(index % Self.colorCount))\""
  }
}

private func escaped(_ text: String) -> String {
  text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    .replacing("\"", with: "&quot;")
}
