import Sleepless

extension ExplorationResult {
  /// What there is to say of a failing exploration, after the failure itself: how to replay it, the
  /// schedule, and how many were run. Nil if nothing failed.
  ///
  /// `call` is how the test asks for explorations, for the line that replays it: ".explored" or
  /// "explore".
  package func failureText(
    call: String, width: Int = 100,
    rows: (ScheduleTrace) -> ScheduleRows = { ScheduleRows($0) }
  ) -> String? {
    guard let failure else { return nil }
    let table = ScheduleTable(rows(failure.shrunk), ending: failure.cause, width: width)
    return """
      It fails again with \(call)(replay: "\(failure.replay)"), or with the code as it is and
      SLEEPLESS_REPLAY=\(failure.replay) in the environment.
      \(failure.shorteningText)
      \(table.text)
      \(failure.legend)\(failure.strategy) found it in schedule \(failure.schedule.grouped). \(countsText)
      """
  }

  /// How many schedules were run, and what came of them.
  package var countsText: String {
    if isComplete, failed == 0 {
      return run == 1
        ? "There is only 1 schedule; it did not fail."
        : "All \(run.grouped) schedules were explored, none failed."
    }
    let of = planned.map { " of \($0.grouped)" } ?? ""
    let ran = "\(run.grouped)\(of) \(run == 1 && planned == nil ? "schedule" : "schedules") ran"
    let failures = failed == 0 ? "none failed" : "\(failed.grouped) failed"
    return "\(ran), \(distinct.grouped) distinct, \(failures)."
  }
}

extension ExplorationFailure {
  /// What the table shows of what was found.
  fileprivate var shorteningText: String {
    switch (whole.switches, shrunk.switches) {
    case (_, 0): return "It needs no switch of tasks at all: this is the usual order."
    case (let before, let after) where before > after:
      return "With the fewest switches of tasks that still fail, \(after) instead of \(before):"
    case (_, 1): return "One switch of tasks is enough:"
    case (_, let count): return "It takes \(count) switches of tasks:"
    }
  }

  fileprivate var legend: String {
    guard shrunk.switches > 0 else { return "" }
    return
      "\(ScheduleTable.mark) goes here though by the usual rule another would: who ran last goes "
      + "on, else who has\nwaited longest.\n"
  }
}

extension Int {
  /// With a comma after each thousand, whatever the locale.
  var grouped: String {
    var text = ""
    for (index, digit) in String(magnitude).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + String(text.reversed())
  }
}
