import SleeplessTesting
import TestSupport
import Testing
import VirtualTime
import XCTest

/// Judgements by code whose tasks cannot be followed: on Linux code that belongs to no test, elsewhere all. They come
/// after a short wait in real time, and these tests take as long. What comes within that wait: `LateWorkProcessTests`.
@Suite struct UnfollowedJudgementTests {
  @Test func `the checks at the end of a test wait for 50 ms`() async {
    let time = await unfollowed {
      let (end, stopwatch) = (EndOfTest(), Stopwatch())
      end.add(rest: .noMoreEvents) { _ in stopwatch.stop() }
      await end.finish()
      return stopwatch.time
    }
    #expect(time >= .milliseconds(50))
  }

  @Test func `the checks at the end of a synchronous test wait for 50 ms`() async {
    let time = await onThread {
      let (end, stopwatch) = (EndOfTest(), Stopwatch())
      end.add(rest: .noMoreEvents) { _ in stopwatch.stop() }
      end.finishHere()
      return stopwatch.time
    }
    #expect(time >= .milliseconds(50))
  }

  @Test func `expectNone with await waits for 50 ms`() async {
    let time = await unfollowed {
      let numbers = Recorder<Int, Never>("numbers")
      let stopwatch = Stopwatch()
      await numbers.expectNone()
      stopwatch.stop()
      return stopwatch.time
    }
    #expect(time >= .milliseconds(50))
  }

  @Test func `expectExactlyOnce waits for 50 ms after the first call`() async {
    let time = await unfollowed {
      let stopwatch = Stopwatch()
      _ = try? await expectExactlyOnce { (done: @escaping @Sendable (Int) -> Void) in done(1) }
      stopwatch.stop()
      return stopwatch.time
    }
    #expect(time >= .milliseconds(50))
  }

  @Test func `AssertState waits for half a second for one more value`() async {
    let time = await unfollowed {
      let stopwatch = Stopwatch()
      await AssertState().assert(
        when: {}, type: Int.self, publisher: StateSubject<Int, Never>(0), valuesLimit: 1,
        valuesAssertions: { _ in stopwatch.stop() })
      return stopwatch.time
    }
    #expect(time >= .milliseconds(500))
  }

  @Test func `AssertState of a synchronous test waits for half a second for one more value`() async
  {
    let time = await onThread {
      let stopwatch = Stopwatch()
      AssertState().assert(
        when: {}, type: Int.self, testCase: .named("a test"),
        publisher: StateSubject<Int, Never>(0), valuesLimit: 1,
        valuesAssertions: { _ in stopwatch.stop() })
      return stopwatch.time
    }
    #expect(time >= .milliseconds(500))
  }
}

/// Runs code in a task that was started on a thread, and so belongs to no test.
private func unfollowed<Value: Sendable>(
  _ body: @escaping @Sendable () async -> Value
) async -> Value {
  await onThread { Task { await body() } }.value
}

/// The real time from its making to the call of `stop()`; zero without that call.
private final class Stopwatch: Sendable {
  private let start = ContinuousClock.now
  private let elapsed = Locked(Duration.zero)

  var time: Duration { elapsed.withLock { $0 } }

  func stop() { elapsed.withLock { $0 = ContinuousClock.now - start } }
}
