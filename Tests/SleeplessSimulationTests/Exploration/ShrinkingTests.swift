import SleeplessSimulation
import Testing

/// A program whose bug takes at least `minimum` switches away from the task that ran last.
struct MinimalBug: Sendable, CustomTestStringConvertible {
  let minimum: Int
  let steps: [Int]
  let shows: @Sendable (String) -> Bool

  var testDescription: String { "\(minimum) switches" }

  static let all = [
    MinimalBug(minimum: 0, steps: [6, 6]) { $0.hasPrefix("0") },
    // The second begins: one switch before anything.
    MinimalBug(minimum: 1, steps: [6, 6]) { $0.hasPrefix("1") },
    MinimalBug(minimum: 1, steps: [4, 4, 4]) { $0.hasPrefix("00") && $0.contains("0222") },
    // A switch away from the first in its middle; when the second has ended the first runs by default.
    MinimalBug(minimum: 1, steps: [6, 3]) { $0 == "000111000" },
    MinimalBug(minimum: 2, steps: [4, 4]) { $0.hasPrefix("0010") },
    MinimalBug(minimum: 3, steps: [4, 4]) { $0.hasPrefix("00101") },
  ]
}

@Suite(.wholeProcess) struct ShrinkingTests {
  @Test(arguments: MinimalBug.all, [1, 2, 3] as [UInt64]) @available(macOS 15, *)
  func `shrinking leaves at most twice the least number of switches`(
    bug: MinimalBug, seed: UInt64
  ) async throws {
    let (result, values) = await explored(
      .uniform, schedules: 10_000, seed: seed, failing: bug.shows
    ) { await interleave(bug.steps) }
    let failure = try #require(result.failure)
    #expect(failure.shrunk.switches <= 2 * bug.minimum)
    #expect(failure.shrunk.switches <= failure.whole.switches)
    #expect(bug.shows(values.last!))
  }
}
