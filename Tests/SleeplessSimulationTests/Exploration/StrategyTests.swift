// virtual time: everything here runs in simulations
import Sleepless
import SleeplessSimulation
import Testing

/// On every platform, as child tasks are captured on all of them.
@Suite struct StrategyTests {
  @Test(arguments: namedStrategies)
  @available(macOS 15, *)
  func `every strategy finds that the second child overtakes the first`(
    name: String, strategy: ExplorationStrategy
  ) async {
    let (result, _) = await explored(strategy, schedules: 1000, failing: { $0 == "bba" }) {
      await race()
    }
    #expect(result.failure != nil)
  }

  @Test @available(macOS 15, *)
  func `the same seed explores the same schedules`() async {
    let (_, first) = await explored(.portfolio, schedules: 300, seed: 5) { await race() }
    let (_, second) = await explored(.portfolio, schedules: 300, seed: 5) { await race() }
    let (_, other) = await explored(.portfolio, schedules: 300, seed: 6) { await race() }
    #expect(first == second)
    #expect(first != other)
  }

  @Test @available(macOS 15, *)
  func `shards divide the schedules between them`() async {
    var plan = ExplorationPlan(name: "test", schedules: 100)
    var runs: [Int] = []
    for index in 0..<3 {
      plan.shard = (index, 3)
      let explorer = Explorer(plan)
      _ = await run(explorer) { await race() }
      runs.append(explorer.result.run)
    }
    #expect(runs == [34, 33, 33])
  }
}

/// The order of the first three turns of two child tasks.
private func race() async -> String {
  let log = Locked("")
  async let first: Void = takeTurns("a", log)
  async let second: Void = takeTurns("b", log)
  _ = await (first, second)
  return log.withLock { String($0.prefix(3)) }
}

private func takeTurns(_ name: String, _ log: Locked<String>) async {
  for _ in 0..<2 {
    log.withLock { $0 += name }
    await Task.yield()
  }
}
