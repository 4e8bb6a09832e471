import Foundation

/// The JSON of a run with `SLEEPLESS_WAITS=file.json`, which `find-waits --with` reads.
///
/// `swift test` starts a process for each framework or, with `--parallel`, for each XCTest test. All write to one file:
/// a process adds its tests if the file is of the same run, and begins the file anew if it is of another one.
package struct WaitTimings: Codable, Equatable, Sendable {
  package struct Test: Codable, Equatable, Sendable {
    package let test: String
    let framework: String
    let file: String
    let line: Int
    let seconds: Double
    let waited: Double
    let waits: [Wait]
  }

  package struct Wait: Codable, Equatable, Sendable {
    let file: String
    let line: Int
    let function: String
    let kind: String
    let count: Int
    let seconds: Double
  }

  var version = 1
  /// What all processes of a run have in common.
  let run: String
  package private(set) var tests: [Test]
  /// Waits of no test, and those of which the test is not known.
  var withoutTest: [Wait]
  /// Names of tests that ran when their process ended.
  var unfinished: [String]

  package init(_ summary: WaitSummary, run: String, locate: MeasuredRun.Locate = { _ in nil }) {
    self.run = run
    tests = summary.tests.map { Test($0, summary.framework.rawValue, locate) }
    withoutTest = summary.withoutTest.map(Wait.init)
    unfinished = summary.unfinished
  }

  /// The text of a file that had another text before.
  package func text(after earlier: Data?) throws -> String {
    var all = self
    if let earlier, let other = try? JSONDecoder().decode(Self.self, from: earlier),
      other.version == version, other.run == run
    {
      all.tests = other.tests + tests
      all.withoutTest = other.withoutTest + withoutTest
      all.unfinished = other.unfinished + unfinished
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
    return String(decoding: try encoder.encode(all), as: UTF8.self) + "\n"
  }
}

extension WaitTimings.Test {
  fileprivate init(_ test: WaitSummary.Test, _ framework: String, _ locate: MeasuredRun.Locate) {
    let place = test.test.address.flatMap(locate) ?? (test.test.file, test.test.line)
    self.init(
      test: test.test.name, framework: framework, file: place.file, line: place.line,
      seconds: test.time.roundedSeconds, waited: test.waited.roundedSeconds,
      waits: test.entries.map(WaitTimings.Wait.init))
  }
}

extension WaitTimings.Wait {
  fileprivate init(_ entry: WaitSummary.Entry) {
    self.init(
      file: entry.place.file, line: entry.place.line, function: entry.place.function,
      kind: entry.kind.rawValue, count: entry.count, seconds: entry.time.roundedSeconds)
  }
}

extension Duration {
  /// To a tenth of a millisecond.
  fileprivate var roundedSeconds: Double { (self / .microseconds(100)).rounded() / 10_000 }
}
