// virtual time: what sleeps here does so in simulations, or is cancelled
#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  import Foundation
  import Sleepless
  import SleeplessTesting
  import XCTest

  // The tests of FailureMessages.md that fail under XCTest: `ReportingFixture xctest gallery`.

  final class NumbersTests: XCTestCase {
    func testNumbersCome() {
      let numbers = Recorder<Int, Never>("numbers")
      _ = try? numbers.waitForElements()
    }
  }

  final class QueueTests: XCTestCase {
    func testAQueueSettles() {
      let settled = expectation(description: "settled")
      DispatchQueue.global().async {
        settle()
        settled.fulfill()
      }
      wait(for: [settled], timeout: 5)
    }
  }

  final class SharedRecorderTests: XCTestCase {
    static let states = Recorder<String, Never>("states")

    func testFirst() throws {
      Self.states.record("loading")
      XCTAssertEqual(try Self.states.next(), "loading")
    }

    func testSecond() async {
      await Self.states.expect("loaded")
    }
  }

  final class ServerTests: SimulatedTestCase {
    func testTheServerDoesNotAnswer() {
      Task {
        try await Simulation.outside { try await Task.sleep(for: .seconds(3600)) }
      }
      settle()
    }
  }

  final class MainThreadTests: XCTestCase {
    func testTheMainThreadWaits() {
      let simulated = DispatchSemaphore(value: 0)
      Task.detached {
        try? await simulate { await MainActor.run {} }
        simulated.signal()
      }
      simulated.wait()
    }
  }

  final class LockTests: SimulatedTestCase {
    func testALockIsHeldWhileTasksRun() {
      let lock = NSLock()
      lock.lock()
      Task { lock.withLock {} }
      settle()
      lock.unlock()
    }

    /// The test does not end, so its failure ends the process.
    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      super.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      exit(1)
    }
  }

  final class EmptyCartTests: SimulatedTestCase {
    func testTheCartIsEmpty() {}
  }

  extension FixtureScenario {
    static var gallery: [XCTestCaseEntry] {
      [
        testCase([("testNumbersCome", NumbersTests.testNumbersCome)]),
        testCase([("testAQueueSettles", QueueTests.testAQueueSettles)]),
        testCase([
          ("testFirst", SharedRecorderTests.testFirst),
          ("testSecond", asyncTest(SharedRecorderTests.testSecond)),
        ]),
        testCase([("testTheServerDoesNotAnswer", ServerTests.testTheServerDoesNotAnswer)]),
        testCase([("testTheMainThreadWaits", MainThreadTests.testTheMainThreadWaits)]),
      ]
    }

    static var galleryLock: [XCTestCaseEntry] {
      [testCase([("testALockIsHeldWhileTasksRun", LockTests.testALockIsHeldWhileTasksRun)])]
    }

    static var galleryUncaptured: [XCTestCaseEntry] {
      [testCase([("testTheCartIsEmpty", EmptyCartTests.testTheCartIsEmpty)])]
    }
  }
#endif
