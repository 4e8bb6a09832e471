// virtual time: everything here runs in simulations
#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  import Dispatch
  import Foundation
  import Sleepless
  import SleeplessSimulation
  import SleeplessTesting
  import TestSupport
  import Testing
  import XCTest

  /// Unusual uses of Dispatch in tests with a trait, from tasks and from blocks.
  @Suite(.needs(.queues), .needs(.blockingCalls), .needs(.clocks)) struct UnusualDispatchTests {
    @Test(.simulated, arguments: Place.allCases)
    fileprivate func `T5 a deadline in the past means now, a distant one never`(place: Place) async
    {
      let log = TimedLog()
      await place.run { useUnusualDeadlines(log) }
      await settle()
      #expect(log.values.sorted() == unusualDeadlines)
    }

    @Test(arguments: Place.allCases)
    fileprivate func `a simulation that is begun in a test runs as part of the test's`(
      place: Place
    ) async throws {
      let test = try #require(Test.current)
      let log = TimedLog()
      let failures = await failures {
        let trait: SimulatedTrait = .simulated
        try? await trait.simulate(
          {
            await place.run {
              Task {
                try await simulate {
                  try await Task.sleep(for: .seconds(60))
                  log.note("inner")
                }
              }
            }
            await settle()
          }, for: test)
      }
      #expect(log.values == ["inner at 60.0 seconds"])
      #expect(failures.map(\.text) == [nested])
    }
  }

  /// The same in tests of XCTest.
  final class UnusualDispatchCaseTests: SimulatedTestCase {
    private let log = TimedLog()
    private let caught = Log<String>()
    private let catches = Locked(false)

    override func setUpWithError() throws {
      for need in [Need.queues, .blockingCalls, .clocks] { try need.orSkip() }
    }

    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      if catches.withLock({ $0 }) { return caught.append(description) }
      super.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
    }

    func testDeadlinesOfTheTest() {
      useUnusualDeadlines(log)
      settle()
      XCTAssertEqual(log.values.sorted(), unusualDeadlines)
    }

    func testDeadlinesOfATask() {
      Task { [log] in useUnusualDeadlines(log) }
      settle()
      XCTAssertEqual(log.values.sorted(), unusualDeadlines)
    }

    func testDeadlinesOfABlock() {
      DispatchQueue(label: "com.example.place").async { [log] in useUnusualDeadlines(log) }
      settle()
      XCTAssertEqual(log.values.sorted(), unusualDeadlines)
    }

    func testDeadlinesOfABlockOfTheMainQueue() {
      DispatchQueue.main.async { [log] in useUnusualDeadlines(log) }
      settle()
      XCTAssertEqual(log.values.sorted(), unusualDeadlines)
    }

    func testASimulationThatABlockBegins() {
      catches.withLock { $0 = true }
      DispatchQueue(label: "com.example.place").async { [log] in
        Task {
          try await simulate {
            try await Task.sleep(for: .seconds(60))
            log.note("inner")
          }
        }
      }
      settle()
      catches.withLock { $0 = false }
      XCTAssertEqual(log.values, ["inner at 60.0 seconds"])
      XCTAssertEqual(caught.values.map { $0.replacing("failed - ", with: "") }, [nested])
    }
  }

  /// Where code of a test runs.
  private enum Place: CaseIterable {
    case test, task, block, blockOfMainQueue

    func run(_ code: @escaping @Sendable () -> Void) async {
      switch self {
      case .test: code()
      case .task: await Task { code() }.value
      case .block: await run(code, on: DispatchQueue(label: "com.example.place"))
      case .blockOfMainQueue: await run(code, on: .main)
      }
    }

    private func run(_ code: @escaping @Sendable () -> Void, on queue: DispatchQueue) async {
      await withCheckedContinuation { done in
        queue.async {
          code()
          done.resume()
        }
      }
    }
  }

  /// Gives a queue blocks with deadlines in the past and without an end, and waits until times in the past.
  private func useUnusualDeadlines(_ log: TimedLog) {
    let queue = DispatchQueue(label: "com.example.deadlines")
    queue.asyncAfter(deadline: .now() - 5) { log.note("past") }
    queue.asyncAfter(deadline: .now() + .seconds(-1)) { log.note("negative") }
    queue.asyncAfter(deadline: .now() + .nanoseconds(.min)) { log.note("least") }
    queue.asyncAfter(wallDeadline: .now() - 5) { log.note("wall") }
    queue.asyncAfter(deadline: .distantFuture) { log.note("never") }
    queue.asyncAfter(wallDeadline: .distantFuture) { log.note("never, by the wall clock") }
    let (semaphore, group) = (DispatchSemaphore(value: 0), DispatchGroup())
    group.enter()
    let results = [
      semaphore.wait(timeout: .now() - 1), group.wait(timeout: .now() - 1),
      semaphore.wait(wallTimeout: .now() - 1), DispatchWorkItem {}.wait(timeout: .now() - 1),
    ]
    group.leave()
    if results.allSatisfy({ $0 == .timedOut }) { log.note("waits") }
  }

  private let unusualDeadlines = ["least", "negative", "past", "waits", "wall"]
    .map { "\($0) at 0.0 seconds" }

  private let nested = """
    simulate was called inside a simulation. The body now runs as part of the outer one: same time, same order.
    Remove the inner call: the test is simulated already, by a trait, by SimulatedTestCase, or by a call of simulate \
    or explore further out.
    """
#endif
