import SleeplessTesting
import Testing
import TestSupport
import VirtualTime
import XCTest

@Suite struct AssertionFailureCaseTests {
  @Test(arguments: FailureCase.asserting)
  func `F3 an assertion that waits says what was expected, what came and when`(
    failureCase: FailureCase
  ) async throws {
    try failureCase.skipUnlessItCanRun()
    let failures = await failures { await failureCase.provoke() }
    #expect(failureCase.failures(failures).map(\.withoutFunctions) == [failureCase.failure])
  }
}

@Suite struct AssertionGuardTests {
  @Test(arguments: FailureCase.timeoutRunningOut)
  func `W2 after its timeout the assertion says what it waited for`(failureCase: FailureCase)
    async
  {
    let failures = await failures { await failureCase.provoke() }
    #expect(failureCase.failures(failures) == [failureCase.failure])
  }
}

final class AssertionFailureCaseXCTests: FailureCatchingTestCase {
  func testF3AnAssertionThatWaitsSaysWhatWasExpectedWhatCameAndWhen() async {
    await assertFailures(of: FailureCase.asserting)
  }
}

final class AssertionGuardXCTests: FailureCatchingTestCase {
  func testW2WhenTheGuardRunsOutTheAssertionSaysWhatItWaitedFor() async {
    await assertFailures(of: FailureCase.timeoutRunningOut)
  }
}

// Apart from the other cases, whose tasks would be listed as well.

@Suite struct UnrestTests {
  @Test(.needs(.capture)) func `F3 asyncAssert lists the tasks still running, and does not assert`()
    async
  {
    let log = Log<Int>()
    let sleeping = Task(name: "poller") {
      // real time: it is cancelled
      try await Task.sleep(for: .seconds(1000))
    }
    let line = #line + 3
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(50)) {
        await asyncAssert("the names are shown") { log.append(1) }
      }
    }
    sleeping.cancel()
    #expect(failures == [Failure(unrest, line: line)])
    #expect(log.values == [])
  }

  @Test @MainActor func `F3 a synchronous test must not hold the main actor while it waits`() {
    let log = Log<Int>()
    let line = #line + 1
    let failures = failures { asyncAssert("the names are shown") { log.append(1) } }
    #expect(
      failures == [
        Failure(
          """
          asyncAssert "the names are shown" was called without await by a test of Swift Testing on the \
          main actor: it would hold the main actor while it waits, and nothing could run there. The \
          assertions were not run.
          Make the test async and write await.
          """, line: line)
      ])
    #expect(log.values == [])
  }
}

final class UnrestXCTests: FailureCatchingTestCase {
  func testF3AsyncAssertListsTheTasksStillRunningAndDoesNotAssert() async throws {
    try Need.capture.orSkip()
    let log = Log<Int>()
    let sleeping = Task(name: "poller") {
      // real time: it is cancelled
      try await Task.sleep(for: .seconds(1000))
    }
    let line = #line + 3
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(50)) {
        await asyncAssert("the names are shown") { log.append(1) }
      }
    }
    sleeping.cancel()
    // XCTest itself may have started some before.
    let texts = failures.map { $0.text.replacing(#/task \d+ /#, with: "task 1 ") }
    XCTAssertEqual(texts, [unrest])
    XCTAssertEqual(failures.map(\.line), [line])
    XCTAssertEqual(log.values, [])
  }
}

private let unrest = """
  asyncAssert "the names are shown" waited 50 ms of real time, but the test's tasks have not come \
  to rest. Unfinished:
    task 1 "poller": asleep
  The assertions were not run. This is usually a loop that sleeps and that is never cancelled, or a long \
  sleep. In a simulation (.simulated, SimulatedTestCase) sleeping takes no time.
  """
