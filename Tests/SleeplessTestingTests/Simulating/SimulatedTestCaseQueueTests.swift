// virtual time: everything here runs in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessTesting
import TestSupport
import XCTest

#if os(Linux) && !SLEEPLESS_AS_ON_APPLE
  /// Queues, timer sources and blocking calls in the simulations of test cases, from the test's own code on the main
  /// thread.
  final class SimulatedTestCaseQueueTests: SimulatedTestCase {
    private let log = TimedLog()
    private let queue = DispatchQueue(label: "app")

    override func setUpWithError() throws { try skipWithoutQueues() }

    func testBlocksOfTheMainQueueRunOnTheMainThread() {
      DispatchQueue.main.async { [log] in
        dispatchPrecondition(condition: .onQueue(.main))
        MainActor.assertIsolated()
        log.note(Thread.isMainThread ? "on the main thread" : "elsewhere")
      }
      XCTAssertEqual(log.values, [])
      settle()
      XCTAssertEqual(log.values, ["on the main thread at 0.0 seconds"])
    }

    func testBlocksAreDueInVirtualTimeAndLeaveTheMainThread() {
      queue.asyncAfter(deadline: .now() + 5) { [log, queue] in
        dispatchPrecondition(condition: .onQueue(queue))
        log.note(Thread.isMainThread ? "on the main thread" : "elsewhere")
        DispatchQueue.main.async { [log] in log.note("back") }
      }
      settle()
      XCTAssertEqual(log.values, ["elsewhere at 5.0 seconds", "back at 5.0 seconds"])
    }

    func testABlockThatSleepsLetsOthersGoOn() {
      queue.async { [log] in
        Thread.sleep(forTimeInterval: 2)
        log.note("slept")
      }
      Task { [log] in
        try await Task.sleep(for: .seconds(1))
        log.note("task")
      }
      settle()
      XCTAssertEqual(log.values, ["task at 1.0 seconds", "slept at 2.0 seconds"])
    }

    func testTheTestWaitsForAGroup() {
      let group = DispatchGroup()
      for seconds in 1...3 {
        DispatchQueue.global().async(group: group) { [log] in
          Thread.sleep(forTimeInterval: Double(seconds))
          log.note("\(seconds)")
        }
      }
      group.notify(queue: .main) { [log] in log.note("notified") }
      XCTAssertEqual(group.wait(timeout: .now() + 1.5), .timedOut)
      XCTAssertEqual(log.values, ["1 at 1.0 seconds"])
      group.wait()
      XCTAssertEqual(Simulation.current?.now, .seconds(3))
      settle()
      XCTAssertEqual(log.values.last, "notified at 3.0 seconds")
    }

    func testTheTestWaitsForASemaphoreRoundAnAsynchronousCall() {
      let hasEnded = DispatchSemaphore(value: 0)
      Task { [log] in
        try await Task.sleep(for: .seconds(3))
        log.note("loaded")
        hasEnded.signal()
      }
      hasEnded.wait()
      XCTAssertEqual(log.values, ["loaded at 3.0 seconds"])
      XCTAssertEqual(hasEnded.wait(timeout: .now() + 10), .timedOut)
      XCTAssertEqual(Simulation.current?.now, .seconds(13))
    }

    func testTheTestCallsAQueueSynchronously() {
      queue.async { [log] in
        Thread.sleep(forTimeInterval: 1)
        log.note("first")
      }
      queue.sync { [log, queue] in
        dispatchPrecondition(condition: .onQueue(queue))
        log.note("second")
      }
      XCTAssertEqual(log.values, ["first at 1.0 seconds", "second at 1.0 seconds"])
    }

    func testTheTestWaitsForOperations() throws {
      try Need.operations.orSkip()
      let operations = OperationQueue()
      operations.addOperation { [log] in
        Thread.sleep(forTimeInterval: 4)
        log.note("operation")
      }
      operations.waitUntilAllOperationsAreFinished()
      XCTAssertEqual(log.values, ["operation at 4.0 seconds"])
    }

    func testTheTestWaitsForOperationsOfAQueueBelowThem() throws {
      try Need.operations.orSkip()
      let operations = OperationQueue()
      operations.underlyingQueue = queue
      for name in ["one", "two"] {
        operations.addOperation { [log, queue] in
          dispatchPrecondition(condition: .onQueue(queue))
          Thread.sleep(forTimeInterval: 1)
          log.note(name)
        }
      }
      operations.waitUntilAllOperationsAreFinished()
      XCTAssertEqual(log.values, ["one at 1.0 seconds", "two at 2.0 seconds"])
    }

    func testAnExpectationIsFulfilledOnAQueue() {
      let isDone = expectation(description: "done")
      queue.asyncAfter(deadline: .now() + 59) { isDone.fulfill() }
      wait(for: [isDone], timeout: 60)
      XCTAssertEqual(Simulation.current?.now, .seconds(59))
    }

    func testAJobOfTheMainActorBlocksTheMainThread() {
      let isDone = DispatchSemaphore(value: 0)
      Task { @MainActor [log] in
        isDone.wait()
        log.note("main actor")
      }
      queue.asyncAfter(deadline: .now() + 2) { [log] in
        log.note("signals")
        isDone.signal()
      }
      DispatchQueue.main.async { [log] in log.note("next on the main queue") }
      settle()
      XCTAssertEqual(
        log.values,
        [
          "signals at 2.0 seconds", "main actor at 2.0 seconds",
          "next on the main queue at 2.0 seconds",
        ])
    }

    func testAnAsynchronousTestAwaitsAQueue() async {
      let queue = queue
      await withCheckedContinuation { continuation in
        queue.asyncAfter(deadline: .now() + 3600) { continuation.resume() }
      }
      XCTAssertEqual(Simulation.current?.now, .seconds(3600))
      await MainActor.run {
        XCTAssertTrue(Thread.isMainThread)
        queue.sync { _ = usleep(1_000_000) }
      }
      XCTAssertEqual(Simulation.current?.now, .seconds(3601))
    }

    func testATaskAdvancesTimeWhileTheMainThreadIsBlocked() {
      let isDone = DispatchSemaphore(value: 0)
      queue.async { Thread.sleep(forTimeInterval: 1) }
      Task { @MainActor [log] in
        isDone.wait()
        log.note("main actor")
      }
      Task { [log] in
        try await Task.sleep(for: .seconds(2))
        log.note("task")
        isDone.signal()
      }
      settle()
      XCTAssertEqual(log.values, ["task at 2.0 seconds", "main actor at 2.0 seconds"])
    }

    func testTheTestWaitsForACondition() throws {
      try Need.operations.orSkip()
      try Need.dates.orSkip()
      let condition = NSCondition()
      let isReady = Locked(false)
      queue.asyncAfter(deadline: .now() + 7) {
        condition.withLock {
          isReady.withLock { $0 = true }
          condition.broadcast()
        }
      }
      condition.lock()
      while !isReady.withLock({ $0 }) { condition.wait() }
      condition.unlock()
      XCTAssertEqual(Simulation.current?.now, .seconds(7))
      condition.lock()
      XCTAssertFalse(condition.wait(until: Date() + 3))
      condition.unlock()
      XCTAssertEqual(Simulation.current?.now, .seconds(10))
    }

    func testATimerSourceTicksWhileTheTestAdvances() {
      let source = DispatchSource.makeTimerSource(queue: queue)
      source.schedule(deadline: .now() + 1, repeating: 1)
      source.setEventHandler { [log] in log.note("tick") }
      source.resume()
      Simulation.advance(by: .milliseconds(2500))
      source.cancel()
      XCTAssertEqual(log.values, ["tick at 1.0 seconds", "tick at 2.0 seconds"])
    }

    func testWorkOfTheSchedulerRunsOnTheMainThread() {
      let scheduler = Simulation.scheduler()
      scheduler.schedule(after: .seconds(1)) { [log] in
        MainActor.assertIsolated()
        log.note("scheduled")
      }
      Task { try await Task.sleep(for: .seconds(2)) }
      settle()
      XCTAssertEqual(log.values, ["scheduled at 1.0 seconds"])
    }

    func testManyBlocksBlockTheirThreads() {
      let isOpen = DispatchSemaphore(value: 0)
      let group = DispatchGroup()
      for _ in 1...20 {
        DispatchQueue.global().async(group: group) {
          isOpen.wait()
          Thread.sleep(forTimeInterval: 1)
          isOpen.signal()
        }
      }
      queue.asyncAfter(deadline: .now() + 1) { isOpen.signal() }
      group.wait()
      XCTAssertEqual(Simulation.current?.now, .seconds(21))
    }

    // MARK: Turns between the main thread and others

    func testABlockAndAJobOfTheMainActorSleep() {
      queue.async { Thread.sleep(forTimeInterval: 1) }
      Task { @MainActor in usleep(2_000_000) }
      settle()
      XCTAssertEqual(Simulation.current?.now, .seconds(2))
    }

    func testAJobThatSleepsOnTheMainThreadKeepsTheTestFromEnding() {
      Task { @MainActor in usleep(60_000_000) }
    }

    func testTheMainThreadIsFreedByABlockThatGoesOn() {
      let (main, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      Task { @MainActor in main.wait() }
      queue.async {
        main.signal()
        Thread.sleep(forTimeInterval: 1)
        done.signal()
      }
      settle()
      done.wait()
      XCTAssertEqual(Simulation.current?.now, .seconds(1))
    }

    func testABlockOfTheMainQueueFreesABlockedBlock() {
      let (main, held) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      DispatchQueue.global().async { held.wait() }
      Task { @MainActor in main.wait() }
      DispatchQueue.global().async { [log] in
        main.signal()
        Thread.sleep(forTimeInterval: 1)
        DispatchQueue.main.async {
          log.note("main queue")
          held.signal()
        }
      }
      settle()
      XCTAssertEqual(log.values, ["main queue at 1.0 seconds"])
    }

    func testATaskMovesTimeWhileTheMainThreadIsBlocked() {
      let (main, held) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      queue.async { held.wait() }
      Task { @MainActor in main.wait() }
      Task {
        held.signal()
        await Simulation.current!.advance(by: .seconds(1))
        main.signal()
      }
      settle()
      XCTAssertEqual(Simulation.current?.now, .seconds(1))
    }

    func testAnAsynchronousTestTakesManyStepsBesideABlockedMainThread() async {
      let main = DispatchSemaphore(value: 0)
      Task { @MainActor in signalledWait(main) }
      await Task.yield()
      for _ in 1...3000 { await Task.yield() }
      main.signal()
      for _ in 1...3000 { await Task.yield() }
    }

    // MARK: What the test's own code waits for

    func testAJobOfTheMainActorDoesNotRunWhileTheTestBlocksTheMainThread() {
      let isDone = DispatchSemaphore(value: 0)
      Task { @MainActor in isDone.signal() }
      XCTAssertEqual(isDone.wait(timeout: .now() + 1), .timedOut)
      settle()
      XCTAssertEqual(isDone.wait(timeout: .now() + 1), .success)
    }

    func testAConditionIsSignalledByABlockThatHasItsLock() throws {
      try Need.operations.orSkip()
      let condition = NSCondition()
      let isReady = Locked(false)
      queue.async {
        condition.lock()
        isReady.withLock { $0 = true }
        Thread.sleep(forTimeInterval: 1)
        condition.signal()
        condition.unlock()
      }
      condition.lock()
      while !isReady.withLock({ $0 }) { condition.wait() }
      condition.unlock()
      XCTAssertEqual(Simulation.current?.now, .seconds(1))
    }

    func testAConditionIsSignalledByABlockThatKeepsItsLock() throws {
      try Need.operations.orSkip()
      let condition = NSCondition()
      let isReady = Locked(false)
      queue.async {
        condition.lock()
        isReady.withLock { $0 = true }
        condition.signal()
        Thread.sleep(forTimeInterval: 1)
        condition.unlock()
      }
      condition.lock()
      while !isReady.withLock({ $0 }) { condition.wait() }
      condition.unlock()
      XCTAssertEqual(Simulation.current?.now, .seconds(1))
    }

    func testAThreadOutsideSignalsACondition() throws {
      try Need.operations.orSkip()
      let condition = NSCondition()
      let isReady = Locked(false)
      Thread.detachNewThread {
        usleep(20_000)  // real time: the thread is outside
        condition.withLock {
          isReady.withLock { $0 = true }
          condition.signal()
        }
      }
      condition.lock()
      while !isReady.withLock({ $0 }) { condition.wait() }
      condition.unlock()
      XCTAssertEqual(Simulation.current?.now, .zero)
    }

    func testAConditionThatIsNotSignalledTimesOutWhateverElseHappens() throws {
      try Need.operations.orSkip()
      try Need.dates.orSkip()
      let condition = NSCondition()
      Task { for _ in 1...3 { try await Task.sleep(for: .seconds(1)) } }
      condition.lock()
      XCTAssertFalse(condition.wait(until: Date() + 5))
      condition.unlock()
      XCTAssertEqual(Simulation.current?.now, .seconds(5))
    }

    func testAGroupIsEmptyForAMoment() {
      let group = DispatchGroup()
      group.enter()
      queue.async {
        group.leave()
        group.enter()
      }
      XCTAssertEqual(group.wait(timeout: .now() + 1), .success)
      group.leave()
    }
  }

  /// Skips a test where blocks, or calls that wait for them, take real time, or deadlines are made by real clocks.
  private func skipWithoutQueues() throws {
    for need in [Need.queues, .blockingCalls, .clocks] { try need.orSkip() }
  }

  /// Asynchronous code must not call these directly.
  private func signalledWait(_ semaphore: DispatchSemaphore) { semaphore.wait() }

  /// Where the test moves time by hand.
  final class ManualTimeQueueTests: SimulatedTestCase {
    override var simulationSettings: SimulationSettings { SimulationSettings(time: .manual) }

    override func setUpWithError() throws { try skipWithoutQueues() }

    func testAJobThatBlocksTheMainThreadGoesOnInTheTimeThatTheTestMoves() {
      let log = TimedLog()
      Task { @MainActor in
        usleep(1_000_000)
        log.note("main actor")
      }
      Simulation.advance(by: .seconds(2))
      XCTAssertEqual(log.values, ["main actor at 1.0 seconds"])
      XCTAssertEqual(Simulation.current?.now, .seconds(2))
    }

    func testWaitsOfTheTestMoveTime() throws {
      try Need.runLoops.orSkip()
      let isDone = DispatchSemaphore(value: 0)
      DispatchQueue.global().asyncAfter(deadline: .now() + 2) { isDone.signal() }
      XCTAssertEqual(isDone.wait(timeout: .now() + 1), .timedOut)
      XCTAssertEqual(Simulation.current?.now, .seconds(1))
      XCTAssertEqual(isDone.wait(timeout: .now() + 5), .success)
      XCTAssertEqual(Simulation.current?.now, .seconds(2))
      RunLoop.main.run(until: Date() + 3)
      XCTAssertEqual(Simulation.current?.now, .seconds(5))
    }

    func testEachClockMovesByAdvancesAndWaitsOfTheTest() throws {
      try Need.dates.orSkip()
      let start = clockReadings()
      Task { try await Task.sleep(for: .seconds(6)) }
      settle()
      XCTAssertEqual(clockReadings(), start)
      Simulation.advance(by: .seconds(3))
      XCTAssertEqual(Set(secondsPassed(since: start).values), [3])
      Thread.sleep(forTimeInterval: 2)
      XCTAssertEqual(Set(secondsPassed(since: start).values), [5])
      XCTAssertEqual(DispatchSemaphore(value: 0).wait(timeout: .now() + 2), .timedOut)
      settle()
      XCTAssertEqual(Set(secondsPassed(since: start).values), [7])
    }
  }

  final class OutsideQueueTests: SimulatedTestCase {
    override var simulationSettings: SimulationSettings { SimulationSettings(dispatch: .outside) }

    func testQueuesCanStayReal() {
      let (queue, operations) = (DispatchQueue(label: "real"), OperationQueue())
      let log = Log<String>()
      let place = { @Sendable in Simulation.current == nil ? "outside" : "inside" }
      let (group, gate) = (DispatchGroup(), DispatchSemaphore(value: 0))
      queue.async(group: group) { log.append("block \(place())") }
      queue.async(group: group) { outsideSimulations { gate.wait() } }
      operations.addOperation { log.append("operation \(place())") }
      operations.waitUntilAllOperationsAreFinished()
      // In the simulation this block would come after the one that waits.
      DispatchQueue.global().async { gate.signal() }
      queue.sync { log.append(Thread.isMainThread ? "sync on the main thread" : "sync elsewhere") }
      let notified = DispatchSemaphore(value: 0)
      group.notify(queue: queue) {
        log.append("notified \(place())")
        notified.signal()
      }
      outsideSimulations { notified.wait() }
      XCTAssertEqual(Set(log.values.prefix(2)), ["block outside", "operation outside"])
      XCTAssertEqual(log.values.dropFirst(2), ["sync on the main thread", "notified outside"])
    }
  }
#endif
