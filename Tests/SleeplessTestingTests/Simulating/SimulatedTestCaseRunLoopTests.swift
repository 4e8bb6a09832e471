// virtual time: everything here runs in simulations
#if os(Linux)
  import CoreFoundation
#endif
import Dispatch
import Foundation
import SleeplessTesting
import TestSupport
import XCTest

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  /// Run loops and timers in the simulations of test cases, from the test's own code on the main thread.
  final class SimulatedTestCaseRunLoopTests: SimulatedTestCase {
    private let log = TimedLog()
    private let queue = DispatchQueue(label: "app")

    override func setUpWithError() throws {
      for need in [Need.queues, .blockingCalls, .clocks] { try need.orSkip() }
    }

    func testTheTestRunsItsRunLoop() throws {
      try Need.runLoops.orSkip()
      let timer = Timer.scheduledTimer(withTimeInterval: 10, repeats: true) { [log] _ in
        log.note(Thread.isMainThread ? "tick" : "elsewhere")
      }
      RunLoop.main.run(until: Date() + 25)
      XCTAssertEqual(log.values, ["tick at 10.0 seconds", "tick at 20.0 seconds"])
      XCTAssertEqual(Simulation.current?.now, .seconds(25))
      timer.invalidate()
    }

    func testTheTestPollsItsRunLoop() throws {
      try Need.runLoops.orSkip()
      for seconds in 1...3 {
        DispatchQueue.main.asyncAfter(deadline: .now() + Double(seconds)) { [log] in
          log.note("\(seconds)")
        }
      }
      var rounds = 0
      while log.values.count < 2, rounds < 10 {
        XCTAssertTrue(RunLoop.main.run(mode: .default, before: .distantFuture))
        rounds += 1
      }
      XCTAssertEqual(rounds, 2)
      XCTAssertEqual(log.values, ["1 at 1.0 seconds", "2 at 2.0 seconds"])
      settle()
    }

    /// As PromiseKit's `hang` does.
    func testTheTestRunsCoreFoundationsRunLoopUntilItIsStopped() throws {
      try Need.runLoops.orSkip()
      var context = CFRunLoopSourceContext()
      let source = CFRunLoopSourceCreate(nil, 0, &context)
      CFRunLoopAddSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode)
      defer { CFRunLoopRemoveSource(CFRunLoopGetCurrent(), source, kCFRunLoopDefaultMode) }
      queue.asyncAfter(deadline: .now() + 7) { [log] in
        DispatchQueue.main.async {
          log.note(Thread.isMainThread ? "on the main thread" : "elsewhere")
          CFRunLoopStop(CFRunLoopGetMain())
        }
      }
      CFRunLoopRun()
      log.note("returns")
      XCTAssertEqual(log.values, ["on the main thread at 7.0 seconds", "returns at 7.0 seconds"])
    }

    func testTheTestRunsCoreFoundationsRunLoopInAMode() throws {
      try Need.runLoops.orSkip()
      let mode = kCFRunLoopDefaultMode
      XCTAssertEqual(CFRunLoopRunInMode(mode, 5, false), .timedOut)
      queue.asyncAfter(deadline: .now() + 1) { CFRunLoopStop(CFRunLoopGetMain()) }
      XCTAssertEqual(CFRunLoopRunInMode(mode, 5, false), .stopped)
      DispatchQueue.main.asyncAfter(deadline: .now() + 2) {}
      let timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [log] _ in
        log.note("tick")
      }
      XCTAssertEqual(CFRunLoopRunInMode(mode, 5, true), .handledSource)
      XCTAssertEqual(log.values.first, "tick at 7.0 seconds")
      timer.invalidate()
      XCTAssertEqual(Simulation.current?.now, .seconds(8))
    }

    func testRunsOfTheRunLoopAreNested() throws {
      try Need.runLoops.orSkip()
      DispatchQueue.main.async { [log] in
        let mode = kCFRunLoopDefaultMode
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
          CFRunLoopStop(CFRunLoopGetMain())
        }
        log.note("\(CFRunLoopRunInMode(mode, 5, false) == .stopped)")
      }
      XCTAssertEqual(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 3, false), .timedOut)
      log.note("returns")
      XCTAssertEqual(log.values, ["true at 1.0 seconds", "returns at 3.0 seconds"])
    }

    func testAThreadOutsideStopsTheRunLoop() throws {
      try Need.runLoops.orSkip()
      let isRunning = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        isRunning.wait()
        CFRunLoopStop(CFRunLoopGetMain())
      }
      DispatchQueue.main.async { isRunning.signal() }
      CFRunLoopRun()
      XCTAssertEqual(Simulation.current?.now, .zero)
    }

    /// Without the fact `run-loops` the run is real, and each delay asks the run loop for steps. The expectation's wait
    /// uses up what the two delays have asked for.
    func testTheRunLoopRunsAfterAnExpectation() {
      let isDone = expectation(description: "done")
      queue.asyncAfter(deadline: .now() + 5) { isDone.fulfill() }
      queue.asyncAfter(deadline: .now() + 7) { [log] in
        DispatchQueue.main.async {
          log.note("stops")
          CFRunLoopStop(CFRunLoopGetMain())
        }
      }
      wait(for: [isDone], timeout: 60)
      CFRunLoopRun()
      XCTAssertEqual(log.values, ["stops at 7.0 seconds"])
    }

    func testAJobOfTheMainActorRunsTheRunLoop() throws {
      try Need.runLoops.orSkip()
      let queue = queue
      Task { @MainActor [log] in
        queue.asyncAfter(deadline: .now() + 1) {
          Thread.sleep(forTimeInterval: 1)
          DispatchQueue.main.async { log.note("in the run loop") }
        }
        runMainLoop(for: 5)
        log.note("after the run loop")
      }
      settle()
      XCTAssertEqual(
        log.values, ["in the run loop at 2.0 seconds", "after the run loop at 5.0 seconds"])
    }

    func testATimerRunsTheRunLoopWithOtherTimersAndBlocks() throws {
      try Need.runLoops.orSkip()
      let timer = Timer.scheduledTimer(withTimeInterval: 2, repeats: true) { [log] _ in
        log.note("tick")
      }
      let first = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { [log] _ in
        DispatchQueue.main.async { log.note("block") }
        runMainLoop(for: 4)
        log.note("timer")
      }
      runMainLoop(for: 2)
      timer.invalidate()
      first.invalidate()
      XCTAssertEqual(
        log.values,
        [
          "block at 1.0 seconds", "tick at 2.0 seconds", "tick at 4.0 seconds",
          "timer at 5.0 seconds",
        ])
      XCTAssertEqual(Simulation.current?.now, .seconds(5))
    }

    func testABlockRunsTheRunLoopWithTimersAndBeforeOtherBlocks() throws {
      try Need.runLoops.orSkip()
      let timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [log] _ in
        log.note("tick")
      }
      DispatchQueue.main.async { [log] in
        runMainLoop(for: 1.5)
        log.note("first")
      }
      DispatchQueue.main.async { [log] in log.note("second") }
      runMainLoop(for: 1.8)
      timer.invalidate()
      XCTAssertEqual(
        log.values,
        ["tick at 1.0 seconds", "first at 1.5 seconds", "second at 1.5 seconds"])
    }
  }

  /// Asynchronous code must not call this directly.
  private func runMainLoop(for seconds: Double) { RunLoop.main.run(until: Date() + seconds) }
#endif
