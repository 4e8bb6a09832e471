import SleeplessSimulation
import TestSupport
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

  @Test(arguments: [1, 2], [6, 30]) @available(macOS 15, *)
  func `shrinking a limiter of many tasks leaves at most twice the least number of switches`(
    limit: Int, tasks: Int
  ) async throws {
    // A call passes the check, and calls of `limit` other tasks begin to work before it is counted.
    let minimum = limit + 1
    for seed in 1...UInt64(3) {
      let failure = try await limiterFailure(limit: limit, tasks: tasks, seed: seed)
      #expect(failure.shrunk.switches <= 2 * minimum, "seed \(seed)")
      #expect(failure.shrunk.switches <= failure.whole.switches, "seed \(seed)")
    }
  }

  @Test @available(macOS 15, *)
  func `S1 on a busy machine shrinking ends with the same schedule`() async throws {
    let idle = try await limiterFailure(limit: 2, tasks: 30, seed: 1)
    let others = BusyMachine(threads: busyThreads)
    defer { others.stop() }
    let busy = try await limiterFailure(limit: 2, tasks: 30, seed: 1)
    #expect(busy.replay == idle.replay)
  }

  @available(macOS 15, *)
  private func limiterFailure(
    limit: Int, tasks: Int, seed: UInt64
  ) async throws -> ExplorationFailure {
    let (result, values) = await explored(
      .portfolio, schedules: 1_000, seed: seed, failing: { $0 > limit }
    ) { await Limiter.most(limit: limit, tasks: tasks) }
    #expect(values.last! > limit, "seed \(seed)")
    return try #require(result.failure, "seed \(seed)")
  }

  @Test @available(macOS 15, *)
  func `no schedule with fewer switches shows the mistake of the limiter`() async throws {
    // For a limit of two there are 17,131 such schedules. They were tried once, with the same result.
    let (result, _) = await explored(
      .exhaustive(switches: 1), schedules: 100_000, failing: { $0 > 1 }
    ) { await Limiter.most(limit: 1, tasks: 6) }
    #expect(result.isComplete && result.failed == 0)
  }
}

// Release builds run under ThreadSanitizer, where eight threads would leave nothing for the explorations.
#if DEBUG
  private let busyThreads = 8
#else
  private let busyThreads = 2
#endif
