import Sleepless

/// The table that a run with `SLEEPLESS_WAITS` prints when it has ended.
package enum WaitTable {
  /// How many tests the table lists. The JSON has all.
  private static let limit = 50

  package static func text(of summary: WaitSummary) -> String {
    lines(of: summary).map { $0 + "\n" }.joined()
  }

  private static func lines(of summary: WaitSummary) -> [String] {
    var lines = ["", "Sleepless: where the tests of \(summary.framework.rawValue) waited", ""]
    if !summary.unfinished.isEmpty {
      let names = summary.unfinished.prefix(3).joined(separator: ", ")
      let rest = summary.unfinished.count > 3 ? " and \(summary.unfinished.count - 3) more" : ""
      lines += ["The process ended while these tests ran: \(names)\(rest).", ""]
    }
    let waiting = summary.tests.filter { !$0.entries.isEmpty }
    if !waiting.isEmpty || !summary.withoutTest.isEmpty { lines.append(row("time", "waited", "")) }
    for test in waiting.prefix(limit) {
      lines.append(row(test.time.tableText, test.waited.tableText, test.test.name))
      lines += test.entries.map { line(of: $0) }
    }
    if waiting.count > limit {
      lines.append(row("", "", "and \(waiting.count - limit) more tests"))
    }
    if !summary.withoutTest.isEmpty {
      lines.append(row("", "", "of no test, or of one that is not known:"))
      lines += summary.withoutTest.prefix(limit).map { line(of: $0) }
    }
    if lines.last != "" { lines.append("") }
    lines.append(result(of: summary))
    lines += summary.limits
    if !waiting.isEmpty {
      lines += [
        "What to write instead: SLEEPLESS_WAITS=waits.json swift test, and then",
        "swift package find-waits --with waits.json",
      ]
    }
    return lines
  }

  private static func row(_ time: String, _ waited: String, _ text: String) -> String {
    let row = "\(padded(time, 9)) \(padded(waited, 9))  \(text)"
    return text.isEmpty ? String(row.dropLast(2)) : row
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private static func line(of entry: WaitSummary.Entry) -> String {
    var what = entry.kind.rawValue
    if let polls = entry.polls {
      what += " (\(polls.rawValue), \(entry.count) times)"
    } else if entry.count > 1, entry.kind != .expectation {
      what += ", \(entry.count) times"
    }
    if entry.place.line > 0 { what += ", \(entry.place.file):\(entry.place.line)" }
    return row("", entry.time.tableText, "  \(what), \(entry.place.function)")
  }

  private static func result(of summary: WaitSummary) -> String {
    let count = summary.tests.count
    let tests = "\(count) \(count == 1 ? "test" : "tests")"
    guard summary.waitingCount > 0 else {
      return "None of \(tests) waited; they took \(summary.time.tableText)."
    }
    guard summary.isParallel else {
      return "\(summary.waitingCount) of \(tests) waited \(summary.waited.tableText) of "
        + "\(summary.time.tableText)."
    }
    let text =
      "\(summary.waitingCount) of \(tests) waited. "
      + "They ran side by side for \(summary.time.tableText)."
    if summary.shorter < .milliseconds(1) { return "\(text)\nWhile some waited, others computed." }
    return "\(text) Without the waits\nthat would be at least \(summary.shorter.tableText) shorter."
  }
}

extension Duration {
  /// With at most three digits, in seconds or milliseconds: `3.5 s`, `120 ms`, `0.3 ms`.
  fileprivate var tableText: String {
    let seconds = timeInterval
    if seconds >= 0.9995 { return decimal(seconds) + " s" }
    return decimal(seconds * 1000) + " ms"
  }

  private func decimal(_ value: Double) -> String {
    let scale: Double = value < 9.995 ? 100 : value < 99.95 ? 10 : 1
    let rounded = (value * scale).rounded() / scale
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}
