import SleeplessTesting
import Testing
import XCTest

@Suite struct RecorderMishapTests {
  @Test(arguments: Mishap.recording)
  func `F3 a recorder's failure says what came, when, and what to do`(mishap: Mishap) async {
    let failures = await failures { await mishap.provoke() }
    #expect(mishap.failures(failures) == [mishap.failure])
  }
}

final class RecorderMishapXCTests: FailureTestCase {
  func testF3ARecordersFailureSaysWhatCameWhenAndWhatToDo() async {
    for mishap in Mishap.recording {
      let failures = await failures { await withEndOfTest { await mishap.provoke() } }
      XCTAssertEqual(mishap.failures(failures), [mishap.failure], mishap.name)
    }
  }
}

extension Mishap {
  static var recording: [Mishap] { reading + endOfTest + comparing + assertState }
}
