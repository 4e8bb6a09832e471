import SleeplessSimulation
import Testing
import TestSupport

@Suite(.wholeProcess) struct ExhaustiveTests {
  @Test(arguments: [[1], [1, 1], [2, 2], [3, 3], [1, 1, 1, 1], [2, 2, 2], [3, 1, 1]])
  @available(macOS 15, *)
  func `every order of small programs is run exactly once`(steps: [Int]) async {
    let (result, values) = await explored(.exhaustive, schedules: .max) { await interleave(steps) }
    var jobs: [Int] = []
    for steps in steps { jobs.append(await SleeplessSimulationTests.jobs(of: steps)) }
    #expect(values.count == interleavings(of: jobs))
    #expect(Set(values).count == interleavings(of: steps))
    #expect(result.run == values.count && result.distinct == values.count && result.isComplete)
  }

  @Test(arguments: 0...3) @available(macOS 15, *)
  func `with a limit of switches each order within it is run exactly once`(limit: Int) async {
    let (all, _) = await switches(.exhaustive)
    let (some, result) = await switches(.exhaustive(switches: limit))
    #expect(some.sorted() == all.filter { $0 <= limit }.sorted())
    #expect(result.distinct == some.count && result.isComplete)
  }

  /// The number of switches of each schedule of a small program.
  @available(macOS 15, *)
  private func switches(_ strategy: ExplorationStrategy) async -> ([Int], ExplorationResult) {
    let explorer = Explorer(
      ExplorationPlan(name: "test", schedules: .max, strategy: strategy))
    let counts = Log<Int>()
    await Simulation.explore(explorer, isolation: nil) {
      _ = await interleave([2, 2])
    } judge: { _ in
      if !explorer.isComparing { counts.append(explorer.switches) }
      return .passed
    }
    return (counts.values, explorer.result)
  }

  @Test @available(macOS 15, *)
  func `a search that the number of schedules cuts short is not complete`() async {
    let (result, _) = await explored(.exhaustive, schedules: 100) { await interleave([4, 3, 2]) }
    #expect(result.run == 100 && !result.isComplete)
  }
}
