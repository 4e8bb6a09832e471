import SleeplessTesting
import Testing
import XCTest

extension LeakSuites {
  @Suite(.serialized) struct LeakCatalogueTests {
    @Test(arguments: Leak.all)
    func `M4 a failure names the path that keeps the object alive`(leak: Leak) async throws {
      if !leak.isKnown { try leak.need?.orCancel() }
      let expected = leak.failure
      let found = await leak.failures(expected: expected) { await failures(of: $0) }
      #expect(found == [expected])
    }

    @Test(arguments: Leak.all)
    func `an object that is released in time is no failure`(leak: Leak) async {
      for _ in 0..<Leak.rounds { await leak.healthy() }
    }
  }
}

final class LeakCatalogueXCTests: FailureCatchingTestCase {
  func testTheSameTextsInXCTest() async {
    for leak in Leak.ofFurtherForms where leak.isKnown {
      let expected = leak.failure
      let found = await leak.failures(expected: expected) { await failures(of: $0) }
      XCTAssertEqual(found, [expected], leak.name)
    }
  }

  func testWhatIsReleasedInTimeIsNoFailure() async {
    for leak in Leak.ofFurtherForms {
      for _ in 0..<Leak.rounds { await leak.healthy() }
    }
  }
}
