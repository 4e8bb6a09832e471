// virtual time: everything here runs in simulations
#if os(Linux) && !SLEEPLESS_AS_ON_APPLE  // elsewhere XCTest waits in real time
  import Dispatch
  import Foundation
  import Sleepless
  import SleeplessTesting
  import TestSupport
  import Testing
  import XCTest

  private let hour = 3600.0

  /// Waits of asynchronous tests.
  final class AsyncExpectationTests: SimulatedTestCase {
    func testS10_AnExpectationIsFulfilledAfterAVirtualHour() async {
      let fulfilled = expectation(description: "an hour has passed")
      Task {
        try await Task.sleep(for: .seconds(3600))
        fulfilled.fulfill()
      }
      await fulfillment(of: [fulfilled], timeout: 2 * hour)
      XCTAssertEqual(Simulation.current?.now, .seconds(3600))
    }

    func testAnExpectationIsFulfilledBeforeTheWait() async {
      let fulfilled = expectation(description: "fulfilled")
      fulfilled.fulfill()
      await fulfillment(of: [fulfilled], timeout: hour)
      XCTAssertEqual(Simulation.current?.now, .zero)
    }

    func testAnInvertedExpectationTakesItsVirtualTimeout() async {
      let inverted = expectation(description: "never")
      inverted.isInverted = true
      Task {
        try await Task.sleep(for: .seconds(7200))
        inverted.fulfill()
      }
      await fulfillment(of: [inverted], timeout: hour)
      XCTAssertEqual(Simulation.current?.now, .seconds(3600))
    }

    func testWaitsInARow() async {
      for round in 1...5 {
        let fulfilled = expectation(description: "fulfilled")
        fulfilled.expectedFulfillmentCount = 3
        Task {
          for _ in 1...3 {
            try await Task.sleep(for: .seconds(1))
            fulfilled.fulfill()
          }
        }
        await fulfillment(of: [fulfilled], timeout: 3.5)
        XCTAssertEqual(Simulation.current?.now, .seconds(3 * round))
      }
    }

    func testWaitsInTasks() async {
      let log = Log<String>()
      let outer = expectation(description: "outer")
      nonisolated(unsafe) let test = self
      Task {
        let inner = test.expectation(description: "inner")
        Task {
          try await Task.sleep(for: .seconds(10))
          log.append("inner")
          inner.fulfill()
        }
        await test.fulfillment(of: [inner], timeout: 20)
        try await Task.sleep(for: .seconds(10))
        log.append("outer")
        outer.fulfill()
      }
      await fulfillment(of: [outer], timeout: 30)
      XCTAssertEqual(log.values, ["inner", "outer"])
      XCTAssertEqual(Simulation.current?.now, .seconds(20))
    }

    @MainActor func testOnTheMainActor() async {
      let fulfilled = expectation(description: "fulfilled")
      Task { @MainActor in
        try await Task.sleep(for: .seconds(60))
        fulfilled.fulfill()
      }
      await fulfillment(of: [fulfilled], timeout: hour)
      MainActor.assertIsolated()
      XCTAssertEqual(Simulation.current?.now, .seconds(60))
    }

    func testEnforcedOrder() async {
      let first = expectation(description: "first")
      let second = expectation(description: "second")
      Task {
        try await Task.sleep(for: .seconds(1))
        first.fulfill()
        try await Task.sleep(for: .seconds(1))
        second.fulfill()
      }
      await fulfillment(of: [first, second], timeout: hour, enforceOrder: true)
      XCTAssertEqual(Simulation.current?.now, .seconds(2))
    }

    func testAPredicate() async {
      let log = Log<Int>()
      let full = expectation(for: NSPredicate { _, _ in log.values.count == 3 }, evaluatedWith: nil)
      Task {
        for second in 1...5 {
          try await Task.sleep(for: .seconds(1))
          log.append(second)
        }
      }
      await fulfillment(of: [full], timeout: hour)
      XCTAssertEqual(log.values, [1, 2, 3])
    }

    func testANotification() async {
      let name = Notification.Name("AsyncExpectationTests")
      let posted = expectation(forNotification: name)
      Task {
        try await Task.sleep(for: .seconds(60))
        NotificationCenter.default.post(name: name, object: nil)
      }
      await fulfillment(of: [posted], timeout: hour)
      XCTAssertEqual(Simulation.current?.now, .seconds(60))
    }

    func testAnInvertedPredicateTakesItsVirtualTimeout() async {
      let log = Log<Int>()
      let full = expectation(for: NSPredicate { _, _ in log.values.count == 3 }, evaluatedWith: nil)
      full.isInverted = true
      Task {
        for number in 1...3 {
          try await Task.sleep(for: .seconds(number < 3 ? 1200 : 3600))
          log.append(number)
        }
      }
      await fulfillment(of: [full], timeout: hour)
      XCTAssertEqual(log.values, [1, 2])
      XCTAssertEqual(Simulation.current?.now, .seconds(3600))
    }

    func testAnInvertedNotificationTakesItsVirtualTimeout() async {
      let name = Notification.Name("AsyncExpectationTests inverted")
      let posted = expectation(forNotification: name)
      posted.isInverted = true
      Task {
        try await Task.sleep(for: .seconds(7200))
        NotificationCenter.default.post(name: name, object: nil)
      }
      await fulfillment(of: [posted], timeout: hour)
      XCTAssertEqual(Simulation.current?.now, .seconds(3600))
    }

    func testCodeOutsideFulfills() async {
      let fulfilled = expectation(description: "fulfilled")
      Thread.detachNewThread { fulfilled.fulfill() }
      await fulfillment(of: [fulfilled], timeout: hour)
    }

    override func tearDown() async throws {
      await SleeplessTesting.settle()
    }
  }

  /// Waits of synchronous tests.
  final class SyncExpectationTests: SimulatedTestCase {
    override func tearDown() async throws { await SleeplessTesting.settle() }

    func testS10_AnExpectationIsFulfilledAfterAVirtualHour() {
      let fulfilled = expectation(description: "an hour has passed")
      Task {
        try await Task.sleep(for: .seconds(3600))
        fulfilled.fulfill()
      }
      wait(for: [fulfilled], timeout: 2 * hour)
      XCTAssertEqual(Simulation.current?.now, .seconds(3600))
    }

    func testAnInvertedExpectationTakesItsVirtualTimeout() {
      let inverted = expectation(description: "never")
      inverted.isInverted = true
      Task {
        try await Task.sleep(for: .seconds(7200))
        inverted.fulfill()
      }
      wait(for: [inverted], timeout: hour)
      XCTAssertEqual(Simulation.current?.now, .seconds(3600))
    }

    func testWaitForExpectations() {
      let log = Log<String>()
      for second in 1...3 {
        let slept = expectation(description: "slept")
        Task {
          try await Task.sleep(for: .seconds(second))
          slept.fulfill()
        }
      }
      nonisolated(unsafe) let test = self
      MainActor.assumeIsolated {
        test.waitForExpectations(timeout: hour) { log.append($0 == nil ? "no error" : "error") }
      }
      XCTAssertEqual(log.values, ["no error"])
      XCTAssertEqual(Simulation.current?.now, .seconds(3))
    }

    func testWaitsInARow() {
      for round in 1...5 {
        let fulfilled = expectation(description: "fulfilled")
        Task { @MainActor in
          try await Task.sleep(for: .seconds(1))
          fulfilled.fulfill()
        }
        wait(for: [fulfilled], timeout: 1.5)
        XCTAssertEqual(Simulation.current?.now, .seconds(round))
      }
    }

    func testAPredicate() {
      let log = Log<Int>()
      let full = expectation(for: NSPredicate { _, _ in log.values.count == 3 }, evaluatedWith: nil)
      Task {
        for second in 1...5 {
          try await Task.sleep(for: .seconds(1))
          log.append(second)
        }
      }
      wait(for: [full], timeout: hour)
      XCTAssertEqual(log.values, [1, 2, 3])
    }

    func testANotification() {
      let name = Notification.Name("SyncExpectationTests")
      let posted = expectation(forNotification: name)
      Task {
        try await Task.sleep(for: .seconds(60))
        NotificationCenter.default.post(name: name, object: nil)
      }
      wait(for: [posted], timeout: hour)
      XCTAssertEqual(Simulation.current?.now, .seconds(60))
    }

    func testAnInvertedPredicateTakesItsVirtualTimeout() {
      let log = Log<Int>()
      let full = expectation(for: NSPredicate { _, _ in log.values.count == 3 }, evaluatedWith: nil)
      full.isInverted = true
      Task {
        for number in 1...3 {
          try await Task.sleep(for: .seconds(number < 3 ? 1200 : 3600))
          log.append(number)
        }
      }
      wait(for: [full], timeout: hour)
      XCTAssertEqual(log.values, [1, 2])
      XCTAssertEqual(Simulation.current?.now, .seconds(3600))
    }

    func testAnInvertedNotificationTakesItsVirtualTimeout() {
      let name = Notification.Name("SyncExpectationTests inverted")
      let posted = expectation(forNotification: name)
      posted.isInverted = true
      Task {
        try await Task.sleep(for: .seconds(7200))
        NotificationCenter.default.post(name: name, object: nil)
      }
      wait(for: [posted], timeout: hour)
      XCTAssertEqual(Simulation.current?.now, .seconds(3600))
    }

    func testCodeOutsideFulfills() {
      let onQueue = expectation(description: "on a queue")
      let onMain = expectation(description: "on the main queue")
      DispatchQueue.global().async { onQueue.fulfill() }
      DispatchQueue.main.async { onMain.fulfill() }
      wait(for: [onQueue, onMain], timeout: hour)
    }

    func testAWaiterReturnsXCTestsResults() {
      let results = (1...3).map { XCTestExpectation(description: "\($0)") }
      results[1].isInverted = true
      Task {
        try await Task.sleep(for: .seconds(1))
        for result in results { result.fulfill() }
      }
      XCTAssertEqual(XCTWaiter.wait(for: [results[0]], timeout: 2), .completed)
      XCTAssertEqual(XCTWaiter().wait(for: [results[1]], timeout: 2), .invertedFulfillment)
      XCTAssertEqual(
        XCTWaiter.wait(for: [XCTestExpectation(description: "never")], timeout: hour), .timedOut)
      XCTAssertEqual(Simulation.current?.now, .seconds(3601))
    }
  }

  /// Waits of tests that are explored.
  final class ExploredExpectationTests: SleeplessTesting.ExploredTestCase {
    /// The virtual times at which the waits of all schedules have ended.
    private static let ends = Locked<[Duration]>([])

    override var explorationSettings: ExplorationSettings { ExplorationSettings(schedules: 20) }

    override func invokeTest() {
      guard canBeSimulated() else { return }
      Self.ends.withLock { $0 = [] }
      super.invokeTest()
      // Of twenty schedules the 1st, 2nd, 4th, 8th and 16th run twice.
      XCTAssertEqual(Self.ends.withLock { $0 }, Array(repeating: .seconds(7200), count: 25))
    }

    func testS10_AnAsynchronousTestWaits() async {
      await fulfillment(of: expectations(), timeout: 2 * hour)
      noteEnd()
    }

    func testS10_ASynchronousTestWaits() {
      wait(for: expectations(), timeout: 2 * hour)
      noteEnd()
    }

    /// One of each kind, fulfilled within an hour, and an inverted one.
    private func expectations() -> [XCTestExpectation] {
      let (log, name) = (Log<Int>(), Notification.Name("ExploredExpectationTests"))
      let both = expectation(description: "both")
      both.expectedFulfillmentCount = 2
      let full = expectation(for: NSPredicate { _, _ in log.values.count == 2 }, evaluatedWith: nil)
      let posted = expectation(forNotification: name)
      let inverted = expectation(description: "never")
      inverted.isInverted = true
      for number in 1...2 {
        Task {
          try await Task.sleep(for: .seconds(3600))
          log.append(number)
          both.fulfill()
          if log.values.count == 2 { NotificationCenter.default.post(name: name, object: nil) }
        }
      }
      return [both, full, posted, inverted]
    }

    private func noteEnd() {
      Self.ends.withLock { $0.append(Simulation.current?.now ?? .zero) }
    }
  }

  /// Waits in `simulate`, in a test case of XCTest's own.
  final class SimulateExpectationTests: XCTestCase {
    override func setUpWithError() throws { try Need.virtualWaits.orSkip() }

    func testWaits() async throws {
      try await simulate {
        let fulfilled = self.expectation(description: "fulfilled")
        let inverted = self.expectation(description: "inverted")
        inverted.isInverted = true
        Task {
          try await Task.sleep(for: .seconds(3600))
          fulfilled.fulfill()
        }
        await self.fulfillment(of: [fulfilled, inverted], timeout: 2 * hour)
        XCTAssertEqual(Simulation.current?.now, .seconds(7200))
      }
    }

    func testManualTimeReachesATimeout() async throws {
      try await simulate(time: .manual) {
        let never = XCTestExpectation(description: "never")
        async let result = XCTWaiter.fulfillment(of: [never], timeout: 10)
        await Simulation.advance(by: .seconds(9))
        never.expectationDescription = "not yet"
        await Simulation.advance(by: .seconds(1))
        let timedOut = await result
        XCTAssertEqual(timedOut, .timedOut)
        XCTAssertEqual(Simulation.current?.now, .seconds(10))
      }
    }

    func testAnActorWaitsForever() async throws {
      try await simulate {
        let slept = XCTestExpectation(description: "slept")
        Task {
          try await Task.sleep(for: .seconds(60))
          slept.fulfill()
        }
        let result = await Waiting().wait(for: slept)
        XCTAssertTrue(result)
        let never = await Waiting().wait(for: XCTestExpectation(description: "never"))
        XCTAssertFalse(never)
      }
    }

    func testSchedulesOfAWait() async throws {
      let times = Log<Duration>()
      try await explore(schedules: 30) {
        let both = XCTestExpectation(description: "both")
        both.expectedFulfillmentCount = 2
        for second in 1...2 {
          Task {
            try await Task.sleep(for: .seconds(second))
            both.fulfill()
          }
        }
        _ = await XCTWaiter.fulfillment(of: [both], timeout: hour)
        times.append(Simulation.current?.now ?? .zero)
      }
      XCTAssertGreaterThan(times.values.count, 0)
      XCTAssertEqual(Set(times.values), [.seconds(2)])
    }

    func testSimulationsSideBySide() async throws {
      await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...20 {
          group.addTask {
            try await simulate {
              let slept = XCTestExpectation(description: "slept")
              Task {
                try await Task.sleep(for: .seconds(number))
                slept.fulfill()
              }
              let result = await XCTWaiter.fulfillment(of: [slept], timeout: hour)
              XCTAssertEqual(result, .completed)
              XCTAssertEqual(Simulation.current?.now, .seconds(number))
            }
          }
        }
      }
    }

    func testOutsideSimulationsWaitsAreReal() async {
      let fulfilled = expectation(description: "fulfilled")
      let inverted = expectation(description: "inverted")
      inverted.isInverted = true
      fulfilled.fulfill()
      await fulfillment(of: [fulfilled], timeout: 1)
      let start = DispatchTime.now().uptimeNanoseconds
      await fulfillment(of: [inverted], timeout: 0.02)
      XCTAssertGreaterThan(DispatchTime.now().uptimeNanoseconds, start + 19_000_000)
    }
  }

  private actor Waiting {
    /// Whether the expectation was fulfilled.
    func wait(for expectation: XCTestExpectation) async -> Bool {
      let result = await XCTWaiter.fulfillment(of: [expectation], timeout: .infinity)
      assertIsolated()
      return result == .completed
    }
  }

  // One after the other: on a busy machine the waits that fail take seconds.
  @Suite(.serialized, .needs(.virtualWaits)) struct WaiterTests {
    /// All results, in all forms of order, and the time that each wait took. Waits that fail at their
    /// timeouts give code outside half a second of real time.
    private static func results(withFailures: Bool) async throws -> [String] {
      let log = Log<String>()
      try await simulate {
        func note(
          _ name: String, fulfilling: [Int], inverted: [Int] = [], enforceOrder: Bool = false
        ) async {
          let start = Simulation.current?.now ?? .zero
          let expectations = (0..<2).map { XCTestExpectation(description: "\($0)") }
          for number in inverted { expectations[number].isInverted = true }
          Task {
            for number in fulfilling {
              try await Task.sleep(for: .seconds(1))
              expectations[number].fulfill()
            }
          }
          let result = await XCTWaiter.fulfillment(
            of: expectations, timeout: 10, enforceOrder: enforceOrder)
          log.append("\(name): \(result) after \((Simulation.current?.now ?? .zero) - start)")
          await settle()
        }
        await note("both", fulfilling: [1, 0])
        await note("both twice", fulfilling: [0, 0, 1, 1])
        if withFailures {
          await note("one", fulfilling: [0])
          await note("none", fulfilling: [])
        }
        await note("in order", fulfilling: [0, 1], enforceOrder: true)
        await note("out of order", fulfilling: [1, 0], enforceOrder: true)
        await note("inverted", fulfilling: [0], inverted: [1])
        await note("inverted, fulfilled", fulfilling: [0, 1], inverted: [1])
      }
      return log.values
    }

    private static let expected = [
      "both: completed after 2.0 seconds",
      "both twice: completed after 3.0 seconds",
      "one: timedOut after 10.0 seconds",
      "none: timedOut after 10.0 seconds",
      "in order: completed after 2.0 seconds",
      "out of order: incorrectOrder after 1.0 seconds",
      "inverted: completed after 10.0 seconds",
      "inverted, fulfilled: invertedFulfillment after 2.0 seconds",
    ]

    @Test func `S10 a waiter has XCTest's results, at their virtual times`() async throws {
      #expect(try await Self.results(withFailures: true) == Self.expected)
    }

    @Test func `S1 a waiter has the same results each time on a busy machine`() async throws {
      let others = BusyMachine(threads: 8)
      defer { others.stop() }
      let expected = Self.expected.filter { !$0.contains("timedOut") }
      for _ in 1...3 { #expect(try await Self.results(withFailures: false) == expected) }
    }

    @Test(.simulated) func `S10 a simulated test waits in virtual time`() async {
      let fulfilled = XCTestExpectation(description: "fulfilled")
      let inverted = XCTestExpectation(description: "inverted")
      inverted.isInverted = true
      Task {
        try await Task.sleep(for: .seconds(3600))
        fulfilled.fulfill()
      }
      let result = await XCTWaiter.fulfillment(of: [fulfilled, inverted], timeout: 2 * hour)
      #expect(result == .completed)
      #expect(Simulation.current?.now == .seconds(7200))
    }

    @Test(.simulated) func `S10 a wait of a simulated test times out in virtual time`() async {
      let never = XCTestExpectation(description: "never")
      #expect(await XCTWaiter.fulfillment(of: [never], timeout: hour) == .timedOut)
      #expect(Simulation.current?.now == .seconds(3600))
    }

    @Test(.explored(schedules: 10)) func `S10 an explored test waits in virtual time`() async {
      let both = XCTestExpectation(description: "both")
      both.expectedFulfillmentCount = 2
      for _ in 1...2 {
        Task {
          try await Task.sleep(for: .seconds(3600))
          both.fulfill()
        }
      }
      #expect(await XCTWaiter.fulfillment(of: [both], timeout: 2 * hour) == .completed)
      #expect(Simulation.current?.now == .seconds(3600))
    }
  }
#endif
