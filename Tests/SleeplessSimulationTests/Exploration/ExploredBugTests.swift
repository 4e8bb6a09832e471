// virtual time: everything here runs in simulations
import Foundation
@_spi(Benchmarks) import SleeplessSimulation
import Testing
import TestSupport

/// The bugs when they are explored.
///
/// An ordinary run uses a few seeds and schedules; `.ci/explore` sets the environment for all.
@Suite(.wholeProcess) struct ExploredBugTests {
  private static let seeds = number("BUG_SEEDS") ?? 2
  private static let twinSchedules = number("BUG_TWIN_SCHEDULES") ?? rounds(200)

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment["SLEEPLESS_\(name)"].flatMap { Int($0) }
  }

  @Test(arguments: Bug.all)
  func `the default strategy finds the bug within ten thousand schedules`(bug: Bug) async throws {
    try bug.skipUnlessItCanRun()
    for seed in 0..<UInt64(Self.seeds) {
      let schedule = await Simulation.firstFailure(
        schedules: 10_000, strategy: .portfolio, seed: seed, bug.buggy)
      #expect(schedule != nil, "seed \(seed)")
    }
  }

  @Test(arguments: Bug.all)
  func `no schedule of the correct twin fails`(bug: Bug) async throws {
    try bug.skipUnlessItCanRun()
    for seed in 0..<UInt64(Self.seeds) {
      let result = try await bug.explored(bug.fixed, schedules: Self.twinSchedules, seed: seed)
      #expect(result.failed == 0, "seed \(seed): \(result.failure.map { "\($0.cause)" } ?? "")")
      #expect(result.run == Self.twinSchedules || result.failed > 0, "seed \(seed)")
    }
  }

  @Test(arguments: Bug.all)
  func `shrinking leaves at most twice the least number of switches`(bug: Bug) async throws {
    try bug.skipUnlessItCanRun()
    let failure = try #require(try await bug.explored(bug.buggy, seed: 1).failure)
    // The least number with which any schedule fails, by trying all of them.
    var minimum = 0
    while minimum < failure.shrunk.switches {
      let result = try await bug.explored(
        bug.buggy, schedules: 20_000, strategy: .exhaustive(switches: minimum))
      if result.failed > 0 { break }
      minimum += 1
    }
    #expect(failure.shrunk.switches <= 2 * minimum)
    #expect(failure.shrunk.switches <= failure.whole.switches)
  }
}
