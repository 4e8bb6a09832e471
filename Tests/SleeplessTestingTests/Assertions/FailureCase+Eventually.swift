// virtual time: all sleeps here are in simulations
import SleeplessTesting
import VirtualTime

extension FailureCase {
  /// Conditions that do not become true, in virtual time.
  static let becomingTrue: [FailureCase] = [
    FailureCase(
      "never true in a simulation", at: #line + 9,
      reads: """
        eventually "the list is shown" expected its condition to become true, but it stayed false: nothing can run in the simulation any more, and nothing is due.
        So far (now: 0 s, evaluated 2 times):
          1  0 s  false x2
        Nothing left to run can change the condition. Look for code that was not started, or that waits for a queue, a thread or a server.
        """
    ) {
      await HangTimeout.$shortened.withValue(ShortTimeoutTrait.timeout) {
        try? await simulate { await eventually("the list is shown") { false } }
      }
    },
    FailureCase(
      "never true within a virtual time", at: #line + 10, needs: .capture,
      reads: """
        eventually expected its condition to become true, but it stayed false: 10 s of virtual time went by.
        So far (now: 10 s, asked: 10 s, evaluated 23 times):
          1  0 s  false x23
        Was the code started? Does the condition read the right state?
        """
    ) {
      await simulated {
        let ticking = Task { while !Task.isCancelled { try await Task.sleep(for: .seconds(4)) } }
        await eventually(within: .seconds(10)) { false }
        ticking.cancel()
      }
    },
    FailureCase(
      "never true in a simulation whose time is manual", at: #line + 10, needs: .capture,
      reads: """
        eventually expected its condition to become true, but it stayed false: nothing can run in the simulation any more, and nothing is due.
        So far (now: 0 s, evaluated 3 times):
          1  0 s  false x3
        Time is manual: advance it first, with Simulation.advance(by:).
        """
    ) {
      await simulated(.manual) {
        let sleeping = Task { try await Task.sleep(for: .seconds(4)) }
        await eventually { false }
        sleeping.cancel()
      }
    },
    FailureCase(
      "values seen on the way", at: #line + 12, needs: .capture,
      reads: """
        eventually expected its condition to become true, but it stayed false: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  false
          2  0 s  threw offline x2
          3  1 s  false x10
        Was the code started? Does the condition read the right state?
        """
    ) {
      await simulated {
        let states = Locked<[Trouble?]>([nil, .offline, .offline, nil])
        await eventually(within: .seconds(5)) {
          if let trouble = states.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            throw trouble
          }
          return false
        }
      }
    },
    FailureCase(
      "an error each time", at: #line + 8, needs: .capture,
      reads: """
        eventually expected its condition to become true, but it threw offline: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  threw offline x13
        An error means not yet. If it can never become right, end the wait with failFast.
        """
    ) {
      await simulated { await eventually(within: .seconds(5)) { throw Trouble.offline } }
    },
    FailureCase(
      "a waiting task that is cancelled", at: #line + 8,
      reads: """
        eventually expected its condition to become true, but the waiting task was cancelled first.
        So far (now: 0 s, evaluated once):
          1  0 s  false
        Usually a time limit of the test, or the test itself, cancels the task that waits. Wait in a task that nobody cancels, or find out what takes so long.
        """
    ) {
      await simulated { await cancelled { await eventually { false } } }
    },
    FailureCase(
      "true too early", at: #line + 9,
      reads: """
        eventually expected its condition to become true, but that came too early: after 0 s, not before 2 s.
        So far (now: 0 s, evaluated once):
          1  0 s  true
        The code did not wait as long as it should, or earlier code left the state like this.
        """
    ) {
      await simulated {
        await eventually(notBefore: .seconds(2)) { Simulation.current!.now == .zero }
      }
    },
    FailureCase(
      "failing fast", at: #line + 10, needs: .capture,
      reads: """
        eventually expected its condition to become true, but failFast ended the wait after 1 s.
        So far (now: 1 s, evaluated 3 times):
          1  0 s  false x3
        The test's failFast returned true. Look at the state that it reads: the code has reached it.
        """
    ) {
      await simulated {
        let task = Task { try await Task.sleep(for: .seconds(1)) }
        await eventually(failFast: { Simulation.current!.now > .zero }) { false }
        try await task.value
      }
    },
    FailureCase(
      "a value that does not come", at: #line + 9, needs: .capture,
      reads: """
        eventually "a user" expected a value, but it stayed nil: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  nil x13
        Was the code started? Does the condition read the right state?
        """
    ) {
      await simulated {
        _ = try? await eventually("a user", within: .seconds(5)) { nil as String? }
      }
    },
    FailureCase(
      "a value that comes too early", at: #line + 9,
      reads: """
        eventually expected a value, but that came too early: after 0 s, not before 1 s.
        So far (now: 0 s, evaluated once):
          1  0 s  "Ada"
        The code did not wait as long as it should, or earlier code left the state like this.
        """
    ) {
      await simulated {
        _ = try? await eventually(notBefore: .seconds(1)) { "Ada" as String? }
      }
    },
    FailureCase(
      "assertions that throw", at: #line + 9, needs: .capture,
      reads: """
        eventually "the user is there" expected its assertions to hold, but it threw offline: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  threw offline x13
        An error means not yet. If it can never become right, end the wait with failFast.
        """
    ) {
      await simulated {
        await eventually(asserting: "the user is there", within: .seconds(5)) {
          throw Trouble.offline
        }
      }
    },
    FailureCase(
      "a negative limit", at: #line + 5,
      reads: """
        eventually: within: must be positive (was -1 s). Nothing was evaluated.
        """
    ) {
      await eventually(within: .seconds(-1)) { true }
    },
    FailureCase(
      "bounds that exclude each other", at: #line + 5,
      reads: """
        eventually: notBefore: must not be after within: (2 s and 1 s). Nothing was evaluated.
        """
    ) {
      await eventually(within: .seconds(1), notBefore: .seconds(2)) { true }
    },
    FailureCase(
      "a tooEarly bound that is negative", at: #line + 5,
      reads: """
        eventually: notBefore: must not be negative (was -2 s). Nothing was evaluated.
        """
    ) {
      await eventually(notBefore: .seconds(-2)) { true }
    },
    FailureCase(
      "nothing pending on a scheduler", at: #line + 11,
      reads: """
        eventually expected its condition to become true, but it stayed false: nothing is pending on the scheduler any more.
        So far (now: 3 s, evaluated 3 times):
          1  0 s  false x3
        Nothing left to run can change the condition. Look for code that was not started, or that waits for a queue, a thread or a server.
        """
    ) {
      synchronously {
        let scheduler = TestScheduler()
        scheduler.schedule(after: .seconds(3)) {}
        eventually(advancing: scheduler) { false }
      }
    },
    FailureCase(
      "a limit on a scheduler", at: #line + 11,
      reads: """
        eventually expected its condition to become true, but it stayed false: 10 s of virtual time went by.
        So far (now: 10 s, asked: 10 s, evaluated 5 times):
          1  0 s  false x5
        Was the code started? Does the condition read the right state?
        """
    ) {
      synchronously {
        let scheduler = TestScheduler(allowsPendingWork: true)
        scheduler.schedule(after: .seconds(1), every: .seconds(4)) {}
        eventually(within: .seconds(10), advancing: scheduler) { false }
      }
    },
    FailureCase(
      "a value, but an error each time", at: #line + 9, needs: .capture,
      reads: """
        eventually expected a value, but it threw offline: 5 s of virtual time went by.
        So far (now: 5 s, asked: 5 s, evaluated 13 times):
          1  0 s  threw offline x13
        An error means not yet. If it can never become right, end the wait with failFast.
        """
    ) {
      await simulated {
        _ = try? await eventually(within: .seconds(5)) { () throws -> String? in
          throw Trouble.offline
        }
      }
    },
    FailureCase(
      "a task that waits for a value, and is cancelled", at: #line + 8,
      reads: """
        eventually expected a value, but the waiting task was cancelled first.
        So far (now: 0 s, evaluated once):
          1  0 s  nil
        Usually a time limit of the test, or the test itself, cancels the task that waits. Wait in a task that nobody cancels, or find out what takes so long.
        """
    ) {
      await simulated { await cancelled { _ = try? await eventually { nil as String? } } }
    },
    FailureCase(
      "a task that waits for assertions, and is cancelled", at: #line + 10,
      reads: """
        eventually "the user is there" expected its assertions to hold, but the waiting task was cancelled first.
        So far (now: 0 s, evaluated once):
          1  0 s  threw offline
        Usually a time limit of the test, or the test itself, cancels the task that waits. Wait in a task that nobody cancels, or find out what takes so long.
        """
    ) {
      await simulated {
        await cancelled {
          await eventually(asserting: "the user is there") { throw Trouble.offline }
        }
      }
    },
  ]
}
