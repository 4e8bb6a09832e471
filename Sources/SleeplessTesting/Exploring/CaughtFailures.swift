import Foundation
import Sleepless
import Testing

/// Catches the failures of schedules, so that the test can run again and again. The last run shows them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class CaughtFailures: Sendable {
  /// How many explorations are under way in this process.
  fileprivate static let explorations = Locked(0)

  private let caught = Locked<[CaughtFailure]>([])
  /// Whether schedules run. A helper that a schedule has made may fail later, and Swift Testing then still asks the
  /// matcher and the trait of the exploration; that failure is the test's.
  private let isCatching = Locked(false)

  func take() -> [CaughtFailure] {
    caught.withLock { caught in
      defer { caught = [] }
      return caught
    }
  }

  func append(_ failure: CaughtFailure) { caught.withLock { $0.append(failure) } }

  /// Runs code whose failures are caught, whichever framework runs the test.
  func catching(_ body: @Sendable () async -> Void) async {
    Self.explorations.withLock { $0 += 1 }
    defer { Self.explorations.withLock { $0 -= 1 } }
    @Sendable func caughtBody() async {
      isCatching.withLock { $0 = true }
      await body()
      isCatching.withLock { $0 = false }
    }
    if let test = Test.current {
      await catchingIssues(of: test, caughtBody)
    } else if let test = XCTestProgress.shared.running {
      let restore = test.divertFailures { [self] failure in
        guard isCatching.withLock({ $0 }) else { return false }
        append(failure)
        return true
      }
      await caughtBody()
      restore()
    } else {
      await body()
    }
  }

  private func catchingIssues(of test: Test, _ body: @Sendable () async -> Void) async {
    // The innermost matcher gets an issue, also within a user's `withKnownIssue`. The trait below keeps the
    // framework from printing the issue.
    @Sendable func matching() async {
      await withKnownIssue(isIntermittent: true) {
        await body()
      } matching: { [self] issue in
        guard isCatching.withLock({ $0 }) else { return false }
        if issue.severity >= .error { append(CaughtFailure(issue)) }
        return true
      }
    }
    let silence = IssueHandlingTrait.compactMapIssues { [self] issue in
      guard isCatching.withLock({ $0 }) else { return issue }
      // The trait also gets all issues of the process whose test is unknown.
      if issue.isFailure, isOfCallback { append(CaughtFailure(issue)) }
      return nil
    }
    try? await silence.provideScope(for: test, testCase: Test.Case.current) { await matching() }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension CaughtFailures {
  /// Whether the calling code is taken for that of a schedule of this exploration although Swift Testing does not know
  /// its test: it runs on a thread, or on a queue outside, and not in a task that a test has started outside every
  /// simulation; and no other exploration is under way. A callback of another test that runs meanwhile looks the same.
  fileprivate var isOfCallback: Bool {
    Test.current == nil && Simulation.current == nil && TestTasks.ofCurrentTest == nil
      && Self.explorations.withLock { $0 } == 1 && !ThreadIssues.isOnThreadOfSimulatedTest
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension CaughtFailure {
  init(_ issue: Issue) {
    // Only this description has the values of an expectation. The place and the severity are said elsewhere.
    text = String(reflecting: issue).replacing(/\ at \S+:\d+:\d+/, with: "")
      .replacing(" (error)", with: "")
    file = issue.sourceLocation?.fileID ?? ""
    line = issue.sourceLocation?.line ?? 0
  }
}
