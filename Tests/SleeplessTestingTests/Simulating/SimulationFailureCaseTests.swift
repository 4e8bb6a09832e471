import SleeplessTesting
import TestSupport
import Testing
import XCTest

@Suite struct SimulationFailureCaseTests {
  @Test(arguments: FailureCase.simulating)
  func `F3 the text says what was expected, what happened and what to do`(failureCase: FailureCase)
    async throws
  {
    try failureCase.skipUnlessItCanRun()
    let failures = await failures { await failureCase.provoke() }
    #expect(failures.map(\.withoutFunctions.withoutMissingCapture) == [failureCase.failure])
  }

  #if os(Linux)
    // In a process of its own, where no other test needs the main actor.
    @Test(.needs(.capture), .oneProcess, .timeLimit(.minutes(10)))
    func `F3 a blocked main actor is reported`() async {
      await #expect(processExitsWith: .success) {
        let failureCase = FailureCase.aBlockedMainActor
        let failures = await failures { await failureCase.provoke() }
        #expect(failures.map(\.withoutFunctions) == [failureCase.failure])
      }
    }

    @Test(.needs(.capture), .oneProcess)
    func `a continuation that is resumed twice ends the process and is named`() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try? await simulate { await answerTwice() }
      }
      let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(text.contains("answerTwice() tried to resume its continuation more than once"))
    }
  #endif
}

private func answerTwice() async {
  await withCheckedContinuation { done in
    done.resume()
    done.resume()
  }
}

final class SimulationFailureCaseXCTests: FailureCatchingTestCase {
  func testF3TheTextSaysWhatWasExpectedWhatHappenedAndWhatToDo() async {
    await assertFailures(of: FailureCase.simulating)
  }

  // XCTest runs one test at a time, and an asynchronous one is not on the main thread.
  func testF3AMainActorThatIsBlockedIsTold() async throws {
    try Need.capture.orSkip()
    let failureCase = FailureCase.aBlockedMainActor
    let failures = await failures { await failureCase.provoke() }
    XCTAssertEqual(failures.map(\.withoutFunctions), [failureCase.failure])
  }
}
