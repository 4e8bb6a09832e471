// virtual time: everything here runs in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessTesting
import TestSupport
import XCTest

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  /// What the own code of a synchronous test calls on the main thread: sleeps, waits and clocks (S10).
  final class SimulatedTestCaseCallTests: SimulatedTestCase {
    private let log = TimedLog()
    private let queue = DispatchQueue(label: "app")
    private let concurrent = DispatchQueue(label: "app.concurrent", attributes: .concurrent)

    override func setUpWithError() throws {
      for need in [Need.queues, .blockingCalls, .clocks] { try need.orSkip() }
    }

    // MARK: Sleeps

    func testEachSleepMovesTime() throws {
      try Need.dates.orSkip()
      Thread.sleep(forTimeInterval: 1)
      log.note("Thread.sleep(forTimeInterval:)")
      Thread.sleep(until: Date() + 1)
      log.note("Thread.sleep(until:)")
      sleep(1)
      log.note("sleep")
      usleep(1_000_000)
      log.note("usleep")
      var second = timespec(tv_sec: 1, tv_nsec: 0)
      nanosleep(&second, nil)
      log.note("nanosleep")
      XCTAssertEqual(
        log.values,
        [
          "Thread.sleep(forTimeInterval:) at 1.0 seconds", "Thread.sleep(until:) at 2.0 seconds",
          "sleep at 3.0 seconds", "usleep at 4.0 seconds", "nanosleep at 5.0 seconds",
        ])
    }

    func testWhatIsDueRunsWhileTheTestSleepsAlsoOnTheMainThread() {
      for (name, queue) in [("queue", queue), ("main queue", .main)] {
        for seconds in 1...3 {
          queue.asyncAfter(deadline: .now() + Double(seconds)) { [log] in log.note(name) }
        }
      }
      Task { @MainActor [log] in
        try await Task.sleep(for: .milliseconds(1500))
        log.note(Thread.isMainThread ? "main actor" : "elsewhere")
      }
      usleep(2_000_000)
      log.note("test")
      settle()
      XCTAssertEqual(
        log.values,
        [
          "queue at 1.0 seconds", "main queue at 1.0 seconds", "main actor at 1.5 seconds",
          "queue at 2.0 seconds", "main queue at 2.0 seconds", "test at 2.0 seconds",
          "queue at 3.0 seconds", "main queue at 3.0 seconds",
        ])
    }

    // MARK: Waits

    func testTheTestWaitsForWorkItems() {
      let item = DispatchWorkItem { [log] in
        Thread.sleep(forTimeInterval: 2)
        log.note("item")
      }
      let cancelled = DispatchWorkItem { [log] in log.note("cancelled") }
      item.notify(queue: .main) { [log] in log.note("notified") }
      queue.async(execute: item)
      queue.async(execute: cancelled)
      cancelled.cancel()
      XCTAssertEqual(item.wait(timeout: .now() + 1), .timedOut)
      log.note("timed out")
      XCTAssertEqual(item.wait(wallTimeout: .now() + 0.5), .timedOut)
      log.note("timed out")
      item.wait()
      log.note("waited")
      cancelled.wait()
      log.note("waited for the cancelled one")
      settle()
      XCTAssertEqual(
        log.values,
        [
          "timed out at 1.0 seconds", "timed out at 1.5 seconds", "item at 2.0 seconds",
          "waited at 2.0 seconds", "waited for the cancelled one at 2.0 seconds",
          "notified at 2.0 seconds",
        ])
    }

    func testTheTestIsABarrierOfAConcurrentQueue() {
      for seconds in [1, 3] {
        concurrent.async { [log] in
          Thread.sleep(forTimeInterval: Double(seconds))
          log.note("reader")
        }
      }
      concurrent.sync(flags: .barrier) { [log, concurrent] in
        dispatchPrecondition(condition: .onQueueAsBarrier(concurrent))
        concurrent.async {
          Thread.sleep(forTimeInterval: 1)
          log.note("later reader")
        }
        Thread.sleep(forTimeInterval: 1)
        log.note(Thread.isMainThread ? "barrier" : "barrier elsewhere")
      }
      log.note("test")
      settle()
      XCTAssertEqual(
        log.values,
        [
          "reader at 1.0 seconds", "reader at 3.0 seconds", "barrier at 4.0 seconds",
          "test at 4.0 seconds", "later reader at 5.0 seconds",
        ])
    }

    func testTheTestPerformsIterations() {
      Task { [log] in
        try await Task.sleep(for: .seconds(4))
        log.note("task")
      }
      DispatchQueue.concurrentPerform(iterations: 3) { [log, queue] iteration in
        queue.sync { _ = usleep(1_000_000) }
        Thread.sleep(forTimeInterval: 1)
        log.note(Thread.isMainThread ? "iteration \(iteration)" : "elsewhere")
      }
      log.note("test")
      XCTAssertEqual(
        log.values,
        [
          "iteration 0 at 2.0 seconds", "task at 4.0 seconds", "iteration 1 at 4.0 seconds",
          "iteration 2 at 6.0 seconds", "test at 6.0 seconds",
        ])
    }

    // MARK: Clocks

    func testEachClockMovesWithTheTestsCalls() throws {
      try Need.dates.orSkip()
      let start = clockReadings()
      XCTAssertEqual(clockReadings(), start)
      Thread.sleep(forTimeInterval: 86_400)
      assertPassed(86_400, since: start)
      queue.asyncAfter(deadline: .now() + 10) {}
      settle()
      assertPassed(86_410, since: start)
      XCTAssertEqual(DispatchSemaphore(value: 0).wait(timeout: .now() + 5), .timedOut)
      assertPassed(86_415, since: start)
      queue.sync {
        usleep(1_000_000)
        assertPassed(86_416, since: start)
      }
      XCTAssertEqual(clockReadings(), clockReadings())
    }

    func testADeadlineThatTheTestHasMadeIsExactLater() {
      let deadline = DispatchTime.now() + 10
      let wallDeadline = DispatchWallTime.now() + 20
      Thread.sleep(forTimeInterval: 4)
      queue.asyncAfter(deadline: deadline) { [log] in log.note("block") }
      XCTAssertEqual(DispatchSemaphore(value: 0).wait(wallTimeout: wallDeadline), .timedOut)
      log.note("test")
      XCTAssertEqual(log.values, ["block at 10.0 seconds", "test at 20.0 seconds"])
    }

    private func assertPassed(
      _ seconds: Double, since start: [String: Double], line: UInt = #line
    ) {
      XCTAssertEqual(secondsPassed(since: start).filter { $0.value != seconds }, [:], line: line)
    }
  }
#endif
