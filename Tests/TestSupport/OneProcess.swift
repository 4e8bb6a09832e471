import Sleepless
import Testing

/// Runs the tests with this trait one at a time, across all suites. They start a process and wait
/// for its end.
///
/// When several tests wait for processes, Swift Testing waits in a loop that keeps a core busy from
/// the end of a process until its test continues. With a thousand tests that takes long.
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
