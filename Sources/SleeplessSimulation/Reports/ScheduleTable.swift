import Sleepless

/// A schedule as a table for a monospaced font: a column for each task, rows as in `ScheduleRows`, and virtual
/// time at the side.
///
/// The table fits in a width. Long texts take several lines. With too many tasks, all tasks are in one
/// column.
package struct ScheduleTable: Sendable {
  private let rows: ScheduleRows
  /// The text of the last row: the failure.
  private let ending: String?
  private let width: Int
  private let rowLimit: Int

  /// The least width at which a column is readable.
  private static let leastWidth = 16
  static let mark = "▶"

  package init(_ rows: ScheduleRows, ending: String? = nil, width: Int = 100, rowLimit: Int = 60) {
    self.rows = rows
    self.ending = ending
    self.width = max(width, 40)
    self.rowLimit = rowLimit
  }

  package var text: String {
    let room = width - timeWidth - 2
    let widths = columnWidths(in: room)
    return (widths.map(sideBySide) ?? oneBelowTheOther).joined(separator: "\n")
  }

  // MARK: Side by side

  /// The widths of the columns, including the mark and the line before each; nil if there is no room.
  private func columnWidths(in room: Int) -> [Int]? {
    let count = rows.columns.count
    guard count > 0, room / count >= Self.leastWidth else { return nil }
    var widths = rows.columns.map { $0.heading.map(\.displayWidth).max() ?? 0 }
    for index in shown.compactMap({ $0 }) {
      let row = rows.rows[index]
      widths[row.column] = max(widths[row.column], rows.text(of: row).displayWidth)
    }
    widths = widths.map { $0 + 5 }
    // A column that needs less than an equal share of the rest gets what it needs.
    var (rest, open) = (room, Set(widths.indices))
    while let small = open.first(where: { widths[$0] <= rest / open.count }) {
      rest -= widths[small]
      open.remove(small)
    }
    for index in open { widths[index] = rest / open.count }
    return widths
  }

  private func sideBySide(_ widths: [Int]) -> [String] {
    let headings = zip(rows.columns, widths).map { column, width in
      column.heading.flatMap { $0.wrapped(to: width - 5) }
    }
    var lines = (0..<(headings.map(\.count).max() ?? 0)).map { number in
      let cells = headings.map { "│   " + (number < $0.count ? $0[number] : "") }
      return line(number == 0 ? "time" : "", cells, widths)
    }
    lines.append(
      String(repeating: "─", count: timeWidth + 1)
        + widths.map { "┼" + String(repeating: "─", count: $0 - 1) }.joined())
    var instant: Duration?
    for index in shown {
      guard let index else {
        lines.append(line("⋮", widths.map { _ in "│   ⋮" }, widths))
        continue
      }
      let row = rows.rows[index]
      for (number, part) in rows.lines(of: row, width: widths[row.column] - 5).enumerated() {
        let cells = widths.indices.map { column in
          guard column == row.column else { return "│" }
          return "│ \(row.isSwitch && number == 0 ? Self.mark : " ") \(part)"
        }
        lines.append(
          line(row.instant == instant ? "" : row.instant.shortDescription, cells, widths))
        instant = row.instant
      }
    }
    if let ending { lines.append("".padded(to: timeWidth + 1) + "✗ " + ending) }
    return lines
  }

  private func line(_ time: String, _ cells: [String], _ widths: [Int]) -> String {
    let cells = zip(cells, widths).map { $0.padded(to: $1) }.joined()
    return "\(time.indented(to: timeWidth)) \(cells)".withoutTrailingSpaces
  }

  // MARK: One below the other

  private var oneBelowTheOther: [String] {
    let titles = rows.columns.map { $0.title }
    let titleWidth = min(titles.map(\.displayWidth).max() ?? 0, (width - timeWidth) / 3)
    let margin = timeWidth + titleWidth + 4
    let room = width - margin
    var lines = rows.columns.flatMap { column in
      column.heading.count < 2
        ? [] : "\(column.title) is \(column.heading[1])".wrapped(to: width)
    }
    var instant: Duration?
    for index in shown {
      guard let index else {
        lines.append("⋮".indented(to: timeWidth))
        continue
      }
      let row = rows.rows[index]
      let time = row.instant == instant ? "" : row.instant.shortDescription
      instant = row.instant
      let title = titles[row.column].shortened(to: titleWidth).padded(to: titleWidth)
      let head = "\(time.indented(to: timeWidth)) \(row.isSwitch ? Self.mark : " ") \(title) "
      for (number, part) in rows.text(of: row).wrapped(to: room).enumerated() {
        lines.append((number == 0 ? head : "".padded(to: margin)) + part)
      }
    }
    if let ending { lines.append("".padded(to: timeWidth + 1) + "✗ " + ending) }
    return lines
  }

  // MARK: Both

  private var shown: [Int?] { rows.selection(atMost: rowLimit) }

  private var timeWidth: Int {
    max(4, rows.rows.map { $0.instant.shortDescription.displayWidth }.max() ?? 0)
  }
}

extension String {
  fileprivate var withoutTrailingSpaces: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
