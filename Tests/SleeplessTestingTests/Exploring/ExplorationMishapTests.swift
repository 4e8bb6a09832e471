import SleeplessTesting
import Testing
import XCTest

@Suite struct ExplorationMishapTests {
  @Test(arguments: Mishap.exploring)
  func `F3 the text says what was expected, what happened and what to do`(mishap: Mishap) async {
    let failures = await failures { await mishap.provoke() }
    #expect(failures.map(\.explored) == [mishap.failure.explored])
  }
}

final class ExplorationMishapXCTests: FailureTestCase {
  func testF3TheTextSaysWhatWasExpectedWhatHappenedAndWhatToDo() async {
    for mishap in Mishap.exploring {
      let failures = await failures { await mishap.provoke() }
      XCTAssertEqual(failures.map(\.explored), [mishap.failure.explored], mishap.name)
    }
  }
}
