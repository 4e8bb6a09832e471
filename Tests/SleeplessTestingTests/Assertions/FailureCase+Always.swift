// virtual time: all sleeps here are in simulations
import SleeplessTesting

extension FailureCase {
  /// Conditions that do not stay true, or false, in virtual time.
  static let holding: [FailureCase] = [
    FailureCase(
      "always for no time", at: #line + 5,
      reads: """
        always: during: must be positive (was 0 s). Nothing was evaluated.
        """
    ) {
      await always(during: .zero) { true }
    },
    FailureCase(
      "always, until it does not hold", at: #line + 11, needs: .capture,
      reads: """
        always "it is quiet" expected its condition to be true for 5 s, but after 3 s it was false.
        So far (now: 3 s, evaluated 7 times):
          1  0 s  true x6
          2  3 s  false
        The code that ran last before that has changed it; a recorder shows the order.
        """
    ) {
      await simulated {
        let task = Task { try await Task.sleep(for: .seconds(3)) }
        await always("it is quiet", during: .seconds(5)) { Simulation.current!.now < .seconds(3) }
        try await task.value
      }
    },
    FailureCase(
      "always, until it throws", at: #line + 9,
      reads: """
        always expected its condition to be true for 5 s, but after 0 s it threw offline.
        So far (now: 0 s, evaluated once):
          1  0 s  threw offline
        It failed at the first check. Set up the state first.
        """
    ) {
      await simulated {
        await always(during: .seconds(5)) { throw Trouble.offline }
      }
    },
    FailureCase(
      "always, but it does not begin in time", at: #line + 9, needs: .capture,
      reads: """
        always expected its condition to be true for 5 s, but after 2 s it was false.
        So far (now: 2 s, asked: 2 s, evaluated 5 times):
          1  0 s  false x5
        It has been so since the first check. Start the code that changes it, or give it more time with within:.
        """
    ) {
      await simulated {
        await always(during: .seconds(5), within: .seconds(2)) { false }
      }
    },
    FailureCase(
      "never, but once", at: #line + 11, needs: .capture,
      reads: """
        never expected its condition to be false for 5 s, but after 3 s it was true.
        So far (now: 3 s, evaluated 7 times):
          1  0 s  false x6
          2  3 s  true
        The code that ran last before that has changed it; a recorder shows the order.
        """
    ) {
      await simulated {
        let task = Task { try await Task.sleep(for: .seconds(3)) }
        await never(during: .seconds(5)) { Simulation.current!.now == .seconds(3) }
        try await task.value
      }
    },
    FailureCase(
      "never on a scheduler, but once", at: #line + 12,
      reads: """
        never expected its condition to be false for 10 s, but after 5 s it was true.
        So far (now: 5 s, evaluated 3 times):
          1  0 s  false x2
          2  5 s  true
        The code that ran last before that has changed it; a recorder shows the order.
        """
    ) {
      synchronously {
        let scheduler = TestScheduler(allowsPendingWork: true)
        scheduler.schedule(after: .seconds(1), every: .seconds(4)) {}
        never(during: .seconds(10), advancing: scheduler) { scheduler.now == .seconds(5) }
      }
    },
    FailureCase(
      "always, but the waiting task is cancelled", at: #line + 8,
      reads: """
        always expected its condition to be true for 5 s, but the waiting task was cancelled first.
        So far (now: 0 s, evaluated once):
          1  0 s  true
        Usually a time limit of the test, or the test itself, cancels the task that waits. Wait in a task that nobody cancels, or find out what takes so long.
        """
    ) {
      await simulated { await cancelled { await always(during: .seconds(5)) { true } } }
    },
    FailureCase(
      "never, until it throws", at: #line + 8,
      reads: """
        never expected its condition to be false for 5 s, but after 0 s it threw offline.
        So far (now: 0 s, evaluated once):
          1  0 s  threw offline
        It failed at the first check. Set up the state first.
        """
    ) {
      await simulated { await never(during: .seconds(5)) { throw Trouble.offline } }
    },
    FailureCase(
      "never, but the waiting task is cancelled", at: #line + 8,
      reads: """
        never expected its condition to be false for 5 s, but the waiting task was cancelled first.
        So far (now: 0 s, evaluated once):
          1  0 s  false
        Usually a time limit of the test, or the test itself, cancels the task that waits. Wait in a task that nobody cancels, or find out what takes so long.
        """
    ) {
      await simulated { await cancelled { await never(during: .seconds(5)) { false } } }
    },
  ]
}
