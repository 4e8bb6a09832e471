// virtual time: everything here runs in simulations
import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import SleeplessTesting
import TestSupport
import XCTest

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  /// Blocks of queues that target the main queue, in the simulations of test cases (S10).
  final class SimulatedTestCaseMainTargetTests: SimulatedTestCase {
    private let log = TimedLog()
    private let targeting = DispatchQueue(label: "com.example.targeting", target: .main)

    override func setUpWithError() throws {
      for need in [Need.queues, .blockingCalls, .clocks] { try need.orSkip() }
    }

    func testABlockIsOnItsQueueOnTheMainQueueAndOnTheMainActor() {
      let key = DispatchSpecificKey<Int>()
      targeting.setSpecific(key: key, value: 7)
      targeting.async { [log, targeting] in
        dispatchPrecondition(condition: .onQueue(targeting))
        dispatchPrecondition(condition: .onQueue(.main))
        MainActor.assumeIsolated { log.note("\(DispatchQueue.getSpecific(key: key) ?? 0)") }
      }
      XCTAssertEqual(log.values, [])
      settle()
      XCTAssertEqual(log.values, ["7 at 0.0 seconds"])
    }

    func testAnAsynchronousTestWaitsForABlock() async throws {
      await withCheckedContinuation { continuation in
        targeting.asyncAfter(deadline: .now() + 5) { [log, targeting] in
          dispatchPrecondition(condition: .onQueue(targeting))
          log.note(Thread.isMainThread ? "on the main thread" : "elsewhere")
          continuation.resume()
        }
      }
      XCTAssertEqual(log.values, ["on the main thread at 5.0 seconds"])
    }

    @MainActor func testATestOfTheMainActorWaitsForABlock() async throws {
      targeting.async { [log, targeting] in
        dispatchPrecondition(condition: .onQueue(targeting))
        log.note("block")
      }
      try await Task.sleep(for: .seconds(1))
      XCTAssertEqual(log.values, ["block at 0.0 seconds"])
    }

    func testABarrierIsOneOnAConcurrentQueue() {
      let concurrent = DispatchQueue(
        label: "com.example.concurrent", attributes: .concurrent, target: .main)
      concurrent.async { [log] in
        Thread.sleep(forTimeInterval: 1)
        log.note("block")
      }
      concurrent.async(flags: .barrier) { [log] in
        dispatchPrecondition(condition: .onQueueAsBarrier(concurrent))
        log.note("barrier")
      }
      settle()
      XCTAssertEqual(log.values, ["block at 1.0 seconds", "barrier at 1.0 seconds"])
    }

    func testBlocksOfTheMainQueueAndOfQueuesThatTargetItRunOneAtATime() {
      let other = DispatchQueue(label: "com.example.other", target: targeting)
      for queue in [targeting, .main, other] {
        queue.async { [log] in
          Thread.sleep(forTimeInterval: 1)
          log.note(queue.label)
        }
      }
      Task { [log] in
        try await Task.sleep(for: .milliseconds(1500))
        log.note("task")
      }
      settle()
      XCTAssertEqual(
        log.values,
        [
          "com.example.targeting at 1.0 seconds", "task at 1.5 seconds",
          "com.apple.main-thread at 2.0 seconds", "com.example.other at 3.0 seconds",
        ])
    }

    func testASyncFromATaskRunsItsBlockOnTheMainActor() {
      targeting.async { [log] in
        Thread.sleep(forTimeInterval: 1)
        log.note("block")
      }
      Task { [log, targeting] in
        targeting.sync {
          dispatchPrecondition(condition: .onQueue(targeting))
          log.note(Thread.isMainThread ? "sync on the main thread" : "sync elsewhere")
        }
        log.note("after")
      }
      settle()
      XCTAssertEqual(
        log.values,
        [
          "block at 1.0 seconds", "sync on the main thread at 1.0 seconds", "after at 1.0 seconds",
        ])
    }

    func testABlockBeginsWorkAndWaitsForIt() {
      targeting.async { [log, targeting] in
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
          Thread.sleep(forTimeInterval: 2)
          targeting.async { log.note("later") }
        }
        group.wait()
        dispatchPrecondition(condition: .onQueue(targeting))
        log.note("waited")
      }
      settle()
      XCTAssertEqual(log.values, ["waited at 2.0 seconds", "later at 2.0 seconds"])
    }

    func testABlockWaitsWhileItsQueueIsSuspended() {
      targeting.async { [log] in log.note("block") }
      targeting.suspend()
      resumeAfterThreeSeconds()
      settle()
      XCTAssertEqual(log.values, ["block at 3.0 seconds"])
    }

    func testABlockWaitsIfCodeOutsideSuspendsItsQueueBeforeTheMainQueueCallsIt() {
      outsideSimulations { DispatchQueue.main.async { [targeting] in targeting.suspend() } }
      targeting.async { [log] in log.note("block") }
      resumeAfterThreeSeconds()
      settle()
      XCTAssertEqual(log.values, ["block at 3.0 seconds"])
    }

    private func resumeAfterThreeSeconds() {
      Task { [targeting] in
        try await Task.sleep(for: .seconds(3))
        targeting.resume()
      }
    }

    func testAQueueMayGetTheMainQueueAsItsTargetBeforeItIsActivated() {
      let inactive = DispatchQueue(label: "com.example.inactive", attributes: .initiallyInactive)
      inactive.async { [log] in
        dispatchPrecondition(condition: .onQueue(.main))
        log.note("block")
      }
      inactive.setTarget(queue: .main)
      inactive.activate()
      settle()
      XCTAssertEqual(log.values, ["block at 0.0 seconds"])
    }

    func testATimerSourceFiresOnItsQueue() {
      let timer = DispatchSource.makeTimerSource(queue: targeting)
      timer.schedule(deadline: .now() + 1, repeating: 1)
      timer.setEventHandler { [log, targeting] in
        dispatchPrecondition(condition: .onQueue(targeting))
        log.note("event")
      }
      timer.activate()
      Simulation.advance(by: .milliseconds(2500))
      timer.cancel()
      XCTAssertEqual(log.values, ["event at 1.0 seconds", "event at 2.0 seconds"])
    }

    func testOperationsRunOnAQueueBelowThemOnTheMainActor() throws {
      try Need.operations.orSkip()
      let operations = OperationQueue()
      operations.underlyingQueue = targeting
      for name in ["one", "two"] {
        operations.addOperation { [log, targeting] in
          dispatchPrecondition(condition: .onQueue(targeting))
          Thread.sleep(forTimeInterval: 1)
          MainActor.assumeIsolated {
            log.note(Thread.isMainThread ? "\(name) on the main thread" : "\(name) elsewhere")
          }
        }
      }
      operations.addBarrierBlock { [log] in log.note("barrier") }
      settle()
      XCTAssertEqual(
        log.values,
        [
          "one on the main thread at 1.0 seconds", "two on the main thread at 2.0 seconds",
          "barrier at 2.0 seconds",
        ])
    }

    func testABlockRunsWhileTheTestRunsItsRunLoop() throws {
      try Need.runLoops.orSkip()
      targeting.asyncAfter(deadline: .now() + 1) { [log, targeting] in
        dispatchPrecondition(condition: .onQueue(targeting))
        log.note("block")
      }
      RunLoop.main.run(until: Date() + 3)
      XCTAssertEqual(log.values, ["block at 1.0 seconds"])
    }

    func testABlockRunsTheRunLoop() throws {
      try Need.runLoops.orSkip()
      targeting.async { [log] in
        _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in log.note("timer") }
        DispatchQueue.main.async { log.note("main") }
        RunLoop.main.run(until: Date() + 3)
        log.note("block")
      }
      settle()
      XCTAssertEqual(
        log.values, ["timer at 1.0 seconds", "block at 3.0 seconds", "main at 3.0 seconds"])
    }

    func testABlockRunsWhileAJobOfTheMainActorRunsTheRunLoop() throws {
      try Need.runLoops.orSkip()
      Task { @MainActor [log] in
        runMainRunLoop(for: 3)
        log.note("task")
      }
      noteOnQueue(after: 1)
      settle()
      XCTAssertEqual(log.values, ["block at 1.0 seconds", "task at 3.0 seconds"])
    }

    func testABlockEndsARunOfTheRunLoopByAJobOfTheMainActor() throws {
      try Need.runLoops.orSkip()
      Task { @MainActor [log] in
        runMainRunLoopOnce()
        log.note("task")
      }
      noteOnQueue(after: 1)
      settle()
      XCTAssertEqual(log.values, ["block at 1.0 seconds", "task at 1.0 seconds"])
    }

    func testABlockRunsWhileATimerRunsTheRunLoop() throws {
      try Need.runLoops.orSkip()
      _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { [log] _ in
        RunLoop.main.run(until: Date() + 2)
        log.note("timer")
      }
      noteOnQueue(after: 2)
      settle()
      XCTAssertEqual(log.values, ["block at 2.0 seconds", "timer at 3.0 seconds"])
    }

    func testABlockWaitsWhileABlockOfTheMainQueueRunsTheRunLoop() throws {
      try Need.runLoops.orSkip()
      DispatchQueue.main.async { [log] in
        RunLoop.main.run(until: Date() + 3)
        log.note("main")
      }
      noteOnQueue(after: 1)
      settle()
      XCTAssertEqual(log.values, ["main at 3.0 seconds", "block at 3.0 seconds"])
    }

    /// Notes that a block runs, on its queue.
    private func noteOnQueue(after seconds: Double) {
      targeting.asyncAfter(deadline: .now() + seconds) { [log, targeting] in
        dispatchPrecondition(condition: .onQueue(targeting))
        log.note("block")
      }
    }

    func testABlockFulfillsAnExpectation() {
      let expectation = expectation(description: "block")
      targeting.asyncAfter(deadline: .now() + 9) { expectation.fulfill() }
      wait(for: [expectation], timeout: 10)
      XCTAssertEqual(Simulation.current?.now, .seconds(9))
    }

    /// A block of others that runs the run loop is a block of the main queue, in which nothing may drive.
    func testABlockOfOthersThatRunsTheRunLoopDoesNotDrive() async {
      let isRunning = Locked(false)
      await withCheckedContinuation { continuation in
        outsideSimulations {
          // It keeps the main queue until that has the next two blocks.
          let gate = DispatchSemaphore(value: 0)
          DispatchQueue.main.async { outsideSimulations { gate.wait() } }
          DispatchQueue.global().async {
            continuation.resume()
            DispatchQueue.main.async {
              isRunning.withLock { $0 = true }
              // real time: the run loop of code outside
              outsideSimulations { RunLoop.main.run(until: Date() + 0.05) }
              isRunning.withLock { $0 = false }
            }
            gate.signal()
          }
        }
      }
      XCTAssertFalse(isRunning.withLock { $0 })
    }

    /// The main queue is not emptied in one of its own blocks.
    func testABlockRunsWithoutItsQueueIfABlockOfTheMainQueueDrives() {
      let isOver = Locked(false)
      outsideSimulations {
        DispatchQueue.main.async { [log, targeting] in
          let outer = sleepless_act_outside(false)
          targeting.async { log.note(Thread.isMainThread ? "on the main thread" : "elsewhere") }
          settle()
          _ = sleepless_act_outside(outer)
          isOver.withLock { $0 = true }
        }
        // real time: the run loop of code outside
        while !isOver.withLock({ $0 }) { RunLoop.main.run(until: Date() + 0.01) }
      }
      XCTAssertEqual(log.values, ["on the main thread at 0.0 seconds"])
    }

    func testWorkOfOthersOnTheMainQueueRunsMeanwhile() {
      let isOver = Locked(false)
      outsideSimulations { DispatchQueue.main.async { isOver.withLock { $0 = true } } }
      targeting.async { [log] in log.note("block") }
      settle()
      XCTAssertEqual(log.values, ["block at 0.0 seconds"])
      XCTAssertTrue(isOver.withLock { $0 })
    }
  }

  // Not async, so that they may run a run loop.

  @MainActor private func runMainRunLoop(for seconds: Double) {
    RunLoop.main.run(until: Date() + seconds)
  }

  @MainActor private func runMainRunLoopOnce() {
    _ = RunLoop.main.run(mode: .default, before: .distantFuture)
  }
#endif
