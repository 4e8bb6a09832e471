import Sleepless
import Testing

/// Runs one test at a time of those that have it, in all suites: a test that has a process started and
/// waits for its end.
///
/// Swift Testing waits for such processes in a loop that takes a whole core from when one has ended
/// until its test gets on, if other tests wait for theirs meanwhile; and among a thousand tests that
/// is long.
package struct OneProcess: TestTrait, SuiteTrait, TestScoping {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private static let state = Locked(State())

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    await Self.begin()
    defer { Self.end() }
    try await body()
  }

  private static func begin() async {
    await withCheckedContinuation { turn in
      let mayBegin = state.withLock { state in
        if state.isTaken { state.waiting.append(turn) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if mayBegin { turn.resume() }
    }
  }

  private static func end() {
    let next = state.withLock { state in
      state.isTaken = !state.waiting.isEmpty
      return state.isTaken ? state.waiting.removeFirst() : nil
    }
    next?.resume()
  }
}

extension Trait where Self == OneProcess {
  package static var oneProcess: Self { OneProcess() }
}
