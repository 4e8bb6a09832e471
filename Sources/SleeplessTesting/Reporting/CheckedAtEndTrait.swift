import Sleepless
import Testing

/// Checks at the end of a test what its helpers have left over: the trait `.checkedAtEnd`.
public struct CheckedAtEndTrait: TestTrait, SuiteTrait, TestScoping {
  /// A suite's trait holds for every test in it.
  public var isRecursive: Bool { true }

  /// Runs the test's function, and then the checks, as part of the test.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await EndOfTest.check(after: function)
  }
}

extension Trait where Self == CheckedAtEndTrait {
  /// Checks at the end of the test what its helpers have left over.
  ///
  /// Recorders with unread events, schedulers with pending work, calls that are still held back and
  /// objects that should be gone fail the test, each in its own words, wherever something still keeps
  /// them; without the trait they are checked when they are released. In a test that has failed they
  /// are warnings. On a suite it holds for every test in it. `.simulated` includes it, and so does
  /// every XCTest test.
  public static var checkedAtEnd: Self { Self() }
}

extension EndOfTest {
  /// Runs a Swift Testing test's function with an end of its own. Where such scopes are nested, a
  /// helper belongs to the innermost, so each is checked once.
  package static func check(
    _ end: EndOfTest = EndOfTest(), after function: @Sendable () async throws -> Void
  ) async throws {
    var thrown: (any Error)?
    do {
      // Nothing public tells whether a test has failed, but this is asked about every issue.
      try await withKnownIssue(isIntermittent: true) {
        try await $current.withValue(end) { try await function() }
      } matching: { issue in
        if issue.isFailure { end.noteFailure() }
        return false
      }
    } catch {
      end.noteFailure()
      thrown = error
    }
    await $current.withValue(end) { await end.finish() }
    if let thrown { throw thrown }
  }
}
