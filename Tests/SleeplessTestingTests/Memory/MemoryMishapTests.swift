import SleeplessTesting
import Testing
import XCTest

@Suite struct MemoryMishapTests {
  @Test(arguments: Mishap.memory)
  func `M1 a check that watches nothing fails`(mishap: Mishap) async {
    let failures = await failures { await mishap.provoke() }
    #expect(failures == [mishap.failure])
  }

  @Test func `M1 a check whose end nobody knows fails`() async {
    let mishap = Mishap.memoryWithoutEnd
    let failures = await failures { await mishap.provoke() }
    #expect(failures == [mishap.failure])
  }
}

final class MemoryMishapXCTests: FailureTestCase {
  func testTheSameTextsInXCTest() async {
    for mishap in Mishap.memory + [Mishap.memoryWithLostEnd] {
      let failures = await failures { await mishap.provoke() }
      XCTAssertEqual(failures, [mishap.failure], mishap.name)
    }
  }
}
