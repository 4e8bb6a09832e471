import Foundation

extension ScheduleTrace {
  /// The schedule as a table or a list, with a legend and the source of its lines. `ending` is the failure at its
  /// end.
  package func text(
    ending: String, width: Int = ScheduleTable.terminalWidth, rowLimit: Int = 60
  ) -> String {
    let table = ScheduleTable(ScheduleRows(self), ending: ending, width: width, rowLimit: rowLimit)
    let legend = switches == 0 ? [Self.lineLegend] : [Self.lineLegend, Self.markLegend]
    let source = table.source
    return
      ([table.text] + legend.flatMap { $0.wrapped(to: width) }
      + (source.isEmpty ? [] : ["Its lines:", source])).joined(separator: "\n")
  }

  private static let lineLegend = "A line is where a task goes on; it runs up to its next await."
  private static let markLegend = """
    \(ScheduleTable.mark) marks a step that is not the default: the latest task, else the one \
    that has waited longest.
    """
}

extension ScheduleTable {
  /// The width that the environment variable `COLUMNS` gives, or 80. Shells set it, and often do not export it.
  package static var terminalWidth: Int {
    ProcessInfo.processInfo.environment["COLUMNS"].flatMap { Int($0) } ?? 80
  }
}
