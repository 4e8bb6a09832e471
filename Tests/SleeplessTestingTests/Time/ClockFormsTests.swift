import SleeplessTesting
import Testing
import TestSupport
import VirtualTime
import XCTest

@Suite struct ClockFormsTests {
  @Test func `a clock can begin at an instant`() async throws {
    let clock = TestClock(now: VirtualInstant(offset: .seconds(5)))
    #expect(clock.now.offset == .seconds(5))
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    #expect(clock.sleepers.map(\.deadline) == [.seconds(6)])
    await clock.run()
    try await task.value
    await clock.expectNoSleepers()
  }

  @Test(.needs(.capture))
  func `a task that has just been started is a sleeper, too`() async {
    let failures = await failures {
      let clock = TestClock()
      let task = Task { try await clock.sleep(for: .seconds(1)) }
      await clock.expectNoSleepers()
      task.cancel()
      _ = await task.result
    }
    #expect(failures.count == 1)
  }

  @Test func `F3 a task that is asleep where none should be is named`() async {
    let line = #line + 2
    let failures = await failures {
      await expectNoSleepers(on: TestClock())
    }
    #expect(failures == [asleep(clock: line)])
  }
}

final class ClockFormsXCTests: FailureCatchingTestCase {
  func testF3ATaskThatIsAsleepWhereNoneShouldBeIsNamed() async {
    let line = #line + 2
    let failures = await failures {
      await expectNoSleepers(on: TestClock())
    }
    XCTAssertEqual(failures, [asleep(clock: line)])
  }
}

/// Lets a task sleep, and expects that none does.
private func expectNoSleepers(on clock: TestClock) async {
  let task = Task(name: "poller") { try await clock.sleep(for: .seconds(1)) }
  await clock.waitForSleepers()
  await clock.expectNoSleepers()
  task.cancel()
  _ = await task.result
}

private let expectationLine = #line - 5

private func asleep(clock line: Int) -> Failure {
  Failure(FailureText.aSleeper(line: line), line: expectationLine)
}
