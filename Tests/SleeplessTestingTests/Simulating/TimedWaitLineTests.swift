// virtual time: everything here runs in simulations
import Dispatch
import SleeplessTesting
import TestSupport
import XCTest

// Not in release: there the test's function may be part of its caller's.
#if os(Linux) && !SLEEPLESS_AS_ON_APPLE && DEBUG
  /// The line of the failure when a test's own code waits with a timeout and the simulation first reaches its step limit.
  final class TimedWaitLineTests: SimulatedTestCase {
    private let semaphore = DispatchSemaphore(value: 0)
    private let group = DispatchGroup()
    private let item = DispatchWorkItem {}
    /// The line of the expected failure; nil before it.
    private var line: Int?

    override var simulationSettings: SimulationSettings { SimulationSettings(stepLimit: 1_000) }

    override func setUpWithError() throws {
      group.enter()
      for need in [Need.queues, .blockingCalls, .clocks] { try need.orSkip() }
      Task { while !Task.isCancelled { await Task.yield() } }
    }

    override func tearDown() { group.leave() }

    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      if line == nil, filePath == #filePath, description.contains("1000 steps") {
        line = lineNumber
      } else {
        super.recordFailure(
          withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      }
    }

    func testSemaphore() {
      _ = semaphore.wait(timeout: .now() + 0.01)
      XCTAssertEqual(line, #line - 1)
    }

    func testSemaphoreWithAWallTimeout() {
      _ = semaphore.wait(wallTimeout: .now() + 0.01)
      XCTAssertEqual(line, #line - 1)
    }

    func testGroup() {
      _ = group.wait(timeout: .now() + 0.01)
      XCTAssertEqual(line, #line - 1)
    }

    func testGroupWithAWallTimeout() {
      _ = group.wait(wallTimeout: .now() + 0.01)
      XCTAssertEqual(line, #line - 1)
    }

    func testWorkItem() {
      _ = item.wait(timeout: .now() + 0.01)
      XCTAssertEqual(line, #line - 1)
    }

    func testWorkItemWithAWallTimeout() {
      _ = item.wait(wallTimeout: .now() + 0.01)
      XCTAssertEqual(line, #line - 1)
    }

    /// The failure is at the test's line, not in the function that the test calls.
    func testWaitInAnotherFunction() {
      waitForSemaphore()
      XCTAssertEqual(line, #line - 1)
    }

    private func waitForSemaphore() { _ = semaphore.wait(timeout: .now() + 0.01) }
  }
#endif
