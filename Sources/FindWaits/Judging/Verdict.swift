/// What to do with a test that waits, from the least work to none.
package enum Verdict: String, CaseIterable, Comparable, Sendable, Codable {
  /// A trait or a base class is enough.
  case trait = "add the trait"
  /// A line of the test has to change.
  case line = "change a line"
  /// The code under test has to take a queue or a scheduler from the test.
  case inject = "inject"
  /// Real time is what the test is about.
  case leave = "leave alone"

  package static func < (left: Self, right: Self) -> Bool {
    allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
  }
}

/// A line to write.
package struct Replacement: Equatable, Sendable, Codable {
  package let file: String
  package let line: Int
  /// One line, or more of them.
  package let text: String
  /// The same for a program; nil for a line that is written by hand.
  var edit: Edit?

  private enum CodingKeys: CodingKey { case file, line, text }
}

/// A text in the place of another one in a file.
struct Edit: Equatable, Sendable {
  /// The place of the other one in the file's bytes.
  let range: Range<Int>
  let before: String
  let after: String

  /// Makes the change. Does nothing if the place has another text.
  func apply(to bytes: inout [UInt8]) {
    guard range.upperBound <= bytes.count, bytes[range].elementsEqual(before.utf8) else { return }
    bytes.replaceSubrange(range, with: after.utf8)
  }
}

/// A place that makes a test wait, with its verdict.
package struct Place: Equatable, Sendable {
  /// Where the test waits. If a helper waits, the test's call of it.
  package let file: String
  package let line: Int
  /// The function in which the wait is.
  package let function: String
  package let kind: WaitKind
  /// The call that waits, such as `usleep`.
  package let call: String
  /// Where the helper waits, as `path:line`; nil if the test waits itself.
  package let helper: String?
  /// How long one turn waits, if the source tells.
  package let seconds: Double?
  /// How often it waits; zero stands for a number that the source does not tell.
  package let times: Int
  /// Whether the duration is a limit, which a passing test does not reach.
  package let isLimit: Bool
  /// The function around the test that waits, such as `setUp`; nil if it is the test.
  package let fixture: String?
  package let verdict: Verdict
  package let reason: String
  package let replacements: [Replacement]
  /// What `--with` says of this place, in seconds.
  package var measured: Double?
}

/// A class of the package that is a subclass of `XCTestCase` itself.
struct BaseClass: Equatable, Sendable {
  let name: String
  /// The cases that are simulated if its base is: those that have tests, among them and their subclasses.
  let cases: [String]
}

/// A test with the places that make it wait.
package struct WaitingTest: Equatable, Sendable {
  package let name: String
  package let file: String
  package let line: Int
  package let framework: String
  package var places: [Place]
  /// For a test of XCTest, the class whose base has to change.
  var base: BaseClass?
  /// What `--with` says: how long the test took, in seconds.
  package var measured: Double?

  /// The one that asks for most.
  package var verdict: Verdict { places.map(\.verdict).max() ?? .trait }

  /// The literal durations of its sleeps. Limits are no part of them.
  package var seconds: Double {
    places.reduce(0) { $0 + ($1.isLimit ? 0 : ($1.seconds ?? 0) * Double($1.times)) }
  }

  /// The literal durations of its limits.
  package var limitSeconds: Double {
    places.reduce(0) { $0 + ($1.isLimit ? ($1.seconds ?? 0) * Double(max(1, $1.times)) : 0) }
  }
}

/// What was found.
package struct Report: Equatable, Sendable {
  /// Worst first.
  package var tests: [WaitingTest]
  /// All tests, waiting or not.
  package let testCount: Int
  package let fileCount: Int
  /// Files that could not be read.
  package var problems: [SourceProblem]
  /// Tests whose waits only a run has seen.
  var onlyMeasured: [Timings.Test] = []
  /// The number of waits that a baseline lists.
  var known = 0
  /// The number of waits in a baseline that are no more.
  var gone = 0

  package func count(_ verdict: Verdict) -> Int { tests.count { $0.verdict == verdict } }
}
