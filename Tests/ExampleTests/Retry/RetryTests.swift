import ExampleApp
import SleeplessTesting
import TestSupport
import Testing

@Suite struct RetryTests {
  let clock = TestClock()

  @Test func `an operation that succeeds at once is not repeated`() async throws {
    let server = FlakyServer(clock: clock, failures: 0)
    let answer = try await retry(clock: clock) { try await server.fetch() }
    #expect(answer == "answer 1")
    #expect(await server.attempts == [.zero])
  }

  @Test(.needs(.capture)) func `the wait doubles after each failure`() async throws {
    let server = FlakyServer(clock: clock, failures: 3)
    let task = Task { [clock] in try await retry(clock: clock) { try await server.fetch() } }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(7))
    #expect(try await task.value == "answer 4")
    #expect(await server.attempts == [.seconds(0), .seconds(1), .seconds(3), .seconds(7)])
  }

  @Test func `the next attempt does not come early`() async {
    let server = FlakyServer(clock: clock, failures: 1)
    let task = Task { [clock] in try await retry(clock: clock) { try await server.fetch() } }
    await clock.waitForSleepers()
    await clock.advance(by: .milliseconds(999))
    #expect(await server.attempts == [.zero])
    #expect(clock.sleepers.map(\.deadline) == [.seconds(1)])
    task.cancel()
  }

  @Test(.needs(.capture)) func `after the last attempt the last error is thrown`() async {
    let server = FlakyServer(clock: clock, failures: .max)
    let task = Task { [clock] in
      try await retry(upTo: 3, clock: clock) { try await server.fetch() }
    }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(60))
    await #expect(throws: FlakyServer.Down(attempt: 3)) { try await task.value }
    #expect(clock.sleepers.isEmpty)
  }

  @Test func `cancelling during the wait ends the wait at once`() async {
    let server = FlakyServer(clock: clock, failures: .max)
    let task = Task { [clock] in try await retry(clock: clock) { try await server.fetch() } }
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await server.attempts == [.zero])
    #expect(clock.sleepers.isEmpty)
  }
}
