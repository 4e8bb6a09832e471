import Sleepless
import SleeplessTesting
import Testing
import TestSupport
import XCTest

// Each leak of the catalogue in each form of a simulated test. `LeakCatalogueTests` has the other forms.

extension LeakSuites {
  @Suite(.serialized, .needs(.capture), .needs(.memorySearch)) struct LeakFormsTests {
    @Test(.simulated, arguments: Leak.ofFurtherForms)
    func `M4 in a simulated test a leak reads as in any other`(leak: Leak) async {
      let expected = leak.failureInSimulation()
      let found = await leak.failures(expected: expected) { await failures(of: $0) }
      #expect(found == [expected])
    }

    // Every tenth in debug builds, too: each failing schedule searches memory, by the code that simulations use.
    @Test(.explored(schedules: 2), arguments: Leak.everyTenth)
    func `M4 in an explored test a leak reads as in any other`(leak: Leak) async {
      let expected = leak.failureInSimulation(moves: 1000)
      let found = await leak.failures(expected: expected) { await failures(of: $0) }
      #expect(found == [expected])
    }

    @Test(.simulated, arguments: Leak.ofFurtherForms)
    func `in a simulated test an object that is released in time is no failure`(leak: Leak) async {
      for _ in 0..<Leak.rounds { await leak.healthy() }
    }

    @Test(.explored(schedules: 10), arguments: Leak.ofFurtherForms)
    func `in an explored test an object that is released in time is no failure`(leak: Leak) async {
      await leak.healthy()
    }
  }
}

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  /// Here all texts are those of other tests.
  final class LeakFormsXCTests: SimulatedTestCase {
    private let caught = Locked<[Failure]>([])

    func testTheSameTextsInASimulatedTestCase() async throws {
      try Need.memorySearch.orSkip()
      for leak in Leak.ofFurtherForms where leak.isKnown {
        let expected = leak.failureInSimulation()
        let found = await leak.failures(expected: expected) { provoke in
          await provoke()
          return caught.withLock { caught in
            defer { caught = [] }
            return caught
          }
        }
        XCTAssertEqual(found, [expected], leak.name)
      }
    }

    func testWhatIsReleasedInTimeIsNoFailureInASimulatedTestCase() async throws {
      for leak in Leak.ofFurtherForms {
        for _ in 0..<Leak.rounds { await leak.healthy() }
      }
      XCTAssertEqual(caught.withLock { $0 }, [])
    }

    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      // The test's own assertions report what they compare.
      guard !description.hasPrefix("XCTAssert") else {
        return super.recordFailure(
          withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      }
      caught.withLock { $0.append(Failure(description, file: filePath, line: lineNumber)) }
    }
  }
#endif
