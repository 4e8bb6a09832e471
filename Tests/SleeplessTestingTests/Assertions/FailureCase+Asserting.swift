// virtual time: all sleeps here are in simulations
import SleeplessTesting

/// The failures of assertions that wait: the same texts in both frameworks.
extension FailureCase {
  /// The cases that end in virtual time, or without a wait.
  static var asserting: [FailureCase] {
    becomingTrue + holding + throwing + operating + callingBack
  }

  /// Runs code in a simulation in which work is always due, so that a wait ends by its limit.
  static func simulated(
    _ time: Simulation.Options.Time = .automatic, _ body: @escaping () async throws -> Void
  ) async {
    let isAutomatic = if case .automatic = time { true } else { false }
    try? await simulate(time: time, allowing: .everything) {
      if isAutomatic {
        await Simulation.background {
          _ = Task { while !Task.isCancelled { try await Task.sleep(for: .seconds(1)) } }
        }
      }
      try await body()
    }
  }

  /// Runs code that waits, in a task that is cancelled meanwhile.
  static func cancelled(_ wait: @escaping @Sendable () async -> Void) async {
    await withTaskGroup { group in
      group.addTask { await wait() }
      await Task.yield()  // It has its turn now.
      group.cancelAll()
    }
  }
}
