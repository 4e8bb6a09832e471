import SleeplessTesting
import Testing
import XCTest

@Suite struct FailureCaseTests {
  @Test(arguments: FailureCase.virtualTime)
  func `F3 the text says what was expected, what happened and what to do`(failureCase: FailureCase)
    async
  {
    let failures = await failures { await failureCase.provoke() }
    #expect(failures.map(\.withoutCaller) == [failureCase.failure])
  }
}

final class FailureCaseXCTests: FailureCatchingTestCase {
  func testF3TheTextSaysWhatWasExpectedWhatHappenedAndWhatToDo() async {
    for failureCase in FailureCase.virtualTime {
      let failures = await failures { await failureCase.provoke() }
      XCTAssertEqual(failures.map(\.withoutCaller), [failureCase.failure], failureCase.name)
    }
  }
}
