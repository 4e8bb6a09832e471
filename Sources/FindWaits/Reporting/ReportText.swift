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
    for entry in Entry.all(in: report.tests) { add(entry) }
    addOnlyMeasured()
    for problem in report.problems { add(problem) }
    if report.testCount == 0 {
      add("No tests found in \(report.fileCount) \(report.fileCount == 1 ? "file" : "files").")
      add(
        "find-waits reads tests of Swift Testing, XCTest and Quick. Pass the folders that hold "
          + "them, as in: swift package find-waits Tests")
      return
    }
    addSummary()
  }

  // MARK: Tests

  /// A test, or several tests that wait only in the same functions around them.
  private struct Entry {
    let test: WaitingTest
    var names: [String]

    static func all(in tests: [WaitingTest]) -> [Entry] {
      var entries: [Entry] = []
      var shared: [String: Int] = [:]
      for test in tests {
        guard test.measured == nil, test.places.allSatisfy({ $0.fixture != nil }) else {
          entries.append(Entry(test: test, names: [test.name]))
          continue
        }
        let key = test.places.map { "\($0.file):\($0.line):\($0.helper ?? ""):\($0.reason)" }
          .joined(separator: ",")
        if let index = shared[key] {
          entries[index].names.append(test.name)
        } else {
          shared[key] = entries.count
          entries.append(Entry(test: test, names: [test.name]))
        }
      }
      return entries
    }
  }

  private mutating func add(_ entry: Entry) {
    addHead(entry)
    var groups: [[Place]] = []
    for place in entry.test.places {
      let same = groups.firstIndex {
        $0[0].verdict == place.verdict && $0[0].reason == place.reason
      }
      if let same { groups[same].append(place) } else { groups.append([place]) }
    }
    for group in groups {
      add("  \(group[0].verdict.title): \(group[0].reason)", indent: 4)
      add(group)
    }
    lines.append("")
  }

  private mutating func addHead(_ entry: Entry) {
    let test = entry.test
    if entry.names.count > 1 {
      let names = entry.names.prefix(3).joined(separator: ", ")
      let rest = entry.names.count > 3 ? " and \(entry.names.count - 3) more" : ""
      add("\(entry.names.count) tests in \(test.places[0].fixture!)(): \(names)\(rest)", indent: 2)
      return
    }
    let time =
      test.measured.map { "measured \($0.secondsText)" }
      ?? (test.seconds > 0 ? test.seconds.secondsText : "")
    let space = Self.width - test.name.count - time.count
    if time.isEmpty || space < 1 { lines.append(test.name) }
    guard !time.isEmpty else { return }
    let start = space < 1 ? String(repeating: " ", count: Self.width - time.count) : test.name
    lines.append(
      start + String(repeating: " ", count: max(0, Self.width - start.count - time.count)) + time)
  }

  /// Adds places with the lines to write; a line that several places need comes once, at the end.
  private mutating func add(_ places: [Place]) {
    let common = places[0].replacements.filter { line in
      places.allSatisfy { $0.replacements.contains(line) }
    }
    for place in places {
      add("  \(place.file):\(place.line): \(Self.what(place))", indent: 6)
      for replacement in place.replacements where !common.contains(replacement) {
        add(replacement, near: place)
      }
    }
    for replacement in common { add(replacement, near: places[0]) }
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
    let name = place.function.split(separator: ".").last.map(String.init) ?? place.function
    if let helper = place.helper {
      text += ", in \(name)() at \(helper)"
    } else if let fixture = place.fixture {
      text += ", in \(fixture)()"
    }
    return text
  }

  private mutating func add(_ replacement: Replacement, near place: Place) {
    if replacement.file != place.file { add("    \(replacement.file):", indent: 4) }
    for (index, line) in replacement.text.split(whereSeparator: \.isNewline).enumerated() {
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
    add(report.summary)
    if report.known > 0 {
      add("The baseline lists \(report.known) more \(report.known == 1 ? "wait" : "waits").")
    }
    if report.gone > 0 {
      let waits = report.gone == 1 ? "wait of the baseline is" : "waits of the baseline are"
      add(
        "\(report.gone) \(waits) gone. Write it again: swift package find-waits --format baseline")
    }
    guard report.tests.contains(where: { $0.verdict < .leave }) else { return }
    add("The lines need `import SleeplessTesting`, and its product in the test target.")
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
      let news = known > 0 ? " anew" : ""
      return "None of \(testCount) \(testCount == 1 ? "test" : "tests") waits\(news)."
    }
    var parts: [String] = []
    for (verdict, what) in [
      (Verdict.trait, "only a trait"), (.line, "a line"), (.inject, "an injected queue"),
    ] where count(verdict) > 0 {
      let verb = parts.isEmpty ? count(verdict) == 1 ? "needs " : "need " : ""
      parts.append("\(count(verdict)) \(verb)\(what)")
    }
    if count(.leave) > 0 { parts.append("\(count(.leave)) should be left alone") }
    let waits = tests.count == 1 ? "waits" : "wait"
    let seconds = tests.reduce(0) { $0 + $1.seconds }
    let limits = tests.reduce(0) { $0 + $1.limitSeconds }
    var text = "\(tests.count) of \(testCount) \(testCount == 1 ? "test" : "tests") \(waits): "
    text += "\(parts.joined(separator: ", ")); literal durations: \(seconds.secondsText)"
    if limits > 0 { text += ", timeouts: up to \(limits.secondsText)" }
    let measured = tests.compactMap(\.measured)
    if !measured.isEmpty { text += "; measured: \(measured.reduce(0, +).secondsText)" }
    return text + "."
  }
}
