import SleeplessTesting
import TestSupport
import Testing
import XCTest

@Suite struct SimulationMishapTests {
  @Test(arguments: Mishap.simulating)
  func `F3 the text says what was expected, what happened and what to do`(mishap: Mishap) async {
    let failures = await failures { await mishap.provoke() }
    #expect(failures.map(\.withoutFunctions) == [mishap.failure])
  }

  #if os(Linux)
    // In a process of its own, where nobody else needs the main actor.
    @Test(.oneProcess, .timeLimit(.minutes(10)))
    func `F3 a main actor that is blocked is told`() async {
      await #expect(processExitsWith: .success) {
        let mishap = Mishap.aBlockedMainActor
        let failures = await failures { await mishap.provoke() }
        #expect(failures.map(\.withoutFunctions) == [mishap.failure])
      }
    }

    @Test(.oneProcess)
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

final class SimulationMishapXCTests: FailureTestCase {
  func testF3TheTextSaysWhatWasExpectedWhatHappenedAndWhatToDo() async {
    await assertFailures(of: Mishap.simulating)
  }

  // XCTest runs one test at a time, and an asynchronous one is not on the main thread.
  func testF3AMainActorThatIsBlockedIsTold() async {
    let mishap = Mishap.aBlockedMainActor
    let failures = await failures { await mishap.provoke() }
    XCTAssertEqual(failures.map(\.withoutFunctions), [mishap.failure])
  }
}
