import SleeplessTesting
import VirtualTime

// The failures of gates. FailureMessages.md shows some of the texts.

extension FailureCase {
  static let gates = [
    FailureCase(
      "a wait for a call that does not enter", at: #line + 9,
      reads: """
        entered() expected a call from "search", but none came: 1 ms of real time went by without it.
        Nothing has come so far (now: 0 s).
        Was the code under test started? Does it call this double?
        """
    ) {
      await HangTimeout.shortly {
        let gate = Gate<Int>("search", time: .of(TestScheduler()))
        _ = try? await gate.entered()
      }
    },
    FailureCase(
      "a wait for the second of two calls", at: #line + 11,
      reads: """
        entered(2) expected 2 calls from "search", but only 1 came: 1 ms of real time went by without it.
        So far (now: 0 s):
          1  0 s  "swift": in flight
        Was the code under test started? Does it call this double?
        """
    ) {
      await HangTimeout.shortly {
        let gate = Gate<Int>("search", time: .of(TestScheduler()))
        gate("swift") { _ in }
        _ = try? await gate.entered(2)
      }
    },
    FailureCase(
      "a synchronous look for a call", at: #line + 9,
      reads: """
        entered() expected a call from "search", but none came: a synchronous read does not wait.
        Nothing has come so far (now: 0 s).
        Let the event come first, or wait for it: try await in an async test.
        """
    ) {
      synchronously {
        let gate = Gate<Int>("search", time: .of(TestScheduler()))
        _ = try? gate.entered()
      }
    },
    FailureCase(
      "a look for call 0", at: #line + 6,
      reads: """
        entered(0) must be asked for call 1 or a later one (was 0).
        """
    ) {
      let gate = Gate<Int>("search")
      _ = try? await gate.entered(0)
    },
    FailureCase(
      "a gate opened before a call has entered", at: #line + 8,
      reads: """
        succeed(with:) found no call of "search" in flight to answer with 42.
        Nothing has come so far (now: 0 s).
        Let a call enter first: try await entered() waits for it. To answer at once use a Stub.
        """
    ) {
      let gate = Gate<Int>("search", time: .of(TestScheduler()))
      gate.succeed(with: 42)
    },
    FailureCase(
      "a gate opened with an error after all calls are answered", at: #line + 11,
      reads: """
        fail(with:) found no call of "search" in flight to answer with an error, offline.
        So far (now: 0 s):
          1  0 s  "swift": answered at 0 s: 42
        Let a call enter first: try await entered() waits for it. To answer at once use a Stub.
        """
    ) {
      let gate = Gate<Int>("search", time: .of(TestScheduler()))
      gate("swift") { _ in }
      gate.succeed(with: 42)
      gate.fail(with: Trouble.offline)
    },
    FailureCase(
      "a call answered twice", at: #line + 16,
      reads: """
        succeed(with:) answered call 1 of "search" a second time, with 43.
        So far (now: 2 s):
          1  0 s  "swift": answered at 0 s: 42
          2  0 s  "swiftly": in flight
        A held call takes one answer. To answer the next call, get it with entered().
        """
    ) {
      let scheduler = TestScheduler()
      let gate = Gate<Int>("search", time: .of(scheduler))
      gate("swift") { _ in }
      gate("swiftly") { _ in }
      let call = try? await gate.entered()
      call?.succeed(with: 42)
      await scheduler.advance(by: .seconds(2))
      call?.succeed(with: 43)
    },
    FailureCase(
      "a call answered after its cancellation", at: #line + 14,
      reads: """
        fail(with:) came too late for call 1 of "search", with an error, offline: its task was cancelled.
        So far (now: 0 s):
          1  0 s  "swift": cancelled at 0 s
        It has ended with CancellationError. To play a service that answers all the same, make the \
        gate with ignoresCancellation: true.
        """
    ) {
      let gate = Gate<Int>("search", time: .of(TestScheduler()))
      let search = Task { try await gate("swift") }
      let call = try? await gate.entered()
      search.cancel()
      _ = await search.result
      call?.fail(with: Trouble.offline)
    },
    FailureCase(
      "a call that is not cancelled", at: #line + 10,
      reads: """
        cancelled() expected a cancellation from call 1 of "search", but none came: 1 ms of real time went by without it.
        Nothing has come so far (now: 0 s).
        Does the code under test keep the task that made the call, and cancel it?
        """
    ) {
      await HangTimeout.shortly {
        let gate = Gate<Int>("search", time: .of(TestScheduler()))
        gate("swift") { _ in }
        try? await gate.entered().cancelled()
      }
    },
    FailureCase(
      "a call that is answered rather than cancelled", at: #line + 12,
      reads: """
        cancelled() expected the task of call 1 of "search" to be cancelled, but the call ended otherwise.
        So far (now: 0 s):
          1  0 s  "swift": answered at 0 s: 42
        Only a call in flight can be cancelled. Is the answer given too early, or the task not kept?
        """
    ) {
      let gate = Gate<Int>("search", time: .of(TestScheduler()))
      gate("swift") { _ in }
      let call = try? await gate.entered()
      call?.succeed(with: 42)
      try? await call?.cancelled()
    },
    FailureCase(
      "calls still held back at the end", at: #line + 11,
      reads: """
        2 calls of "search" were still held back at the end of the test.
        So far (now: 0 s):
          1  0 s  "swift": in flight
          2  0 s  answered at 0 s: an error, offline
          3  0 s  in flight
        Answer each call with succeed(with:) or fail(with:), or cancel the task that made it. A \
        call still held now ends with CancellationError.
        """
    ) {
      let gate = Gate<Int>("search", time: .of(TestScheduler()))
      gate("swift") { _ in }
      gate { _ in }
      gate { _ in }
      try? await gate.entered(2).fail(with: Trouble.offline)
    },
    FailureCase(
      "a gate called after its test", at: #line + 7,
      reads: """
        "search" was called after its test had ended, with "swift".
        Nothing has come so far (now: 0 s).
        Something that the test started still runs. Let the test wait for it, or stop it.
        """
    ) {
      let gate = Gate<Int>("search", time: .of(TestScheduler()))
      gate.checkAtEnd()
      _ = try? await gate("swift")
    },
  ]
}
