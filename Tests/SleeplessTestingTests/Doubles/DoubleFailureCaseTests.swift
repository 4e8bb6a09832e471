import SleeplessTesting
import Testing
import XCTest

@Suite struct DoubleFailureCaseTests {
  @Test(arguments: FailureCase.doubles)
  func `F3 a double's failure says what came, when, and what to do`(failureCase: FailureCase) async
  {
    let failures = await failures { await failureCase.provoke() }
    #expect(failureCase.failures(failures) == [failureCase.failure])
  }
}

final class DoubleFailureCaseXCTests: FailureCatchingTestCase {
  func testF3ADoublesFailureSaysWhatCameWhenAndWhatToDo() async {
    for failureCase in FailureCase.doubles {
      let failures = await failures { await withEndOfTest { await failureCase.provoke() } }
      XCTAssertEqual(failureCase.failures(failures), [failureCase.failure], failureCase.name)
    }
  }
}

extension FailureCase {
  static var doubles: [FailureCase] { stubs + gates }
}
