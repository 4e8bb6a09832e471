// virtual time: everything here runs in simulations
import SleeplessSimulation
import TestSupport
import Testing

/// A run that blocks its thread ends an exploration: no other schedule can run.
@Suite(.needs(.capture)) struct GivenUpExplorationTests {
  /// Explores a body whose run of that number blocks its thread until the exploration is over.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  private func explored(
    blockingInRun number: Int, failingInRun failing: Int? = nil, replay: String? = nil,
    strategy: ExplorationStrategy = .portfolio, _ body: @escaping @Sendable () async -> Void = {}
  ) async throws -> Explorer {
    var options = Simulation.Options()
    options.timeout = .seconds(1)
    var plan = ExplorationPlan(
      name: "test", schedules: 4, strategy: strategy, options: options)
    plan.replay = try replay.map { try ReplayString($0) }
    let explorer = Explorer(plan)
    let (runs, isOver) = (Log<Int>(), ThreadSignal())
    await Simulation.explore(explorer) {
      runs.append(1)
      await body()
      if runs.values.count == failing { throw Failed() }
      if runs.values.count == number { isOver.wait() }
    } judge: { outcome in
      if outcome.report.preventsNextSchedule {
        return .failed(FailureCause(cause: "blocked", key: "blocked"))
      }
      guard case .failure = outcome.result else { return .passed }
      return .failed(FailureCause(cause: "thrown", key: "thrown"))
    }
    isOver.send()
    return explorer
  }

  @Test @available(macOS 15, *)
  func `a schedule that is given up counts once`() async throws {
    let explorer = try await explored(blockingInRun: 1)
    #expect(explorer.result.run == 1 && explorer.result.failed == 1)
  }

  @Test @available(macOS 15, *)
  func `a schedule that is given up while it is confirmed counts once`() async throws {
    let explorer = try await explored(blockingInRun: 2, failingInRun: 1)
    #expect(explorer.result.run == 1 && explorer.result.failed == 1)
    #expect(explorer.result.failure?.cause == "thrown")
  }

  @Test @available(macOS 15, *)
  func `a schedule that passed, and is given up when it runs again, is said to do so`() async throws
  {
    let explorer = try await explored(blockingInRun: 2)
    #expect(explorer.result.run == 1 && explorer.result.failed == 0)
    #expect(explorer.result.failure == nil)
    guard case .passesOnce(let failureCause, schedule: 1) = explorer.explorationError else {
      throw Failed()
    }
    #expect(failureCause.cause == "blocked")
  }

  @Test @available(macOS 15, *)
  func `a replayed schedule of other code that is given up has a mismatch`() async throws {
    let found = try await explored(blockingInRun: 1) { await Task.yield() }
    let replay = try #require(found.result.failure?.replay)
    let other = try await explored(blockingInRun: 1, replay: replay) {
      for _ in 1...5 { await Task.yield() }
    }
    #expect(other.result.failure != nil)
    #expect(other.mismatch == .steps)
    // The same code has none.
    let same = try await explored(blockingInRun: 1, replay: replay) { await Task.yield() }
    #expect(same.mismatch == nil)
    let string = try ReplayString(replay)
    #expect(string.fingerprint != nil)
  }

  private struct Failed: Error {}
}
