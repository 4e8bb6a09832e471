// virtual time: all sleeps here are in simulations
import SleeplessTesting
import TestSupport

extension FailureCase {
  /// Operations that end too early, too late or not at all.
  static let operating: [FailureCase] = [
    FailureCase(
      "an operation that does not finish", at: #line + 12, needs: .capture,
      reads: """
        expectFinish "search" expected the operation to finish, but it kept running: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  running x13
        Does it wait for something that the test has to do, such as moving time?
        """
    ) {
      await simulated {
        let operation = StartedOperation("search") {
          for await _ in AsyncStream(Int.self, { kept.append($0) }) {}
        }
        try? await operation.expectFinish(within: .seconds(5))
        await operation.expectCancellation()
      }
    },
    FailureCase(
      "an operation that does not finish in time", at: #line + 10, needs: .capture,
      reads: """
        expectFinish expected the operation to finish, but it kept running: 2 s of virtual time went by.
        So far (now: 2 s, asked: 2 s, evaluated 7 times):
          1  0 s  running x7
        Does it wait for something that the test has to do, such as moving time?
        """
    ) {
      await simulated {
        let operation = StartedOperation { try await Task.sleep(for: .seconds(3)) }
        try? await operation.expectFinish(within: .seconds(2))
        await operation.expectCancellation()
      }
    },
    FailureCase(
      "an operation that has ended already", at: #line + 10, needs: .capture,
      reads: """
        expectRunning "answer" expected the operation to be running, but after 0 s it was over: it returned 42.
        So far (now: 0 s, evaluated once):
          1  0 s  over: it returned 42
        It failed at the first check. Set up the state first.
        """
    ) {
      await simulated {
        let operation = StartedOperation("answer") { 42 }
        await operation.expectRunning()
      }
    },
    FailureCase(
      "an operation that ends too soon", at: #line + 11, needs: .capture,
      reads: """
        expectRunning expected the operation to be running for 5 s, but after 3 s it was over: it returned.
        So far (now: 3 s, evaluated 7 times):
          1  0 s  running x6
          2  3 s  over: it returned
        The code that ran last before that has changed it; a recorder shows the order.
        """
    ) {
      await simulated {
        let operation = StartedOperation { try await Task.sleep(for: .seconds(3)) }
        await operation.expectRunning(during: .seconds(5))
      }
    },
    FailureCase(
      "a negative time to be running", at: #line + 6,
      reads: """
        expectRunning: the duration must not be negative (was -1 s).
        """
    ) {
      await simulated {
        await StartedOperation { 42 }.expectRunning(during: .seconds(-1))
      }
    },
    FailureCase(
      "an operation that ignores cancellation", at: #line + 12, needs: .capture,
      reads: """
        expectCancellation "upload" expected cancelling to end the operation, but it kept running: 1 s of virtual time went by.
        So far (now: 1 s, asked: 1 s, evaluated 6 times):
          1  0 s  running x6
        Usually a continuation without a cancellation handler, or an error that is caught and forgotten: check Task.isCancelled in loops.
        """
    ) {
      await simulated {
        let operation = StartedOperation("upload") {
          await Task.detached { try? await Task.sleep(for: .seconds(30)) }.value
        }
        await operation.expectCancellation(within: .seconds(1))
        try? await operation.expectFinish()
      }
    },
    FailureCase(
      "an operation that had ended before it was cancelled", at: #line + 9,
      reads: """
        expectCancellation expected the operation to be running, but it had ended before it was cancelled: it threw offline.
        Before cancelling, hold back what the operation waits for, or move time less far.
        """
    ) {
      await simulated {
        let operation = StartedOperation { throw Trouble.offline }
        try? await operation.expectFinish()
        await operation.expectCancellation()
      }
    },
    FailureCase(
      "a negative time to cancel", at: #line + 6,
      reads: """
        expectCancellation: within: must not be negative (was -1 s).
        """
    ) {
      await simulated {
        await StartedOperation { 42 }.expectCancellation(within: .seconds(-1))
      }
    },
    FailureCase(
      "a task that waits for an operation, and is cancelled", at: #line + 10,
      reads: """
        expectFinish "search" expected the operation to finish, but the waiting task was cancelled first.
        So far (now: 0 s, evaluated once):
          1  0 s  running
        Usually a time limit of the test, or the test itself, cancels the task that waits. Wait in a task that nobody cancels, or find out what takes so long.
        """
    ) {
      await simulated {
        let operation = StartedOperation("search") { try await Task.sleep(for: .seconds(9)) }
        await cancelled { try? await operation.expectFinish() }
        await operation.expectCancellation()
      }
    },
  ]
}

private let kept = Log<AsyncStream<Int>.Continuation>()
