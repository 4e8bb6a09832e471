import SleeplessTesting
import Testing
import XCTest

@Suite struct MemoryFailureCaseTests {
  @Test(arguments: FailureCase.memory)
  func `M1 a check that watches nothing fails`(failureCase: FailureCase) async throws {
    try failureCase.skipUnlessItCanRun()
    let failures = await failures { await failureCase.provoke() }
    #expect(failures == [failureCase.failure])
  }

  @Test func `M1 a check whose end is unknown fails`() async {
    let failureCase = FailureCase.memoryWithoutEnd
    let failures = await failures { await failureCase.provoke() }
    #expect(failures == [failureCase.failure])
  }
}

final class MemoryFailureCaseXCTests: FailureCatchingTestCase {
  func testTheSameTextsInXCTest() async {
    for failureCase in FailureCase.memory + [FailureCase.memoryWithLostEnd] where failureCase.canRun
    {
      let failures = await failures { await failureCase.provoke() }
      XCTAssertEqual(failures, [failureCase.failure], failureCase.name)
    }
  }
}
