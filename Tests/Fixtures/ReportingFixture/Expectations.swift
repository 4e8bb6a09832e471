// virtual time: everything here runs in simulations, or does not wait
#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  import Foundation
  import SleeplessTesting
  import XCTest

  /// Waits for XCTest's expectations that fail, each in its own way.
  class ExpectationFailureTests: SimulatedTestCase {
    override var simulationSettings: SimulationSettings { SimulationSettings(stepLimit: 1000) }

    private func afterOneSecond(_ body: @escaping @Sendable () -> Void) {
      Task {
        try await Task.sleep(for: .seconds(1))
        body()
      }
    }

    func testTimesOut() async {
      let never = expectation(description: "never")
      let done = expectation(description: "done")
      afterOneSecond { done.fulfill() }
      await fulfillment(of: [never, done], timeout: 3600)  // MARK: times out
      print("went on at \(Simulation.current?.now ?? .zero)")
    }

    func testTimesOutSynchronously() {
      let never = expectation(description: "never")
      wait(for: [never], timeout: 1.5)  // MARK: times out synchronously
      print("went on at \(Simulation.current?.now ?? .zero)")
    }

    func testWaitForExpectations() {
      expectation(description: "one")
      expectation(description: "other")
      nonisolated(unsafe) let test = self
      MainActor.assumeIsolated {
        test.waitForExpectations(timeout: 0.1) {  // MARK: wait for all
          print("error: \($0 != nil)")
        }
      }
    }

    func testInverted() async {
      let inverted = expectation(description: "inverted")
      inverted.isInverted = true
      afterOneSecond { inverted.fulfill() }  // MARK: inverted
      await fulfillment(of: [inverted], timeout: 3600)
    }

    func testWrongOrder() {
      let first = expectation(description: "first")
      let second = expectation(description: "second")
      afterOneSecond { second.fulfill() }  // MARK: wrong order
      wait(for: [first, second], timeout: 3600, enforceOrder: true)
    }

    func testPredicate() async {
      let never = XCTNSPredicateExpectation(predicate: NSPredicate(value: false), object: nil)
      never.expectationDescription = "predicate"
      await fulfillment(of: [never], timeout: 3600)  // MARK: predicate
    }

    func testNotification() {
      let posted = expectation(forNotification: Notification.Name("never"), object: nil)
      wait(for: [posted], timeout: 3600)  // MARK: notification
    }

    func testInvertedNotification() async {
      let name = Notification.Name("inverted")
      let posted = expectation(forNotification: name, object: nil)
      posted.isInverted = true
      afterOneSecond { NotificationCenter.default.post(name: name, object: nil) }
      await fulfillment(of: [posted], timeout: 3600)
      print("went on at \(Simulation.current?.now ?? .zero)")
    }

    func testOverFulfilled() async {
      let once = expectation(description: "once")
      once.assertForOverFulfill = true
      afterOneSecond {
        once.fulfill()
        once.fulfill()  // MARK: over-fulfilled
      }
      await fulfillment(of: [once], timeout: 3600)
    }

    func testTwoWaits() async {
      let first = expectation(description: "first")
      await fulfillment(of: [first], timeout: 1)  // MARK: first wait
      let second = expectation(description: "second")
      await fulfillment(of: [second], timeout: 2)  // MARK: second wait
    }

    func testNotWaitedFor() {
      expectation(description: "forgotten")  // MARK: not waited for
    }

    func testSpinsInAWait() async {
      let never = expectation(description: "never")
      Task { while !Task.isCancelled { await Task.yield() } }
      await fulfillment(of: [never], timeout: 1)  // MARK: spins in a wait
    }

    func testSpinsInASynchronousWait() {
      let never = expectation(description: "never")
      Task { while !Task.isCancelled { await Task.yield() } }
      wait(for: [never], timeout: 1)  // MARK: spins in a synchronous wait
    }

    func testRecorderWaitsInVain() {
      let states = Recorder<Int, Never>("states")
      _ = try? states.waitForNext()  // MARK: recorder waits in vain
      print("went on at \(Simulation.current?.now ?? .zero)")
    }

    func testGoesOn() async {
      let slept = expectation(description: "slept")
      afterOneSecond { slept.fulfill() }
      await fulfillment(of: [slept], timeout: 3600)
      print("the last test ran to its end")
    }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testTimesOut", asyncTest(testTimesOut)),
          ("testTimesOutSynchronously", testTimesOutSynchronously),
          ("testWaitForExpectations", testWaitForExpectations),
          ("testInverted", asyncTest(testInverted)), ("testWrongOrder", testWrongOrder),
          ("testPredicate", asyncTest(testPredicate)), ("testNotification", testNotification),
          ("testInvertedNotification", asyncTest(testInvertedNotification)),
          ("testOverFulfilled", asyncTest(testOverFulfilled)),
          ("testTwoWaits", asyncTest(testTwoWaits)), ("testNotWaitedFor", testNotWaitedFor),
          ("testSpinsInAWait", asyncTest(testSpinsInAWait)),
          ("testSpinsInASynchronousWait", testSpinsInASynchronousWait),
          ("testRecorderWaitsInVain", testRecorderWaitsInVain),
          ("testGoesOn", asyncTest(testGoesOn)),
        ]), SimulateExpectationFailureTests.cell, RealExpectationFailureTests.cell,
      ]
    }
  }

  /// The same in `simulate`.
  class SimulateExpectationFailureTests: XCTestCase {
    func testSimulateTimesOut() async throws {
      try await simulate {
        let never = self.expectation(description: "never")
        await self.fulfillment(of: [never], timeout: 3600)  // MARK: times out in simulate
      }
    }

    static var cell: XCTestCaseEntry {
      testCase([("testSimulateTimesOut", asyncTest(testSimulateTimesOut))])
    }
  }

  /// A wait in real time, which has failed before it begins.
  class RealExpectationFailureTests: XCTestCase {
    func testInvertedNotification() {
      let name = Notification.Name("inverted")
      let posted = expectation(forNotification: name, object: nil)
      posted.isInverted = true
      NotificationCenter.default.post(name: name, object: nil)
      wait(for: [posted], timeout: 1)
    }

    static var cell: XCTestCaseEntry {
      testCase([("testInvertedNotification", testInvertedNotification)])
    }
  }
#endif
