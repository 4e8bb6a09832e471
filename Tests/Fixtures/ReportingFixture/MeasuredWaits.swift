import CoreFoundation
import Foundation
import SleeplessTesting
import Testing
import XCTest

// MeasuredWaitsProcessTests runs these with SLEEPLESS_WAITS. The functions that wait are named after what they wait
// with; all waits are real, because they are measured.

@Suite struct MeasuredWaits {
  // real time: measured
  @Test func sleeps() async throws { try await Task.sleep(for: .milliseconds(60)) }

  @Test(arguments: [1, 2]) func sleepsInTwoCases(case: Int) async throws {
    // real time: measured
    try await Task.sleep(for: .milliseconds(40))
  }

  @Test func sleepsInAnActor() async throws { try await Sleeper().sleep() }

  @Test func waitsForADelayedCall() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.03) { continuation.resume() }
    }
  }

  @Test func doesNotWaitForADelayedCall() {
    DispatchQueue.global().asyncAfter(deadline: .now() + 0.001) {}
  }

  @Test func waitsForAThreadThatSleeps() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        sleepThread()
        continuation.resume()
      }
    }
  }

  @Test func cancelsASleep() async {
    let task = Task { try await Task.sleep(for: .seconds(1000)) }  // real time: cancelled
    task.cancel()
    _ = await task.result
  }

  @Test func cancelsManySleeps() async {
    for _ in 0..<100 {
      let task = Task { try await Task.sleep(for: .milliseconds(20)) }  // real time: cancelled
      task.cancel()
      _ = await task.result
    }
    // When those sleeps would have ended, other tasks have the addresses of these.
    let end = ContinuousClock.now + .milliseconds(40)
    while ContinuousClock.now < end { await Task {}.value }
  }

  @Test func sleepsInAnExpectation() async {
    await #expect(throws: Never.self) {
      try await Task.sleep(for: .milliseconds(40))  // real time: measured
    }
  }

  @Test func leavesASleepBehind() {
    Task { try await Task.sleep(for: .milliseconds(300)) }  // real time: nobody waits
  }

  @Test func pollsByYielding() async {
    // real time: a loop of yields is measured
    for _ in 0..<2000 { await Task.yield() }
  }

  @Test func pollsBySleeping() async throws {
    // real time: a loop of sleeps is measured
    for _ in 0..<10 { try await Task.sleep(for: .milliseconds(3)) }
  }

  @Test func doesNotWait() async { await Task.yield() }  // real time: once

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  @Test func sleepsInASimulation() async throws {
    // virtual time
    try await simulate { try await Task.sleep(for: .seconds(60)) }  // real time: simulated
  }
}

@Suite(.serialized) struct MeasuredWaitsInOrder {
  @Test func `a toast é goes away`() async throws {
    try await Task.sleep(for: .milliseconds(50))  // real time: measured
  }

  @Test func calm() {}
}

private actor Sleeper {
  // real time: measured
  func sleep() async throws { try await Task.sleep(for: .milliseconds(20)) }
}

@inline(never) private func sleepThread() {
  Thread.sleep(forTimeInterval: 0.02)  // real time: measured
}

#if os(Linux)
  final class MeasuredWaitsTests: XCTestCase {
    func testExpectation() {
      let isDone = expectation(description: "done")
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { isDone.fulfill() }
      wait(for: [isDone], timeout: 10)  // real time: measured
    }

    func testFulfillment() async {
      let isDone = expectation(description: "done")
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { isDone.fulfill() }
      await fulfillment(of: [isDone], timeout: 10)
    }

    func testInverted() {
      let never = expectation(description: "never")
      never.isInverted = true
      wait(for: [never], timeout: 0.02)  // real time: measured
    }

    func testThreads() {
      sleepThread()
      usleep(20_000)  // real time: measured
    }

    func testSemaphoreAndGroup() {
      let semaphore = DispatchSemaphore(value: 0)
      _ = semaphore.wait(timeout: .now() + 0.02)  // real time: measured
      let group = DispatchGroup()
      group.enter()
      DispatchQueue.global().async {
        sleepThread()
        group.leave()
      }
      group.wait()
    }

    func testTimer() {
      let semaphore = DispatchSemaphore(value: 0)
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.setEventHandler { semaphore.signal() }
      timer.schedule(deadline: .now() + 0.02, repeating: 0.02)
      timer.activate()
      semaphore.wait()
      semaphore.wait()
      timer.cancel()
    }

    func testCondition() {
      let condition = NSCondition()
      condition.lock()
      _ = condition.wait(until: Date() + 0.02)
      condition.unlock()
    }

    func testRunLoop() {
      RunLoop.current.run(until: Date() + 0.02)
      _ = RunLoop.current.run(mode: .default, before: Date() + 0.02)
      _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.02, false)
    }

    func testPolling() {
      for _ in 0..<10 { usleep(2000) }  // real time: measured
    }

    func testCalm() {}

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testExpectation", testExpectation), ("testFulfillment", asyncTest(testFulfillment)),
          ("testInverted", testInverted), ("testThreads", testThreads),
          ("testSemaphoreAndGroup", testSemaphoreAndGroup), ("testTimer", testTimer),
          ("testCondition", testCondition), ("testRunLoop", testRunLoop),
          ("testPolling", testPolling), ("testCalm", testCalm),
        ])
      ]
    }
  }

  /// A run that ends in the middle of a test, as the context says.
  final class InterruptedWaitsTests: XCTestCase {
    func testBefore() { sleepThread() }

    func testInterrupted() {
      sleepThread()
      let end = CommandLine.arguments[3]
      switch end {
      case "exit": exit(3)
      case "crash": abort()
      case "kill": kill(getpid(), SIGKILL)
      case "terminate":
        // A limit of CI ends the whole group of processes. Foundation has made one for this process.
        precondition(getpgrp() == getpid())
        // Threads of Dispatch block signals, and so does a process that one of them starts.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        kill(0, SIGTERM)
      case "fork":
        // Code of tests may wait for all of its children: the one that reports is none of them.
        XCTAssertEqual(waitpid(-1, nil, 0), -1)
      default: fatalError("no such end: \(end)")
      }
    }

    func testAfter() { XCTAssertEqual(ProcessInfo.processInfo.environment["SLEEPLESS_WAITS"], nil) }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testBefore", testBefore), ("testInterrupted", testInterrupted),
          ("testAfter", testAfter),
        ])
      ]
    }
  }
#endif
