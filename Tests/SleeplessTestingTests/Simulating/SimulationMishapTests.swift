import SleeplessTesting
import Testing
import XCTest

@Suite struct SimulationMishapTests {
  @Test(arguments: Mishap.simulating)
  func `F3 the text says what was expected, what happened and what to do`(mishap: Mishap) async {
    let failures = await failures { await mishap.provoke() }
    #expect(failures.map(\.withoutFunctions) == [mishap.failure])
  }
}

final class SimulationMishapXCTests: FailureTestCase {
  func testF3TheTextSaysWhatWasExpectedWhatHappenedAndWhatToDo() async {
    for mishap in Mishap.simulating {
      let failures = await failures { await mishap.provoke() }
      XCTAssertEqual(failures.map(\.withoutFunctions), [mishap.failure], mishap.name)
    }
  }
}
