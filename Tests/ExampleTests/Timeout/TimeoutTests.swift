import ExampleApp
import SleeplessTesting
import Testing

@Suite struct TimeoutTests {
  let clock = TestClock()

  @Test func `an operation in time gives its result and leaves no sleeper`() async throws {
    let task = timed(.seconds(3))
    await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(3))
    #expect(try await task.value == "done")
    #expect(clock.sleepers.isEmpty)
  }

  @Test func `an operation that is too slow is cancelled and leaves no sleeper`() async {
    let task = timed(.seconds(60))
    await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(5))
    await #expect(throws: TimedOut.self) { try await task.value }
    #expect(clock.sleepers.isEmpty)
  }

  @Test func `the timeout does not come early`() async {
    let task = timed(.seconds(60))
    await clock.waitForSleepers(2)
    await clock.advance(by: .milliseconds(4999))
    #expect(clock.sleepers.map(\.deadline) == [.seconds(5), .seconds(60)])
    task.cancel()
  }

  @Test func `an error of the operation is thrown and leaves no sleeper`() async {
    struct Broken: Error {}
    await #expect(throws: Broken.self) {
      try await withTimeout(after: .seconds(5), clock: clock) { throw Broken() }
    }
    #expect(clock.sleepers.isEmpty)
  }

  @Test func `cancelling cancels the operation and leaves no sleeper`() async {
    let task = timed(.seconds(3))
    await clock.waitForSleepers(2)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleepers.isEmpty)
  }

  /// Runs an operation of a given duration with a time limit of five seconds.
  private func timed(_ duration: Duration) -> Task<String, any Error> {
    Task { [clock] in
      try await withTimeout(after: .seconds(5), clock: clock) {
        try await clock.sleep(for: duration)
        return "done"
      }
    }
  }
}
