@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation {
  /// Explores a body up to the first schedule in which it throws, hangs or leaves tasks behind, and
  /// returns that schedule's number, counted from 1; nil if none fails.
  ///
  /// It neither shrinks nor reports. No code outside may resume a task of the body.
  @_spi(Benchmarks) public static func firstFailure(
    schedules: Int, strategy: ExplorationStrategy, seed: UInt64,
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping () async throws -> Void
  ) async -> Int? {
    var options = Options(stepLimit: 10_000)
    options.deadlockTimeout = .milliseconds(1)
    let explorer = Explorer(
      ExplorationPlan(
        name: "", schedules: schedules, strategy: strategy, seed: seed, options: options))
    await explore(explorer, body) { outcome in
      guard explorer.result.failed == 0 else { return .stop }
      if case .success? = outcome.result, outcome.report.unfinishedTasks.isEmpty { return .passed }
      return .failed(FailureCause(cause: "it fails", key: ""))
    }
    return explorer.result.failed == 0 ? nil : explorer.result.run
  }
}
