import Sleepless
import Testing

/// Checks at the end of a test that its helpers have left nothing over: the trait `.checkedAtEnd`.
///
/// ```swift
/// @Test(.checkedAtEnd) func `each state is read`() async {
///   let states = Recorder<String, Never>("states")
///   states.record("loading")
///   await states.expect("loading")  // without this line the test fails
/// }
/// ```
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
  /// Checks at the end of the test that its helpers have left nothing over.
  ///
  /// Unread events of recorders, pending work of schedulers, calls that a gate still holds and objects
  /// that should have been released fail the test. Without the trait, a helper is checked when it is
  /// released, which may never happen. In a test that has failed before, these are warnings. On a suite
  /// the trait holds for every test in it. `.simulated` and `.explored` include it, and so does every
  /// XCTest test.
  ///
  /// ```swift
  /// @Test(.checkedAtEnd) func `each state is read`() async {
  ///   let states = Recorder<String, Never>("states")
  ///   states.record("loading")
  ///   await states.expect("loading")  // without this line the test fails
  /// }
  /// ```
  public static var checkedAtEnd: Self { Self() }
}

extension EndOfTest {
  /// Runs a Swift Testing test's function with an end of its own. In nested scopes a helper belongs to
  /// the innermost one, so that it is checked once.
  package static func check(
    _ end: EndOfTest = EndOfTest(), after function: @Sendable () async throws -> Void
  ) async throws {
    var thrown: (any Error)?
    do {
      // Nothing public tells whether a test has failed, but the matcher sees every issue.
      try await withKnownIssue(isIntermittent: true) {
        try await $current.withValue(end) { try await function() }
      } matching: { issue in
        // The matcher also sees issues that `eventually(asserting:)` then holds back.
        if issue.isFailure, !HeldFailures.isHolding { end.noteFailure() }
        return false
      }
    } catch {
      if error.isSkip { end.noteSkip() } else { end.noteFailure() }
      thrown = error
    }
    await $current.withValue(end) { await end.finish() }
    if let thrown { throw thrown }
  }
}
