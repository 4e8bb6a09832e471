extension ScheduleTrace {
  /// The schedule as a table, with a legend of its marks. `ending` is the failure at its end.
  package func text(ending: String, width: Int = 100, rowLimit: Int = 60) -> String {
    let table = ScheduleTable(ScheduleRows(self), ending: ending, width: width, rowLimit: rowLimit)
    return switches == 0 ? table.text : "\(table.text)\n\(Self.legend)"
  }

  private static let legend = """
    \(ScheduleTable.mark) marks a step that is not the default: the latest task, else the one \
    that has waited longest.
    """
}
