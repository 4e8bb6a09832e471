import SleeplessSimulation
import Testing
import TestSupport

@Suite(.wholeProcess) struct StepBudgetTests {
  @Test(arguments: [1, 100, 1_000]) @available(macOS 15, *)
  func `S1 an exploration ends once its schedules have taken the steps of the budget`(
    budget: Int
  ) async {
    let body: @Sendable () async -> String = { await interleave([3, 3]) }
    // Each order takes as many steps.
    let steps = await Simulation.run { await body() }.report.steps
    let others = BusyMachine()
    defer { others.stop() }
    let explorer = Explorer(
      ExplorationPlan(
        name: "test", schedules: 10_000, strategy: .uniform, stepBudget: budget))
    _ = await run(explorer, body)
    #expect(explorer.result.run == (budget + steps - 1) / steps)
    #expect(!explorer.result.isComplete)
  }
}
