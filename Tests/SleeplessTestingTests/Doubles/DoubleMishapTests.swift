import SleeplessTesting
import Testing
import XCTest

@Suite struct DoubleMishapTests {
  @Test(arguments: Mishap.doubles)
  func `F3 a double's failure says what came, when, and what to do`(mishap: Mishap) async {
    let failures = await failures { await mishap.provoke() }
    #expect(mishap.failures(failures) == [mishap.failure])
  }
}

final class DoubleMishapXCTests: FailureTestCase {
  func testF3ADoublesFailureSaysWhatCameWhenAndWhatToDo() async {
    for mishap in Mishap.doubles {
      let failures = await failures { await withEndOfTest { await mishap.provoke() } }
      XCTAssertEqual(mishap.failures(failures), [mishap.failure], mishap.name)
    }
  }
}

extension Mishap {
  static var doubles: [Mishap] { stubs + gates }
}
