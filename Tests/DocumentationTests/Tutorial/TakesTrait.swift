import SleeplessTesting
import Testing

/// For a step of the tutorial that says how long a test sleeps.
///
/// The suite is simulated, so no time passes and the figure is exact.
struct TakesTrait: SuiteTrait, TestTrait, TestScoping {
  let time: Duration

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await function()
    #expect(Simulation.current?.now == time)
  }
}

extension Trait where Self == TakesTrait {
  static func takes(_ time: Duration) -> Self { TakesTrait(time: time) }
}
