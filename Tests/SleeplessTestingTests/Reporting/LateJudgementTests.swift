import SleeplessTesting
import TestSupport
import Testing
import VirtualTime

/// A test is judged when its tasks have come to rest, not when its body has ended. So the load of the machine
/// does not change the result. For recorders and `AssertState` see `LateEventTests`.
@Suite(.needs(.capture)) struct LateJudgementTests {
  @Test func `a spy accepts a call of a task that its test has started`() async {
    await passes { log in
      let spy = Spy<Int>("a spy")
      later(log) { spy(1) }
    }
  }

  @Test func `an answer is used by a late call`() async {
    await passes { log in
      let stub = Stub<Int, String>("a stub")
      stub.inTurn(.value("one"))
      later(log) { _ = try await stub(1) }
    }
  }

  @Test func `a late call without an answer fails the test`() async {
    await fails("\"a stub\" was called with 1, and it has no answer for that.") {
      let stub = Stub<Int, String>("a stub")
      later { _ = try await stub(1) }
    }
  }

  @Test func `a call that enters a gate late is held`() async {
    await fails("1 call of \"a gate\" was still held back at the end of the test.") {
      let gate = Gate<Int>("a gate")
      later { _ = try await gate() }
    }
  }

  @Test func `a held call may be answered late`() async {
    await passes { log in
      let gate = Gate<Int>("a gate")
      Task { _ = try await gate() }
      let call = try await gate.entered()
      later(log) { call.succeed(with: 1) }
    }
  }

  @Test func `work that is enqueued late is pending`() async {
    let kept = Log<TestScheduler>()
    let text =
      "The test ended, and a scheduler has work pending that will now never run (now: 0 s):"
    await fails(text) {
      let scheduler = TestScheduler()
      kept.append(scheduler)
      later { scheduler.schedule(after: .seconds(1)) {} }
    }
  }

  @Test func `pending work may be cancelled late`() async {
    let kept = Log<TestScheduler>()
    await passes { log in
      let scheduler = TestScheduler()
      kept.append(scheduler)
      let work = scheduler.schedule(after: .seconds(1)) {}
      later(log) { work.cancel() }
    }
  }

  @Test func `an operation may end late`() async {
    await passes { log in
      _ = StartedOperation("an operation") {
        try await pause()
        log.append("later")
      }
    }
  }

  @Test func `a second call of a callback comes before expectExactlyOnce returns`() async {
    let failures = await failures {
      _ = try? await expectExactlyOnce("the answer") { (done: @escaping @Sendable (Int) -> Void) in
        done(1)
        later { done(2) }
      }
    }
    #expect(
      failures.map(\.text.firstLine) == [
        """
        expectExactlyOnce "the answer" expected its callback to be called once, but it was called \
        again: with 1, and then with 2.
        """
      ])
  }

  @Test func `expectNone with await judges when the tasks have come to rest`() async {
    let failures = await failures {
      let number = StateSubject<Int, Never>(0)
      let numbers = Recorder(number, "numbers", allowsUnread: true)
      _ = numbers.all()
      later { number.value = 1 }
      await numbers.expectNone()
    }
    #expect(
      failures.map(\.text.firstLine)
        == ["expectNone() expected nothing unread from \"numbers\", but 1 event is."])
  }

  // MARK: Support

  /// Expects a test to pass, and to end only after what its task does later.
  private func passes(_ body: @escaping @Sendable (Log<String>) async throws -> Void) async {
    let log = Log<String>()
    let failures = await failures { try? await EndOfTest.check { try await body(log) } }
    #expect(failures == [])
    #expect(log.values == ["later"])
  }

  private func fails(
    _ firstLine: String, _ body: @escaping @Sendable () async throws -> Void
  ) async {
    let failures = await failures { try? await EndOfTest.check(after: body) }
    #expect(failures.map(\.text.firstLine) == [firstLine])
  }
}

private func later(
  _ log: Log<String> = Log(), _ body: @escaping @Sendable () async throws -> Void
) {
  Task {
    try await pause()
    try await body()
    log.append("later")
  }
}

private func pause() async throws {
  // real time: usually the test's body is over by then
  try await Task.sleep(for: .milliseconds(5))
}
