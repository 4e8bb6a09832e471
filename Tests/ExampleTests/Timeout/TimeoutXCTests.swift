import ExampleApp
import SleeplessTesting
import XCTest

final class TimeoutXCTests: XCTestCase {
  func testAnOperationInTimeGivesItsResultAndLeavesNoSleeper() async throws {
    let clock = TestClock()
    let task = timed(.seconds(3), on: clock)
    await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(3))
    let value = try await task.value
    XCTAssertEqual(value, "done")
    XCTAssertTrue(clock.sleepers.isEmpty)
  }

  func testAnOperationThatIsTooSlowIsCancelledAndLeavesNoSleeper() async {
    let clock = TestClock()
    let task = timed(.seconds(60), on: clock)
    await clock.waitForSleepers(2)
    await clock.advance(by: .seconds(5))
    let result = await task.result
    XCTAssertThrowsError(try result.get()) { XCTAssert($0 is TimedOut) }
    XCTAssertTrue(clock.sleepers.isEmpty)
  }

  func testTheTimeoutDoesNotComeEarly() async {
    let clock = TestClock()
    let task = timed(.seconds(60), on: clock)
    await clock.waitForSleepers(2)
    await clock.advance(by: .milliseconds(4999))
    XCTAssertEqual(clock.sleepers.map(\.deadline), [.seconds(5), .seconds(60)])
    task.cancel()
  }

  func testAnErrorOfTheOperationIsThrownAndLeavesNoSleeper() async {
    struct Broken: Error {}
    let clock = TestClock()
    do {
      try await withTimeout(after: .seconds(5), clock: clock) { throw Broken() }
      XCTFail("Expected Broken to be thrown")
    } catch {
      XCTAssert(error is Broken)
    }
    XCTAssertTrue(clock.sleepers.isEmpty)
  }

  func testCancellingCancelsTheOperationAndLeavesNoSleeper() async {
    let clock = TestClock()
    let task = timed(.seconds(3), on: clock)
    await clock.waitForSleepers(2)
    task.cancel()
    let result = await task.result
    XCTAssertThrowsError(try result.get()) { XCTAssert($0 is CancellationError) }
    XCTAssertTrue(clock.sleepers.isEmpty)
  }

  /// Runs an operation of a given duration with a time limit of five seconds.
  private func timed(_ duration: Duration, on clock: TestClock) -> Task<String, any Error> {
    Task {
      try await withTimeout(after: .seconds(5), clock: clock) {
        try await clock.sleep(for: duration)
        return "done"
      }
    }
  }
}
