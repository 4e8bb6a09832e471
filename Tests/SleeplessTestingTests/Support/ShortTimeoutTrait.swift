import TestSupport
import Testing
import VirtualTime

/// Shortens the timeout where tasks are not captured: a simulation that stands still takes all of it there,
/// while elsewhere it is known at once that nothing can run.
struct ShortTimeoutTrait: TestTrait, TestScoping {
  static let timeout: Duration? = Need.capture.isMet ? nil : .milliseconds(200)

  func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    try await HangTimeout.$shortened.withValue(Self.timeout) { try await body() }
  }
}

extension Trait where Self == ShortTimeoutTrait {
  static var standingStill: Self { ShortTimeoutTrait() }
}
