import SleeplessTesting
import Testing
import XCTest

@Suite struct MishapTests {
  @Test(arguments: Mishap.virtualTime)
  func `F3 the text says what was expected, what happened and what to do`(mishap: Mishap) async {
    let failures = await failures { await mishap.provoke() }
    #expect(failures == [mishap.failure])
  }
}

final class MishapXCTests: FailureTestCase {
  func testF3TheTextSaysWhatWasExpectedWhatHappenedAndWhatToDo() async {
    for mishap in Mishap.virtualTime {
      let failures = await failures { await mishap.provoke() }
      XCTAssertEqual(failures, [mishap.failure], mishap.name)
    }
  }
}
