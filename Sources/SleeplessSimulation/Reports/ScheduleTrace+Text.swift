extension ScheduleTrace {
  /// The schedule as a table, and what its marks mean. `ending` is what went wrong at its end.
  package func text(ending: String, width: Int = 100, rowLimit: Int = 60) -> String {
    let table = ScheduleTable(ScheduleRows(self), ending: ending, width: width, rowLimit: rowLimit)
    return switches == 0 ? table.text : "\(table.text)\n\(Self.legend)"
  }

  private static let legend = """
    \(ScheduleTable.mark) marks where the order is not the usual one: who ran last goes on, else \
    who has waited longest.
    """
}
