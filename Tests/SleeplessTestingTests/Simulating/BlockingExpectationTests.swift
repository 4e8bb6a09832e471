// virtual time: everything here runs in simulations
#if os(Linux) && !SLEEPLESS_AS_ON_APPLE  // elsewhere XCTest waits in real time
  import Dispatch
  import Foundation
  import Sleepless
  import SleeplessTesting
  import TestSupport
  import Testing
  import XCTest

  /// Synchronous waits for expectations in jobs. They block their threads in virtual time, as waits for semaphores do
  /// (S10).
  final class BlockingExpectationXCTests: SimulatedTestCase {
    func testS10_ATestWaits() async {
      for wait in Wait.all { wait.check() }
      await settle()
    }

    @MainActor func testS10_TheMainActorWaits() async {
      for wait in Wait.all { wait.check() }
      MainActor.assertIsolated()
      await settle()
    }

    func testS10_TasksWaitSideBySide() async {
      await withTaskGroup { group in
        for wait in Wait.all { group.addTask { wait.check() } }
      }
      XCTAssertEqual(Simulation.current?.now, .seconds(30))
    }

    func testS10_BlocksOfAQueueWait() async {
      let queue = DispatchQueue(label: "com.example.queue", attributes: .concurrent)
      for wait in Wait.all { queue.async { wait.check() } }
      queue.sync(flags: .barrier) {}
      XCTAssertEqual(Simulation.current?.now, .seconds(30))
    }

    func testAWaitInATaskForWhichTheTestWaits() async {
      let fulfilled = expectation(description: "fulfilled")
      Task {
        Wait.all[0].check()
        fulfilled.fulfill()
      }
      await fulfillment(of: [fulfilled], timeout: 60)
      XCTAssertEqual(Simulation.current?.now, .seconds(10))
    }
  }

  @Suite(.needs(.virtualWaits), .needs(.queues), .timeLimit(.minutes(10)))
  struct BlockingExpectationTests {
    @Test(arguments: Wait.all, 1...5) func `S10 a task waits, whatever the order`(
      wait: Wait, seed: Int
    ) async throws {
      try await simulate(order: .shuffled(seed: UInt64(seed))) {
        await Task { wait.check() }.value
        #expect(Simulation.current?.now == wait.expected.time)
        await settle()
      }
    }

    @Test func `a wait of a background task moves no time`() async throws {
      try await simulate {
        let wait = { @Sendable in
          _ = XCTWaiter.wait(for: [XCTestExpectation(description: "never")], timeout: 30)
        }
        await Simulation.background { _ = Task { wait() } }
        await settle()
        #expect(Simulation.current?.now == .zero)
      }
    }

    /// A wait that fails at its timeout gives code outside half a second of real time.
    @Test func `S1 tasks wait in the same order 1,000 times out of 1,000`() async throws {
      let orders = Locked<Set<[String]>>([])
      for _ in 1...1000 {
        let log = Log<String>()
        try await simulate(order: .shuffled(seed: 7)) {
          await withTaskGroup { group in
            for wait in Wait.all where wait.expected.result != "timedOut" {
              group.addTask {
                wait.check()
                log.append(wait.testDescription)
              }
            }
          }
          await settle()
        }
        orders.withLock { _ = $0.insert(log.values) }
      }
      #expect(orders.withLock { $0.count } == 1)
    }
  }

  /// A wait for expectations, and what is expected of it.
  struct Wait: Sendable, CustomTestStringConvertible {
    /// What a wait returned, and how much virtual time it took.
    struct Course: Equatable, Sendable {
      /// The name of XCTest's result.
      let result: String
      let time: Duration
    }

    let testDescription: String
    let expected: Course
    private let body: @Sendable () -> XCTWaiter.Result

    private init(
      _ name: String, _ result: String, after time: Duration,
      _ body: @escaping @Sendable () -> XCTWaiter.Result
    ) {
      testDescription = name
      expected = Course(result: result, time: time)
      self.body = body
    }

    /// Runs it in the calling code.
    @Sendable func run() -> Course {
      let start = Simulation.current!.now
      let result = body()
      return Course(result: "\(result)", time: Simulation.current!.now - start)
    }

    func check() {
      let course = run()
      if Test.current == nil {
        XCTAssertEqual(course, expected, testDescription)
      } else {
        #expect(course == expected, "\(testDescription)")
      }
    }

    private static func fulfill(_ expectation: XCTestExpectation, after seconds: Int) {
      Task {
        try? await Task.sleep(for: .seconds(seconds))
        expectation.fulfill()
      }
    }

    static let all = [
      Wait("an expectation is fulfilled", "completed", after: .seconds(10)) {
        let fulfilled = XCTestExpectation(description: "fulfilled")
        fulfill(fulfilled, after: 10)
        return XCTWaiter.wait(for: [fulfilled], timeout: 60)
      },
      Wait("a block on a queue fulfills an expectation", "completed", after: .seconds(20)) {
        let fulfilled = XCTestExpectation(description: "fulfilled")
        DispatchQueue.global().asyncAfter(deadline: .now() + 20) { fulfilled.fulfill() }
        return XCTWaiter.wait(for: [fulfilled], timeout: 60)
      },
      Wait("an expectation is fulfilled before", "completed", after: .zero) {
        let fulfilled = XCTestExpectation(description: "fulfilled")
        fulfilled.fulfill()
        return XCTWaiter.wait(for: [fulfilled], timeout: 60)
      },
      Wait("an expectation is not fulfilled", "timedOut", after: .seconds(30)) {
        XCTWaiter.wait(for: [XCTestExpectation(description: "never")], timeout: 30)
      },
      Wait("an inverted expectation is not fulfilled", "completed", after: .seconds(30)) {
        let inverted = XCTestExpectation(description: "inverted")
        inverted.isInverted = true
        return XCTWaiter.wait(for: [inverted], timeout: 30)
      },
      Wait("an inverted expectation is fulfilled", "invertedFulfillment", after: .seconds(5)) {
        let inverted = XCTestExpectation(description: "inverted")
        inverted.isInverted = true
        fulfill(inverted, after: 5)
        return XCTWaiter.wait(for: [inverted], timeout: 30)
      },
      Wait("the order is wrong", "incorrectOrder", after: .seconds(1)) {
        let first = XCTestExpectation(description: "first")
        let second = XCTestExpectation(description: "second")
        fulfill(first, after: 2)
        fulfill(second, after: 1)
        return XCTWaiter.wait(for: [first, second], timeout: 30, enforceOrder: true)
      },
      Wait("a predicate becomes true", "completed", after: .seconds(3)) {
        let log = Log<Int>()
        Task {
          for second in 1...5 {
            try? await Task.sleep(for: .seconds(1))
            log.append(second)
          }
        }
        let isFull = NSPredicate { _, _ in log.values.count == 3 }
        return XCTWaiter.wait(
          for: [XCTNSPredicateExpectation(predicate: isFull, object: nil)], timeout: 30)
      },
    ]
  }
#endif
