import Foundation
import SleeplessSimulation
import Testing

/// A program with known numbers of tasks and choices, and of orderings that its bug takes.
struct KnownBug: Sendable, CustomTestStringConvertible {
  let name: String
  let depth: Int
  let steps: [Int]
  let shows: @Sendable (String) -> Bool

  var testDescription: String { name }

  static let all = [
    // The second task begins before the first.
    KnownBug(name: "order, depth 1", depth: 1, steps: [1, 1]) { $0.hasPrefix("1") },
    // The first of five comes last of all.
    KnownBug(name: "last of five, depth 1", depth: 1, steps: [3, 3, 3, 3, 3]) {
      $0.hasSuffix("000")
    },
    // All of the second falls between two steps of the first.
    KnownBug(name: "gap, depth 2", depth: 2, steps: [2, 2]) { $0 == "0110" },
    KnownBug(name: "gap at one place of ten, depth 2", depth: 2, steps: [10, 4]) {
      $0 == "00000111100000"
    },
    // A part of the second falls between two steps of the first, and the rest after the first.
    KnownBug(name: "two gaps, depth 3", depth: 3, steps: [4, 4]) { $0 == "00111001" },
  ]
}

/// An ordinary run uses a thousand schedules of each; `.ci/explore` sets the environment for ten
/// thousand. The seed is fixed, so they are the same each time.
@Suite(.wholeProcess) struct PriorityChangesTests {
  private static let runs =
    ProcessInfo.processInfo.environment["SLEEPLESS_BOUND_RUNS"].flatMap { Int($0) } ?? 1_000

  @Test(arguments: KnownBug.all) @available(macOS 15, *)
  func `a bug is found at least as often as the bound says`(bug: KnownBug) async {
    let runs = Self.runs
    let (_, values) = await explored(.pct(depth: bug.depth), schedules: runs) {
      await interleave(bug.steps)
    }
    let found = Double(values.filter(bug.shows).count) / Double(runs)
    // The body is a task as well, and there are at most as many choices as steps.
    let (n, k) = (Double(bug.steps.count + 1), Double(bug.steps.reduce(0, +)))
    let bound = 1 / (n * pow(k, Double(bug.depth - 1)))
    #expect(found >= bound)
  }
}
