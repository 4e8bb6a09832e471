import SleeplessTesting
import VirtualTime

extension FailureCase {
  /// Sleepers that never fall asleep, or never wake.
  static let ofSleeping = [
    FailureCase(
      "a wait for no sleepers", at: #line + 2,
      reads: "The number of sleepers must be at least 1 (was 0)."
    ) { await TestClock().waitForSleepers(0) },
    FailureCase(
      "sleepers that do not come", at: #line + 12,
      reads: """
        Expected 2 tasks asleep on the clock, saw 1: 1 ms of real time went by without it. \
        Pending (now: 0 s):
          at 1 s: "one", FailureCase+Sleeping.swift:\(#line + 5)
        Was the code under test started? Does it sleep on this clock? A task that has \
        something else to wait for does not count.
        """
    ) {
      let clock = TestClock()
      let task = Task(name: "one") { try await clock.sleep(for: .seconds(1)) }
      await clock.waitForSleepers()
      await HangTimeout.$shortened.withValue(.milliseconds(1)) { await clock.waitForSleepers(2) }
      task.cancel()
      _ = await task.result
    },
    FailureCase(
      "a wait for sleepers in a cancelled task", at: #line + 11,
      reads: """
        Expected 2 tasks asleep on the clock, saw 0: the waiting task was cancelled first. \
        Pending (now: 0 s):
          nothing
        Was the code under test started? Does it sleep on this clock? A task that has \
        something else to wait for does not count.
        """
    ) {
      await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await TestClock().waitForSleepers(2)
      }.value
    },
    FailureCase(
      "a loop of empty sleeps", at: spinLine,
      reads: emptySleeps(line: #line + 1)
    ) { await spin(on: TestClock(stepLimit: 5)) },
    FailureCase(
      "a loop of empty sleeps that is as fast as the advance", at: spinLine,
      reads: emptySleeps(line: #line + 1)
    ) { await spin(on: TestClock(stepLimit: 5), executor: InlineExecutor()) },
    FailureCase(
      "a run with a loop of sleeps", at: #line + 15,
      reads: """
        run() did not come to an end: 5 pieces of work that were scheduled on the way have run, \
        and more keep coming. Next would be:
          at 6 s: "poller", FailureCase+Sleeping.swift:\(#line + 6)
        This is usually a timer or a loop of sleeps that is never cancelled, or work that schedules itself again. \
        Cancel it first, or go a certain way with advance(by:), or make the scheduler with a higher stepLimit \
        (is 5).
        """
    ) {
      let clock = TestClock(stepLimit: 5)
      let task = Task(name: "poller") {
        while true { try await clock.sleep(for: .seconds(1)) }
      }
      await clock.waitForSleepers()
      await clock.run()
      task.cancel()
      _ = await task.result
    },
  ]

  private static func emptySleeps(line: Int) -> String {
    """
    advance(by: 2 s) did not come to an end: 5 pieces of work that were scheduled on the way have run at one \
    instant, and more keep coming. Next would be:
      at 1 s: "spinner", FailureCase+Sleeping.swift:\(line)
    This is usually a timer or a loop of sleeps that is never cancelled, or work that schedules itself again. \
    Give it a delay or an end, or make the scheduler with a higher stepLimit (is 5).
    """
  }

  private static let spinLine = #line + 8

  private static func spin(on clock: TestClock, executor: (any TaskExecutor)? = nil) async {
    let task = Task(name: "spinner", executorPreference: executor) {
      try await clock.sleep(for: .seconds(1))
      while true { try await clock.sleep(for: .zero) }
    }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(2))
    task.cancel()
    _ = await task.result
  }
}
