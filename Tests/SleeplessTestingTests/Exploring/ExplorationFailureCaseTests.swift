import SleeplessTesting
import Testing
import XCTest

@Suite struct ExplorationFailureCaseTests {
  @Test(arguments: FailureCase.exploring)
  func `F3 the text says what was expected, what happened and what to do`(failureCase: FailureCase)
    async throws
  {
    try failureCase.skipUnlessItCanRun()
    let failures = await failures { await failureCase.provoke() }
    #expect(failures.map(\.explored) == [failureCase.failure.explored])
  }
}

final class ExplorationFailureCaseXCTests: FailureCatchingTestCase {
  func testF3TheTextSaysWhatWasExpectedWhatHappenedAndWhatToDo() async {
    for failureCase in FailureCase.exploring where failureCase.canRun {
      let failures = await failures { await failureCase.provoke() }
      XCTAssertEqual(failures.map(\.explored), [failureCase.failure.explored], failureCase.name)
    }
  }
}
