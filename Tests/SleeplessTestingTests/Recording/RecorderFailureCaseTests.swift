import SleeplessTesting
import Testing
import XCTest

@Suite struct RecorderFailureCaseTests {
  @Test(arguments: FailureCase.recording)
  func `F3 a recorder's failure says what came, when, and what to do`(failureCase: FailureCase)
    async
  {
    let failures = await failures { await failureCase.provoke() }
    #expect(failureCase.failures(failures) == [failureCase.failure])
  }
}

final class RecorderFailureCaseXCTests: FailureCatchingTestCase {
  func testF3ARecordersFailureSaysWhatCameWhenAndWhatToDo() async {
    for failureCase in FailureCase.recording {
      let failures = await failures { await withEndOfTest { await failureCase.provoke() } }
      XCTAssertEqual(failureCase.failures(failures), [failureCase.failure], failureCase.name)
    }
  }
}

extension FailureCase {
  static var recording: [FailureCase] { reading + whole + endOfTest + comparing + assertState }
}
