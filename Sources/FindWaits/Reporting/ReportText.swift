/// The report for a terminal of 80 columns, in ASCII but for what is quoted.
struct ReportText {
  private let report: Report
  private static let width = 80
  private(set) var lines: [String] = []

  static func text(of report: Report) -> String {
    ReportText(report).lines.map { $0 + "\n" }.joined()
  }

  private init(_ report: Report) {
    self.report = report
    for test in report.tests { add(test) }
    addOnlyMeasured()
    for problem in report.problems { add(problem) }
    if report.testCount == 0 {
      add("No tests found in \(report.fileCount) \(report.fileCount == 1 ? "file" : "files").")
      add(
        "find-waits reads tests of Swift Testing and XCTest. Pass the folders that hold them, "
          + "as in: swift package find-waits Tests")
      return
    }
    addSummary()
  }

  // MARK: One test

  private mutating func add(_ test: WaitingTest) {
    let time = test.measured.map { "measured \($0.secondsText)" } ?? (test.seconds > 0 ? test.seconds.secondsText : "")
    let name = test.name
    let space = Self.width - name.count - time.count
    if time.isEmpty || space >= 1 {
      lines.append((name + String(repeating: " ", count: max(0, time.isEmpty ? 0 : space)) + time))
    } else {
      lines.append(name)
      lines.append(String(repeating: " ", count: Self.width - time.count) + time)
    }
    var groups: [[Place]] = []
    for place in test.places {
      let isSame = groups.last?.first.map { first in
        first.verdict == place.verdict && first.reason == place.reason
          && first.replacements == place.replacements
      }
      if isSame == true { groups[groups.count - 1].append(place) } else { groups.append([place]) }
    }
    for group in groups {
      for place in group { add("  \(place.file):\(place.line): \(Self.what(place))", indent: 6) }
      add("    \(group[0].verdict.title): \(group[0].reason)", indent: 6)
      for replacement in group[0].replacements { add(replacement, for: group[0]) }
    }
    lines.append("")
  }

  /// `Task.sleep, 1.5 s`
  private static func what(_ place: Place) -> String {
    var text = place.kind.rawValue
    if place.call != text, ![.expectation, .invertedExpectation].contains(place.kind) {
      text += " (\(place.call))"
    }
    if let seconds = place.seconds {
      switch (place.isLimit, place.kind, place.times) {
      case (_, .pollingLoop, 0): text += ", \(seconds.secondsText) a turn"
      case (_, .pollingLoop, _): text += ", up to \(place.times) x \(seconds.secondsText)"
      case (true, _, _): text += ", up to \(seconds.secondsText)"
      case (false, _, 2...): text += ", \(place.times) x \(seconds.secondsText)"
      default: text += ", \(seconds.secondsText)"
      }
    }
    if let measured = place.measured { text += ", measured \(measured.secondsText)" }
    if let helper = place.helper {
      let name = place.function.split(separator: ".").last.map(String.init) ?? place.function
      text += ", in \(name)() at \(helper)"
    }
    return text
  }

  private mutating func add(_ replacement: Replacement, for place: Place) {
    let isElsewhere = replacement.file != place.file
    if isElsewhere { lines.append("    \(replacement.file):\(replacement.line):") }
    for (index, line) in replacement.text.split(separator: "\n").enumerated() {
      let number = index == 0 ? "\(replacement.line)" : ""
      let padding = String(repeating: " ", count: max(0, 7 - number.count))
      // A line of code is never broken: it is there to be copied.
      lines.append("\(padding)\(number) | \(String(line).trimmed)")
    }
  }

  // MARK: The rest

  /// The tests that wait in code that they do not show: mostly the code under test.
  private mutating func addOnlyMeasured() {
    guard !report.onlyMeasured.isEmpty else { return }
    lines.append("Measured, and not found in the source of the test:")
    for test in report.onlyMeasured {
      add("\(test.test): measured \(test.seconds.secondsText)", indent: 2)
      for wait in test.waits {
        add("  \(wait.file):\(wait.line): \(wait.kind), \(wait.seconds.secondsText)", indent: 6)
      }
    }
    lines.append("")
  }

  private mutating func add(_ problem: SourceProblem) {
    let place = problem.line.map { "\(problem.path):\($0)" } ?? problem.path
    add("\(place): not read. \(problem.text)", indent: 2)
    if problem.line != nil {
      add("  Correct the file, or leave it out: --exclude \(problem.path)", indent: 4)
    }
    lines.append("")
  }

  private mutating func addSummary() {
    add(report.summary, indent: 2)
    if report.known > 0 { add("The baseline lists \(report.known) more.", indent: 2) }
    if report.gone > 0 {
      add(
        "\(report.gone) of the baseline's waits are gone. Write it again: swift package find-waits "
          + "--format baseline",
        indent: 2)
    }
    guard report.tests.contains(where: { $0.verdict < .inject }) else { return }
    add(
      "Traits and base classes need `import SleeplessTesting` and its product in the test target.",
      indent: 2)
  }

  /// Adds a text in lines of at most the width; a longer word keeps a line of its own.
  private mutating func add(_ text: String, indent: Int = 0) {
    let start = String(text.prefix { $0 == " " })
    var line = start
    for word in text.dropFirst(start.count).split(separator: " ") {
      if line.count + 1 + word.count > Self.width, line.contains(where: { $0 != " " }) {
        lines.append(line)
        line = String(repeating: " ", count: indent) + word
      } else {
        line += (line.allSatisfy { $0 == " " } ? "" : " ") + word
      }
    }
    lines.append(line)
  }
}

extension Verdict {
  /// As it begins a line.
  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
}

extension Report {
  /// The summary as one sentence.
  package var summary: String {
    guard !tests.isEmpty else {
      return "None of \(testCount) \(testCount == 1 ? "test" : "tests") waits."
    }
    let verdicts: [String] = [
      (count(.trait), "only a trait"), (count(.line), "a line"), (count(.inject), "an injected queue"),
    ].filter { $0.0 > 0 }.enumerated().map { index, part in
      index == 0 ? "\(part.0) \(part.0 == 1 ? "needs" : "need") \(part.1)" : "\(part.0) \(part.1)"
    }
    let left = count(.leave)
    let parts =
      verdicts + (left > 0 ? ["\(left) should be left alone"] : [])
    let waits = "\(tests.count) of \(testCount) tests \(tests.count == 1 ? "waits" : "wait")"
    let seconds = tests.reduce(0) { $0 + $1.seconds }
    let limits = tests.reduce(0) { $0 + $1.limitSeconds }
    var text = "\(waits): \(parts.joined(separator: ", ")); literal durations: \(seconds.secondsText)"
    if limits > 0 { text += ", timeouts: up to \(limits.secondsText)" }
    return text + "."
  }
}
