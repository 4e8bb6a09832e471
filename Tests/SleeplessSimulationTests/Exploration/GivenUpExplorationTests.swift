// virtual time: everything here runs in simulations
import SleeplessSimulation
import TestSupport
import Testing

/// A run that blocks its thread ends an exploration: no other schedule can run.
@Suite(.needs(.capture)) struct GivenUpExplorationTests {
  /// Explores a body whose run of that number blocks its thread until the exploration is over.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  private func explored(
    blockingInRun number: Int, failingInRuns failing: Set<Int> = [], replay: String? = nil,
    strategy: ExplorationStrategy = .portfolio,
    _ body: @escaping @Sendable (_ run: Int) async -> Void = { _ in }
  ) async throws -> Explorer {
    var options = Simulation.Options()
    // real time: with 100 ms a loaded machine gave up runs that did not block
    options.timeout = .seconds(1)
    var plan = ExplorationPlan(
      name: "test", schedules: 4, strategy: strategy, options: options)
    plan.replay = try replay.map { try ReplayString($0) }
    let explorer = Explorer(plan)
    let (runs, isOver) = (Log<Int>(), ThreadSignal())
    await Simulation.explore(explorer) {
      runs.append(1)
      await body(runs.values.count)
      if failing.contains(runs.values.count) { throw Failed() }
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
    let explorer = try await explored(blockingInRun: 2, failingInRuns: [1])
    #expect(explorer.result.run == 1 && explorer.result.failed == 1)
    #expect(explorer.result.failure?.cause == "thrown")
  }

  @Test @available(macOS 15, *)
  func `a schedule that passed and is given up when it runs again is reported as passing once`()
    async throws
  {
    let explorer = try await explored(blockingInRun: 2)
    #expect(explorer.result.run == 1 && explorer.result.failed == 0)
    #expect(explorer.result.failure == nil)
    guard case .passesOnce(let failureCause, schedule: 1) = explorer.explorationError else {
      throw Failed()
    }
    #expect(failureCause.cause == "blocked")
  }

  /// The first schedule passes in runs 1 and 2. The second fails in runs 3 and 4, and then the first runs once more.
  @Test @available(macOS 15, *)
  func `a schedule that passed and is given up after one that failed leaves state`() async throws {
    let explorer = try await explored(blockingInRun: 5, failingInRuns: [3, 4])
    #expect(explorer.result.run == 2 && explorer.result.failed == 1)
    guard
      case .leavesState(let first, schedule: 2, earlier: 1, let now) = explorer.explorationError
    else { throw Failed() }
    #expect(first.cause == "thrown" && now.cause == "blocked")
  }

  /// As above, but the run that is given up has work outside.
  @Test @available(macOS 15, *)
  func `a schedule that is given up beside work outside does not hide the one that failed`()
    async throws
  {
    let explorer = try await explored(blockingInRun: 5, failingInRuns: [3, 4]) { run in
      if run == 5 { try? await Simulation.current!.outside {} }
    }
    #expect(explorer.result.run == 2 && explorer.result.failed == 1)
    #expect(explorer.explorationError == nil)
    #expect(explorer.result.failure?.cause == "thrown")
    #expect(explorer.result.failure?.schedule == 2)
  }

  /// The second schedule fails in run 3, passes in run 4, and runs once more.
  @Test @available(macOS 15, *)
  func `a schedule that is given up while it is doubted counts once`() async throws {
    let explorer = try await explored(blockingInRun: 5, failingInRuns: [3])
    #expect(explorer.result.run == 2 && explorer.result.failed == 1)
    #expect(explorer.result.failure?.cause == "thrown")
  }

  /// The second schedule fails in runs 3 and 4. Run 6 is the first one that is to make it smaller.
  @Test @available(macOS 15, *)
  func `a schedule that is given up while it is shrunk counts once`() async throws {
    let explorer = try await explored(blockingInRun: 6, failingInRuns: [3, 4]) { _ in
      await withTaskGroup { group in
        for _ in 1...5 { group.addTask { for _ in 1...3 { await Task.yield() } } }
      }
    }
    #expect(explorer.result.run == 2 && explorer.result.failed == 1)
    #expect(explorer.result.failure?.cause == "thrown")
    #expect(explorer.result.failure?.schedule == 2)
  }

  @Test @available(macOS 15, *)
  func `a replayed schedule of other code that is given up has a mismatch`() async throws {
    let found = try await explored(blockingInRun: 1) { _ in await Task.yield() }
    let replay = try #require(found.result.failure?.replay)
    let other = try await explored(blockingInRun: 1, replay: replay) { _ in
      for _ in 1...5 { await Task.yield() }
    }
    #expect(other.result.failure != nil)
    #expect(other.mismatch == .steps)
    // The same code has none.
    let same = try await explored(blockingInRun: 1, replay: replay) { _ in await Task.yield() }
    #expect(same.mismatch == nil)
    let string = try ReplayString(replay)
    #expect(string.fingerprint != nil)
  }

  private struct Failed: Error {}
}
