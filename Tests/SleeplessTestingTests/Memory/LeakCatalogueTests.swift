import SleeplessTesting
import Testing
import XCTest

extension LeakSuites {
  @Suite(.serialized) struct LeakCatalogueTests {
    @Test(arguments: Leak.all)
    func `M4 a failure names the path that keeps the object alive`(leak: Leak) async throws {
      if !leak.isKnown { try leak.need?.orCancel() }
      let failures = await failures { await leak.provoke() }
      #expect(failures.map(\.withoutTasks) == [leak.failure])
    }

    @Test(arguments: Leak.all)
    func `an object that is released in time is no failure`(leak: Leak) async {
      for _ in 0..<Leak.rounds { await leak.healthy() }
    }
  }
}

final class LeakCatalogueXCTests: FailureCatchingTestCase {
  func testTheSameTextsInXCTest() async {
    for leak in Leak.all where leak.isKnown {
      let failures = await failures { await leak.provoke() }
      XCTAssertEqual(failures.map(\.withoutTasks), [leak.failure], leak.name)
    }
  }

  func testWhatIsReleasedInTimeIsNoFailure() async {
    for leak in Leak.all {
      for _ in 0..<Leak.rounds { await leak.healthy() }
    }
  }
}
