import SleeplessTesting

extension FailureCase {
  /// Callbacks that are called twice or never.
  static let callingBack: [FailureCase] = [
    FailureCase(
      "a callback that is not called", at: #line + 9, needs: .capture,
      reads: """
        expectExactlyOnce "the completion" expected its callback to be called, but it was not: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  not called x13
        Is the callback kept until there is an answer, and called on every path?
        """
    ) {
      await simulated {
        _ = try? await expectExactlyOnce("the completion", within: .seconds(5)) {
          (_: @escaping @Sendable (Int) -> Void) in
        }
      }
    },
    FailureCase(
      "a callback that is called twice", at: #line + 6,
      reads: """
        expectExactlyOnce "the completion" expected its callback to be called once, but it was called again: with 1, and then with 2.
        Usually the code goes on after calling back, or a retry does not cancel the first try. Return after the callback, or cancel the first try.
        """
    ) {
      _ = try? await expectExactlyOnce("the completion") {
        (done: @escaping @Sendable (Int) -> Void) in
        done(1)
        done(2)
        done(3)
      }
    },
    FailureCase(
      "a task that waits for a callback, and is cancelled", at: #line + 10,
      reads: """
        expectExactlyOnce expected its callback to be called, but the waiting task was cancelled first.
        So far (now: 0 s, evaluated once):
          1  0 s  not called
        Usually a time limit of the test, or the test itself, cancels the task that waits. Wait in a task that nobody cancels, or find out what takes so long.
        """
    ) {
      await simulated {
        await cancelled {
          _ = try? await expectExactlyOnce { (_: @escaping @Sendable (Int) -> Void) in }
        }
      }
    },
  ]
}
