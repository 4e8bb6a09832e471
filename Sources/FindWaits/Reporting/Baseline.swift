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
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
      guard let (key, count) = Self.entry(line) else {
        throw Arguments.Misuse(
          text: "\(path):\(index + 1) is no line of a baseline: \(line)\n"
            + "Write the file again: swift package find-waits --format baseline > \(path)")
      }
      counts[key] = count
    }
  }

  /// `path: test: kind x 2`. A test may have a colon in its name.
  private static func entry(_ line: Substring) -> (Key, count: Int)? {
    guard let match = line.wholeMatch(of: /(.+?\.swift|[^:]+): (.+): ([^:]+) x (\d+)/),
      let count = Int(match.4)
    else { return nil }
    return (
      Key(file: String(match.1), test: String(match.2), kind: String(match.3)), count
    )
  }

  var text: String {
    let lines = counts.map { "\($0.file): \($0.test): \($0.kind) x \($1)" }.sorted()
    return (["# Known waits of find-waits, for --baseline."] + lines).map { $0 + "\n" }.joined()
  }

  private static func key(_ test: WaitingTest, _ place: Place) -> Key {
    Key(file: test.file, test: test.name, kind: place.kind.rawValue)
  }

  /// The test without the kinds of waits of which the baseline has as many as the report has now; nil if none are left.
  ///
  /// Tests in two branches of a condition share a name, and so their waits are counted together.
  fileprivate func news(in test: WaitingTest, _ present: Baseline) -> WaitingTest? {
    let places = test.places.filter { place in
      let key = Self.key(test, place)
      return present.counts[key, default: 0] > counts[key, default: 0]
    }
    return places.isEmpty ? nil : test.with(places)
  }

  /// The number of waits in it that another one does not have.
  fileprivate func gone(from present: Baseline) -> Int {
    counts.reduce(0) { $0 + max(0, $1.value - present.counts[$1.key, default: 0]) }
  }
}

extension Report {
  /// Leaves out what a baseline lists.
  mutating func remove(_ baseline: Baseline) {
    let all = tests.reduce(0) { $0 + $1.places.count }
    let present = Baseline(self)
    gone = baseline.gone(from: present)
    tests = tests.compactMap { baseline.news(in: $0, present) }
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
