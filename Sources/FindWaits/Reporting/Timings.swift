import Foundation

/// What a run with `SLEEPLESS_WAITS=file.json` has measured.
///
/// ```json
/// {"version":1,"tests":[{"test":"CartTests.paying","file":"CartTests.swift","line":3,"seconds":2.5,
///   "waits":[{"file":"CartTests.swift","line":5,"function":"paying()","kind":"Task.sleep","seconds":2}]}]}
/// ```
struct Timings: Decodable, Equatable {
  struct Test: Decodable, Equatable {
    let test: String
    let file: String
    let line: Int
    /// How long the test took.
    let seconds: Double
    let waits: [Wait]
  }

  struct Wait: Decodable, Equatable {
    let file: String
    let line: Int
    let function: String
    let kind: String
    let seconds: Double
  }

  let version: Int
  let tests: [Test]

  /// Reads a file's text. `path` names it in errors.
  init(_ text: String, _ path: String) throws(Arguments.Misuse) {
    let advice = "Measure again: SLEEPLESS_WAITS=\(path) swift test"
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    } catch {
      throw Arguments.Misuse(text: "\(path) has no timings that can be read.\n\(advice)")
    }
    guard version == 1 else {
      throw Arguments.Misuse(
        text: "\(path) has version \(version), and this program reads version 1.\n\(advice)")
    }
  }
}

extension Report {
  /// Adds what was measured, and puts the test with the longest time first. Tests whose waits only the run has seen
  /// are kept apart.
  mutating func join(_ timings: Timings) {
    var runs = Runs(timings.tests)
    tests = tests.map { test in runs.takeRun(of: test).map(test.joined) ?? test }
    tests.sort { ($0.measured ?? -1, $0.seconds) > ($1.measured ?? -1, $1.seconds) }
    onlyMeasured = runs.rest.filter { !$0.waits.isEmpty }.sorted { $0.seconds > $1.seconds }
  }
}

/// The measured tests that are not joined yet.
private struct Runs {
  private var tests: [Timings.Test?]
  /// The places of the tests whose names end with a name. The frameworks spell names in different ways:
  /// `Module.Case/test()`, `Case.test`.
  private let places: [String: [Int]]

  init(_ tests: [Timings.Test]) {
    self.tests = tests
    var places: [String: [Int]] = [:]
    for (place, test) in tests.enumerated() {
      let parts = test.test.spelling.split(separator: ".", omittingEmptySubsequences: false)
      for start in parts.indices {
        places[parts[start...].joined(separator: "."), default: []].append(place)
      }
    }
    self.places = places
  }

  var rest: [Timings.Test] { tests.compactMap { $0 } }

  mutating func takeRun(of test: WaitingTest) -> Timings.Test? {
    let place = places[test.name.spelling, default: []].first { place in
      tests[place].map { $0.file.isEmpty || $0.file.isSameFile(as: test.file) } ?? false
    }
    return place.flatMap { tests[$0].take() }
  }
}

extension WaitingTest {
  fileprivate func joined(_ run: Timings.Test) -> Self {
    var test = self
    test.measured = run.seconds
    for (index, place) in places.enumerated() {
      let waits = run.waits.filter { $0.line == place.line && $0.file.isSameFile(as: place.file) }
      if !waits.isEmpty { test.places[index].measured = waits.reduce(0) { $0 + $1.seconds } }
    }
    return test
  }
}

extension String {
  fileprivate var spelling: String {
    var text = self
    if text.hasSuffix("()") { text.removeLast(2) }
    return String(text.map { $0 == "/" ? "." : $0 }.filter { $0 != "`" })
  }

  /// One may be the end of the other, as `CartTests.swift` and `Tests/AppTests/CartTests.swift` are.
  fileprivate func isSameFile(as other: String) -> Bool {
    self == other || hasSuffix("/\(other)") || other.hasSuffix("/\(self)")
      || split(separator: "/").last == other.split(separator: "/").last
  }
}
