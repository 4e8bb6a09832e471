/// The waits that a team knows of, as lines of text: `path: test: kind x 2`.
///
/// It has no numbers of lines, so changes elsewhere in a file do not change it.
struct Baseline: Equatable {
  private struct Key: Hashable {
    let file: String
    let test: String
    let kind: String
  }

  private var counts: [Key: Int] = [:]

  /// The waits of a report.
  init(_ report: Report) {
    for test in report.tests {
      for place in test.places { counts[Self.key(test, place), default: 0] += 1 }
    }
  }

  /// Reads the text of a baseline. `path` names it in errors.
  init(_ text: String, _ path: String) throws(Arguments.Misuse) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let parts = line.split(separator: ": ")
      let end = parts.last?.split(separator: " ") ?? []
      guard parts.count == 3, end.count >= 3, end[end.count - 2] == "x", let count = Int(end.last!)
      else {
        throw Arguments.Misuse(
          text: "\(path):\(index + 1) is no line of a baseline: \(line)\n"
            + "Write the file again: swift package find-waits --format baseline > \(path)")
      }
      let kind = end.dropLast(2).joined(separator: " ")
      counts[Key(file: String(parts[0]), test: String(parts[1]), kind: kind)] = count
    }
  }

  var text: String {
    let lines = counts.map { "\($0.file): \($0.test): \($0.kind) x \($1)" }.sorted()
    return (["# Known waits of find-waits, for --baseline."] + lines).map { $0 + "\n" }.joined()
  }

  private static func key(_ test: WaitingTest, _ place: Place) -> Key {
    Key(file: test.file, test: test.name, kind: place.kind.rawValue)
  }

  /// The test without the kinds of waits of which the baseline has as many; nil if none are left.
  fileprivate func news(in test: WaitingTest) -> WaitingTest? {
    let found = Dictionary(grouping: test.places) { Self.key(test, $0) }
    let places = test.places.filter { place in
      let key = Self.key(test, place)
      return found[key]!.count > counts[key, default: 0]
    }
    return places.isEmpty ? nil : test.with(places)
  }

  /// The number of waits in it that a report does not have.
  fileprivate func gone(from report: Report) -> Int {
    let present = Baseline(report).counts
    return counts.reduce(0) { $0 + max(0, $1.value - present[$1.key, default: 0]) }
  }
}

extension Report {
  /// Leaves out what a baseline lists.
  mutating func remove(_ baseline: Baseline) {
    let all = tests.reduce(0) { $0 + $1.places.count }
    gone = baseline.gone(from: self)
    tests = tests.compactMap(baseline.news)
    known = all - tests.reduce(0) { $0 + $1.places.count }
  }
}

extension WaitingTest {
  fileprivate func with(_ places: [Place]) -> Self {
    var test = self
    test.places = places
    return test
  }
}
