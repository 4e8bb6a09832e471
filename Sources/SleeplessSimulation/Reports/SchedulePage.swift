import Sleepless

/// A schedule as a picture: an HTML page that loads no other files.
///
/// Time runs down. If there is room each task has a lane with its rows in it. On a narrow screen, or with many
/// tasks, the lanes are lines at the side and the texts are next to them. Rows that the text report leaves out
/// are folded, without lanes. The page uses the reader's light or dark colours, and its text says everything,
/// for a screen reader too. Only the button that copies the replay line needs a script.
package struct SchedulePage: Sendable {
  private let rows: ScheduleRows
  private let title: String
  private let failure: String?
  private let replay: String?
  private let notes: [String]
  private let ending: String?
  private let shown: [ScheduleRows.Shown]
  /// The indices of the columns that have a row outside the folds.
  private let lanes: [Int]

  private static let listedTasks = 12
  private static let sourceWidth = 120
  /// With more lanes there are no lines: they would be too close to tell them apart.
  static let mostLines = 20

  /// `title` names the test, `failure` is the failed expectation, `replay` the line that replays the schedule.
  /// `notes` are shown above the lanes, and `ending` is the failure in a few words.
  package init(
    _ rows: ScheduleRows, title: String, failure: String? = nil, replay: String? = nil,
    notes: [String] = [], ending: String? = nil, rowLimit: Int = 2_000
  ) {
    self.rows = rows
    self.title = title
    self.failure = failure
    self.replay = replay
    self.notes = notes
    self.ending = ending
    shown = rows.selection(atMost: rowLimit)
    lanes = rows.columns(of: shown)
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
    \(Self.style(lanes: lanes.count))
    </style>
    </head>
    <body>
    <main>
    <h1>\(escaped(title))</h1>
    \(failure.map { "<h2>Failure</h2>\n<pre>\(escaped($0))</pre>" } ?? "")
    \(replay.map(Self.copyable) ?? "")
    \(notes.map { "<p class=\"note\">\(escaped($0))</p>" }.joined(separator: "\n"))
    <h2>Tasks</h2>
    \(tasks)
    <h2 id="schedule">Schedule</h2>
    <p class="note">Time runs down. A line is where a task goes on; it runs up to its next await. \
    <span class="switch">switch</span> marks a step that is not the default: the latest task, else the one that has \
    waited longest.</p>
    <div class="heads" aria-hidden="true"><span></span>\
    \(lanes.map { "<b \(lane($0))>\(escaped(rows.columns[$0].title))</b>" }.joined())</div>
    <ol class="steps" role="list" aria-labelledby="schedule">
    \(steps)
    </ol>
    \(ending.map { "<p class=\"ending\">✗ \(escaped($0))</p>" } ?? "")
    \(source)
    </main>
    \(replay == nil ? "" : Self.copyScript)
    </body>
    </html>

    """
  }

  /// Those with a lane, as far as they fit on a screen, and a fold with the others.
  private var tasks: String {
    let listed = lanes.prefix(Self.listedTasks)
    let others = rows.columns.indices.filter { !listed.contains($0) }
    func list(_ columns: some Sequence<Int>) -> String {
      "<ul class=\"tasks\" role=\"list\">\n\(columns.map(task).joined(separator: "\n"))\n</ul>"
    }
    guard !others.isEmpty else { return list(listed) }
    let summary = others.count == 1 ? "1 more task" : "\(others.count) more tasks"
    return list(listed) + "\n<details><summary>\(summary)</summary>\n\(list(others))\n</details>"
  }

  private func task(_ index: Int) -> String {
    let column = rows.columns[index]
    var origin: [String] = []
    if column.task > 0, let function = column.function { origin.append("runs \(function.text)") }
    if let creator = column.creator { origin.append("made by \(rows.title(of: creator))") }
    if column.task > 0 { origin.append("at \(column.instant.shortDescription)") }
    let text = origin.isEmpty ? "" : " <span>\(escaped(origin.joined(separator: ", ")))</span>"
    return "<li \(lane(index))><b>\(escaped(column.title))</b>\(text)</li>"
  }

  // MARK: Steps

  private var steps: String {
    var instant: Duration?
    let lineRanges = lineRanges
    return shown.map { shown in
      switch shown {
      case .leftOut(let range, let steps, let tasks):
        // Its last instant may be hidden, so the next row shows its own.
        instant = nil
        return fold(range, ScheduleRows.Shown.text(leftOut: steps, of: tasks))
      case .row(let index):
        let row = rows.rows[index]
        defer { instant = row.instant }
        return """
          <li class="\(row.instant != instant ? "new" : "same")" \(lane(row.column))>\
          <time>\(row.instant.shortDescription)</time> \(graph(row, index, lineRanges))\
          <div class="event">\(text(of: row))</div></li>
          """
      }
    }.joined(separator: "\n")
  }

  private func fold(_ range: Range<Int>, _ summary: String) -> String {
    let folded = rows.rows[range].map { row in
      """
      <li \(lane(row.column))><time>\(row.instant.shortDescription)</time> \
      <div class="event">\(text(of: row))</div></li>
      """
    }
    return """
      <li class="fold"><details><summary>\(summary)</summary>
      <ol role="list">
      \(folded.joined(separator: "\n"))
      </ol></details></li>
      """
  }

  private func text(of row: ScheduleRows.Row) -> String {
    let functions = rows.functions(of: row).map { "<code>\(escaped($0))</code>" }.joined(
      separator: " → ")
    var parts = rows.events(of: row).map(escaped)
    if !functions.isEmpty { parts.insert(functions, at: row.opening != nil ? 1 : 0) }
    let mark = row.isSwitch ? "<span class=\"switch\">switch</span> " : ""
    let title = escaped(rows.columns[row.column].title)
    return "\(mark)<b>\(title)</b> \(parts.joined(separator: ", "))"
  }

  /// The source of the lines at which the tasks go on.
  private var source: String {
    let lines = SourceExcerpt(of: shown, in: rows).lines(width: Self.sourceWidth)
    guard !lines.isEmpty else { return "" }
    return "<h2>Lines</h2>\n<pre>\(escaped(lines.joined(separator: "\n")))</pre>"
  }

  // MARK: Lanes

  /// The first and the last row of each lane's line: from the task's creation, or its first row, to its last.
  private var lineRanges: [ClosedRange<Int>] {
    lanes.map { column in
      let task = rows.columns[column].task
      let first = rows.rows.firstIndex { $0.column == column || $0.events.contains(.makes(task)) }
      return first!...rows.rows.lastIndex { $0.column == column }!
    }
  }

  /// The lines of all tasks beside a row, for narrow screens.
  private func graph(
    _ row: ScheduleRows.Row, _ index: Int, _ lineRanges: [ClosedRange<Int>]
  ) -> String {
    guard lanes.count <= Self.mostLines else { return "" }
    let place = lanes.firstIndex(of: row.column)!
    var shapes = ""
    for (lane, range) in lineRanges.enumerated() where range.contains(index) {
      let (top, bottom) = (index == range.lowerBound ? 50 : 0, index == range.upperBound ? 50 : 100)
      shapes += line("life", lane, from: (lane, top), to: (lane, bottom))
    }
    for other in others(of: row) {
      shapes += line("reach", place, from: (place, 50), to: (other, 50))
    }
    return "<div class=\"graph\" aria-hidden=\"true\"><svg>\(shapes)"
      + "<circle class=\"l\(place % Self.colorCount)\" cx=\"\(x(place))\" cy=\"50%\" r=\"5\"/></svg></div>"
  }

  /// `from` and `to` are a lane and a height in percent.
  private func line(
    _ kind: String, _ lane: Int, from: (lane: Int, y: Int), to: (lane: Int, y: Int)
  ) -> String {
    "<line class=\"\(kind) l\(lane % Self.colorCount)\" x1=\"\(x(from.lane))\" y1=\"\(from.y)%\" "
      + "x2=\"\(x(to.lane))\" y2=\"\(to.y)%\"/>"
  }

  private func x(_ lane: Int) -> String {
    let thousandths = (lane * 2 + 1) * 1000 / (lanes.count * 2)
    return "\(thousandths / 10).\(thousandths % 10)%"
  }

  /// The lanes of the tasks that a row created or woke.
  private func others(of row: ScheduleRows.Row) -> [Int] {
    let tasks = row.events.compactMap { event -> Int? in
      switch event {
      case .makes(let task), .wakes(let task): task
      default: nil
      }
    }
    return lanes.indices.filter { tasks.contains(where: rows.columns[lanes[$0]].has) }
  }

  /// The place and the colour of a column's lane; nothing for a task without a lane.
  private func lane(_ column: Int) -> String {
    lanes.firstIndex(of: column).map {
      "style=\"--lane:\($0 + 2);--color:var(--c\($0 % Self.colorCount))\""
    } ?? ""
  }
}

func escaped(_ text: String) -> String {
  text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    .replacing("\"", with: "&quot;")
}
