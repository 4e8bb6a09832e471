import ExampleApp
import SleeplessTesting
import TestSupport
import XCTest

final class RetryXCTests: XCTestCase {
  func testAnOperationThatSucceedsAtOnceIsNotRepeated() async throws {
    let clock = TestClock()
    let server = FlakyServer(clock: clock, failures: 0)
    let answer = try await retry(clock: clock) { try await server.fetch() }
    let attempts = await server.attempts
    XCTAssertEqual(answer, "answer 1")
    XCTAssertEqual(attempts, [.zero])
  }

  func testTheWaitDoublesAfterEachFailure() async throws {
    try Need.capture.orSkip()
    let clock = TestClock()
    let server = FlakyServer(clock: clock, failures: 3)
    let task = Task { try await retry(clock: clock) { try await server.fetch() } }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(7))
    let answer = try await task.value
    let attempts = await server.attempts
    XCTAssertEqual(answer, "answer 4")
    XCTAssertEqual(attempts, [.seconds(0), .seconds(1), .seconds(3), .seconds(7)])
  }

  func testTheNextAttemptDoesNotComeEarly() async {
    let clock = TestClock()
    let server = FlakyServer(clock: clock, failures: 1)
    let task = Task { try await retry(clock: clock) { try await server.fetch() } }
    await clock.waitForSleepers()
    await clock.advance(by: .milliseconds(999))
    let attempts = await server.attempts
    XCTAssertEqual(attempts, [.zero])
    XCTAssertEqual(clock.sleepers.map(\.deadline), [.seconds(1)])
    task.cancel()
  }

  func testAfterTheLastAttemptTheLastErrorIsThrown() async throws {
    try Need.capture.orSkip()
    let clock = TestClock()
    let server = FlakyServer(clock: clock, failures: .max)
    let task = Task { try await retry(upTo: 3, clock: clock) { try await server.fetch() } }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(60))
    let result = await task.result
    XCTAssertThrowsError(try result.get()) {
      XCTAssertEqual($0 as? FlakyServer.Down, FlakyServer.Down(attempt: 3))
    }
    XCTAssertTrue(clock.sleepers.isEmpty)
  }

  func testCancellingDuringTheWaitEndsTheWaitAtOnce() async {
    let clock = TestClock()
    let server = FlakyServer(clock: clock, failures: .max)
    let task = Task { try await retry(clock: clock) { try await server.fetch() } }
    await clock.waitForSleepers()
    task.cancel()
    let result = await task.result
    let attempts = await server.attempts
    XCTAssertThrowsError(try result.get()) { XCTAssert($0 is CancellationError) }
    XCTAssertEqual(attempts, [.zero])
    XCTAssertTrue(clock.sleepers.isEmpty)
  }
}
