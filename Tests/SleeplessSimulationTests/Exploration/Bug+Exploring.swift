import SleeplessSimulation

extension Bug {
  /// Explores a body of the bug to the end, so that the failure has a schedule and a replay string.
  func explored(
    _ body: @escaping @Sendable () async throws -> Void, schedules: Int = 10_000,
    strategy: ExplorationStrategy = .portfolio, seed: UInt64 = 0, replay: String? = nil
  ) async throws -> ExplorationResult {
    var options = Simulation.Options(stepLimit: 10_000)
    options.deadlockTimeout = .milliseconds(1)  // No code outside resumes a task.
    let plan = ExplorationPlan(
      name: name, schedules: schedules, strategy: strategy, seed: seed,
      replay: try replay.map { try ReplayString($0) }, options: options)
    let explorer = Explorer(plan)
    await Simulation.explore(explorer, body) { Verdict($0) }
    if let options = explorer.finalOptions() {
      _ = await Simulation.run(options, body)
      explorer.finishFinal()
    }
    return explorer.result
  }
}

extension Verdict {
  /// The verdict of a test that allows no task to be left over.
  init(_ outcome: Simulation.Outcome<Void>) {
    if case .failure(let error)? = outcome.result {
      self = .failed(FailureCause(cause: "\(error)", key: "error"))
    } else if outcome.result == nil {
      let name = outcome.report.ending.name
      self = .failed(FailureCause(cause: name, key: name))
    } else if !outcome.report.unfinishedTasks.isEmpty {
      self = .failed(FailureCause(cause: "tasks left over", key: "left over"))
    } else {
      self = .passed
    }
  }
}
