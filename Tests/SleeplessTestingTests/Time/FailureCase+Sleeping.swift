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
      "a loop of empty sleeps", at: #line + 2,
      reads: emptySleeps(line: #line + 1)
    ) { await spin(on: TestClock(stepLimit: 5)) },
    FailureCase(
      "a loop of empty sleeps that is as fast as the advance", at: #line + 2,
      reads: emptySleeps(line: #line + 1)
    ) { await spin(on: TestClock(stepLimit: 5), executor: InlineExecutor()) },
  ]

  private static func emptySleeps(line: Int) -> String {
    """
    A task woken by an advance slept 5 times without its time moving on:
      at 2 s: "spinner", FailureCase+Sleeping.swift:\(line)
    This is usually a loop of sleeps of zero length. It now sleeps until the next advance. Give \
    the loop a delay or an end, or make the clock with a higher stepLimit.
    """
  }

  private static func spin(on clock: TestClock, executor: (any TaskExecutor)? = nil) async {
    let task = Task(name: "spinner", executorPreference: executor) {
      try await clock.sleep(for: .seconds(1))
      while true { try await clock.sleep(for: .zero) }
    }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(2))
    await clock.waitForSleepers()
    task.cancel()
    _ = await task.result
  }
}
