import Sleepless

/// A schedule as text for a monospaced font, in ASCII as far as the program's names are: other characters can be
/// lost on the way through a pipe.
///
/// With few tasks it is a table with a column for each task and virtual time at the side. With more tasks, or with
/// texts that take many lines in a column, it is a list with one line for each row of `ScheduleRows`. Both fit in a
/// width; long texts take several lines.
package struct ScheduleTable: Sendable {
  private let rows: ScheduleRows
  /// The text of the last line: the failure.
  private let ending: String?
  private let width: Int
  private let shown: [ScheduleRows.Shown]
  /// The indices of the columns that have a row.
  private let columns: [Int]
  /// The width of the times at the side.
  private let timeWidth: Int

  /// The least width at which a column is readable.
  private static let leastWidth = 32
  /// The most lines that a row may take in its column.
  private static let mostLines = 3
  static let mark = ">"

  package init(_ rows: ScheduleRows, ending: String? = nil, width: Int = 80, rowLimit: Int = 60) {
    self.rows = rows
    self.ending = ending
    self.width = max(width, 40)
    shown = rows.selection(atMost: rowLimit)
    columns = rows.columns(of: shown)
    timeWidth = max(4, rows.rows.map { $0.instant.shortDescription.displayWidth }.max() ?? 0)
  }

  package var text: String {
    var lines = columnWidths.map(table) ?? list
    if let ending { lines += "FAILS: \(ending)".wrapped(to: width) }
    return lines.joined(separator: "\n")
  }

  /// The source of the lines at which the tasks go on.
  package var source: String {
    SourceExcerpt(of: shown, in: rows).lines(width: width).joined(separator: "\n")
  }

  private func gap(steps: Int, tasks: Int) -> String {
    "... \(ScheduleRows.Shown.text(leftOut: steps, of: tasks))"
  }

  // MARK: The table

  /// The widths of the columns, including the line and the mark before each; nil if there is no room
  /// for the columns, or for a row in its column.
  private var columnWidths: [Int]? {
    let room = width - timeWidth - 2
    guard !columns.isEmpty, room / columns.count >= Self.leastWidth else { return nil }
    var widths = rows.columns.map { $0.heading.map(\.displayWidth).max() ?? 0 }
    for index in shown.compactMap(\.row) {
      let row = rows.rows[index]
      widths[row.column] = max(widths[row.column], rows.text(of: row).displayWidth)
    }
    widths = columns.map { widths[$0] + 5 }
    // A column that needs less than an equal share of the rest gets what it needs.
    var (rest, open) = (room, Set(widths.indices))
    while let small = open.first(where: { widths[$0] <= rest / open.count }) {
      rest -= widths[small]
      open.remove(small)
    }
    for index in open { widths[index] = rest / open.count }
    let isReadable = shown.compactMap(\.row).map { rows.rows[$0] }.allSatisfy { row in
      let place = columns.firstIndex(of: row.column)!
      return rows.lines(of: row, width: widths[place] - 5).count <= Self.mostLines
    }
    return isReadable ? widths : nil
  }

  private func table(_ widths: [Int]) -> [String] {
    let headings = zip(columns, widths).map { column, width in
      rows.columns[column].heading.flatMap { $0.wrapped(to: width - 5) }
    }
    var lines = (0..<(headings.map(\.count).max() ?? 0)).map { number in
      let cells = headings.map { "|   " + (number < $0.count ? $0[number] : "") }
      return line(number == 0 ? "time" : "", cells, widths)
    }
    lines.append(
      String(repeating: "-", count: timeWidth + 1)
        + widths.map { "+" + String(repeating: "-", count: $0 - 1) }.joined())
    var instant: Duration?
    for shown in shown {
      switch shown {
      case .leftOut(_, let steps, let tasks):
        lines.append("".padded(to: timeWidth + 1) + gap(steps: steps, tasks: tasks))
      case .row(let index):
        lines += cells(
          of: rows.rows[index], widths, isNewInstant: rows.rows[index].instant != instant)
        instant = rows.rows[index].instant
      }
    }
    return lines
  }

  private func cells(
    of row: ScheduleRows.Row, _ widths: [Int], isNewInstant: Bool
  ) -> [String] {
    let place = columns.firstIndex(of: row.column)!
    return rows.lines(of: row, width: widths[place] - 5).enumerated().map { number, part in
      let cells = widths.indices.map { index in
        index == place ? "| \(row.isSwitch && number == 0 ? Self.mark : " ") \(part)" : "|"
      }
      let time = isNewInstant && number == 0 ? row.instant.shortDescription : ""
      return line(time, cells, widths)
    }
  }

  private func line(_ time: String, _ cells: [String], _ widths: [Int]) -> String {
    let cells = zip(cells, widths).map { $0.padded(to: $1) }.joined()
    return "\(time.indented(to: timeWidth)) \(cells)".withoutTrailingSpaces
  }

  // MARK: The list

  private var list: [String] {
    let titles = columns.map { rows.columns[$0].title }
    let titleWidth = min(titles.map(\.displayWidth).max() ?? 0, (width - timeWidth) / 3)
    let margin = timeWidth + titleWidth + 4
    var lines = columns.map { rows.columns[$0] }.flatMap { column in
      column.heading.count < 2
        ? [] : "\(column.title) is \(column.heading[1])".wrapped(to: width)
    }
    var instant: Duration?
    for shown in shown {
      switch shown {
      case .leftOut(_, let steps, let tasks):
        lines.append("".padded(to: timeWidth + 1) + gap(steps: steps, tasks: tasks))
      case .row(let index):
        let row = rows.rows[index]
        let time = row.instant == instant ? "" : row.instant.shortDescription
        instant = row.instant
        let title = rows.columns[row.column].title.shortened(to: titleWidth).padded(to: titleWidth)
        let head = "\(time.indented(to: timeWidth)) \(row.isSwitch ? Self.mark : " ") \(title) "
        for (number, part) in rows.text(of: row).wrapped(to: width - margin).enumerated() {
          lines.append((number == 0 ? head : "".padded(to: margin)) + part)
        }
      }
    }
    return lines
  }
}

extension String {
  var withoutTrailingSpaces: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
