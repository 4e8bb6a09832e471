// virtual time: everything here runs in simulations
#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  import CoreFoundation
  import Sleepless
  import SleeplessTesting
  import XCTest

  /// Ends of simulations that no line of the test stands for.
  class SimulatedEndTests: SimulatedTestCase {
    override var simulationSettings: SimulationSettings { SimulationSettings(stepLimit: 10_000) }

    func testSleepsOn() {  // MARK: sleeps on
      Task { try await Task.sleep(for: .seconds(60)) }
    }

    func testSkipsItself() throws {
      Task { try await Task.sleep(for: .seconds(60)) }
      throw XCTSkip("not today")
    }

    func testWaitsOn() async throws {  // MARK: waits on
      Task {
        for await _ in AsyncStream<Never>(unfolding: { await waitUntilCancelled() }) {}
      }
      try await Task.sleep(for: .seconds(1))
    }

    func testIgnoresCancellation() {  // MARK: ignores cancellation
      Simulation.current?.background {
        _ = Task { await waitForEver() }
      }
      settle()
    }

    func testSpinsOn() {  // MARK: spins on
      Task { while !Task.isCancelled { await Task.yield() } }
    }

    func testSpinsInTheScheduler() {
      Simulation.scheduler().schedule(after: .seconds(1)) {
        Task { while !Task.isCancelled { await Task.yield() } }
        settle()  // MARK: spins in the scheduler
      }
      settle()
    }

    func testSleepsForEver() async {
      while true {
        try? await Task.sleep(for: .seconds(1))  // MARK: sleeps for ever
      }
    }

    func testSleepsForEverSynchronously() {
      Task { while true { try? await Task.sleep(for: .seconds(1)) } }
      settle()  // MARK: sleeps for ever synchronously
    }

    func testActivatesAQueueOutside() {
      Workloop.runOnQueueThatGetsItAsItsTarget { print("ran outside") }
      settle()
    }

    func testLeavesABlockOutside() {  // MARK: leaves a block outside
      Workloop.run {}
      XCTFail("failed")  // MARK: fails beside a block outside
    }

    func testFailsInBlocks() {
      DispatchQueue.global().async { XCTFail("in a block") }  // MARK: fails in a block
      DispatchQueue.main.async { XCTFail("on main") }  // MARK: fails on the main queue
      DispatchQueue.global().asyncAfter(deadline: .now() + 3600) {
        XCTAssertNotEqual(Simulation.current?.now, .seconds(3600))  // MARK: fails in a late block
      }
      settle()
    }

    func testFailsInABlockAtItsEnd() {
      DispatchQueue.global().async { XCTFail("at the end") }  // MARK: fails in a block at its end
    }

    func testLeavesWorkPending() {  // MARK: leaves work pending
      Simulation.scheduler().schedule(after: .seconds(5)) {}  // MARK: pending work
    }

    func testAwaitsAGlobalsTask() async {
      await Mailbox.shared.consumer.value  // MARK: awaits a global's task
    }

    func testGoesOn() async throws {
      try await Task.sleep(for: .seconds(3600))
      print("went on at \(Simulation.current?.now ?? .zero)")
    }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testSleepsOn", testSleepsOn), ("testSkipsItself", testSkipsItself),
          ("testWaitsOn", asyncTest(testWaitsOn)),
          ("testIgnoresCancellation", testIgnoresCancellation),
          ("testActivatesAQueueOutside", testActivatesAQueueOutside),
          ("testLeavesABlockOutside", testLeavesABlockOutside),
          ("testFailsInBlocks", testFailsInBlocks),
          ("testFailsInABlockAtItsEnd", testFailsInABlockAtItsEnd),
          ("testLeavesWorkPending", testLeavesWorkPending),
          ("testAwaitsAGlobalsTask", asyncTest(testAwaitsAGlobalsTask)),
        ]),
        // The test is inherited.
        InheritedEndTests.cell,
        testCase([
          ("testSpinsOn", testSpinsOn), ("testSpinsInTheScheduler", testSpinsInTheScheduler),
          ("testSleepsForEver", asyncTest(testSleepsForEver)),
          ("testSleepsForEverSynchronously", testSleepsForEverSynchronously),
          ("testGoesOn", asyncTest(testGoesOn)),
        ]),
      ]
    }
  }

  class InheritedEndTests: SimulatedEndTests {
    static var cell: XCTestCaseEntry {
      testCase([("testSleepsOn", InheritedEndTests.testSleepsOn)])
    }
  }

  /// Tests that do not advance their time.
  class ManualTimeTests: SimulatedTestCase {
    override var simulationSettings: SimulationSettings { SimulationSettings(time: .manual) }

    func testSleeps() async throws {
      try await Task.sleep(for: .seconds(60))  // MARK: sleeps in manual time
    }

    func testWaits() {
      let never = expectation(description: "never")
      wait(for: [never], timeout: 60)  // MARK: waits in manual time
      XCTAssertEqual(Simulation.current?.now, .seconds(60))
    }

    /// A wait of the test's own code moves time to its end, and no further.
    func testWaitsForAnInvertedExpectation() {
      let early = expectation(description: "early")
      early.isInverted = true
      Task {
        try await Task.sleep(for: .seconds(59))
        early.fulfill()  // MARK: fulfills in manual time
      }
      wait(for: [early], timeout: 60)
    }

    func testWaitsForAnExpectationThatComesTooLate() {
      let late = expectation(description: "late")
      late.isInverted = true
      let task = Task {
        try await Task.sleep(for: .seconds(61))
        late.fulfill()
      }
      wait(for: [late], timeout: 60)
      XCTAssertEqual(Simulation.current?.now, .seconds(60))
      task.cancel()
    }

    func testWaitsInATask() async {
      let never = expectation(description: "never")
      await fulfillment(of: [never], timeout: 60)  // MARK: awaits in manual time
    }

    func testGoesOn() {
      Task {
        try await Task.sleep(for: .seconds(60))
        print("went on at \(Simulation.current?.now ?? .zero)")
      }
      Simulation.advance(by: .seconds(3600))
    }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testSleeps", asyncTest(testSleeps)), ("testWaits", testWaits),
          ("testWaitsForAnInvertedExpectation", testWaitsForAnInvertedExpectation),
          (
            "testWaitsForAnExpectationThatComesTooLate",
            testWaitsForAnExpectationThatComesTooLate
          ),
          ("testWaitsInATask", asyncTest(testWaitsInATask)), ("testGoesOn", testGoesOn),
        ])
      ]
    }
  }

  /// Tests with a task that a thread resumes, which no simulation controls.
  class ResumedFromOutsideTests: SimulatedTestCase {
    func testIsAnswered() async throws {  // MARK: is answered from outside
      try await awaitAnswerFromOutside()
    }

    func testIsAnsweredAndFails() async throws {  // MARK: is answered and fails
      try await awaitAnswerFromOutside()
      XCTFail("failed")  // MARK: fails after an answer
    }

    func testIsAnsweredOnce() async throws {
      try await awaitAnswerFromOutside()
      await waitForEver()  // MARK: is answered once
    }

    func testGoesOn() async throws {
      try await Task.sleep(for: .seconds(3600))
      print("went on at \(Simulation.current?.now ?? .zero)")
    }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testIsAnswered", asyncTest(testIsAnswered)),
          ("testIsAnsweredAndFails", asyncTest(testIsAnsweredAndFails)),
          ("testIsAnsweredOnce", asyncTest(testIsAnsweredOnce)),
          ("testGoesOn", asyncTest(testGoesOn)),
        ]), WarnedOfResumptionTests.cell, FailedByResumptionTests.cell,
      ]
    }
  }

  class WarnedOfResumptionTests: ResumedFromOutsideTests {
    override var simulationSettings: SimulationSettings {
      SimulationSettings(externalResumptions: .warned)
    }

    static var cell: XCTestCaseEntry {
      testCase([("testIsAnswered", asyncTest(WarnedOfResumptionTests.testIsAnswered))])
    }
  }

  class FailedByResumptionTests: ResumedFromOutsideTests {
    override var simulationSettings: SimulationSettings {
      SimulationSettings(externalResumptions: .failed)
    }

    static var cell: XCTestCaseEntry {
      testCase([("testIsAnswered", asyncTest(FailedByResumptionTests.testIsAnswered))])
    }
  }

  /// A test that waits until it has failed because of that.
  class WaitingForFailureTests: SimulatedTestCase {
    fileprivate let hasFailed = Gate()

    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      super.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      hasFailed.open()
    }
  }

  /// Tests whose jobs do not return.
  class BlockedTests: WaitingForFailureTests {
    func testBlocks() async {  // MARK: blocks
      let hasFailed = hasFailed
      await Task { while !hasFailed.isOpen { sched_yield() } }.value
      print("went on after the failure")
    }

    func testSpinsInABlock() {  // MARK: spins in a block
      spin(on: DispatchQueue(label: "com.example.busy"))
      settle()
      print("went on after the failure")
    }

    func testSpinsInABlockOfTheMainQueue() {  // MARK: spins in a block of the main queue
      spin(on: .main)
      settle()
      print("went on after the failure")
    }

    func testSyncsWithAQueueThatSpins() {  // MARK: syncs with a queue that spins
      let queue = DispatchQueue(label: "com.example.busy")
      spin(on: queue)
      queue.sync {}
      print("went on after the failure")
    }

    func testGoesOn() {
      Thread.sleep(forTimeInterval: 3600)
      print("went on at \(Simulation.current?.now ?? .zero)")
    }

    private func spin(on queue: DispatchQueue) {
      queue.async { [hasFailed] in while !hasFailed.isOpen { sched_yield() } }
    }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testBlocks", asyncTest(testBlocks)), ("testSpinsInABlock", testSpinsInABlock),
          ("testSpinsInABlockOfTheMainQueue", testSpinsInABlockOfTheMainQueue),
          ("testSyncsWithAQueueThatSpins", testSyncsWithAQueueThatSpins),
          ("testGoesOn", testGoesOn),
        ])
      ]
    }
  }

  /// Tests with more blocks than a simulation has threads. The blocks wait for ever, and their threads stay blocked.
  class ParkedTests: SimulatedTestCase {
    private let gate = DispatchSemaphore(value: 0)
    private let hasFailed = DispatchSemaphore(value: 0)

    override func tearDown() async throws {
      try await Task.sleep(for: .seconds(3600))
      print("torn down")
    }

    func testSettles() {
      park()
      settle()  // MARK: settles beside parked threads
      print("went on after the failure")
    }

    func testSleeps() {
      park()
      Thread.sleep(forTimeInterval: 5)  // MARK: sleeps beside parked threads
      print("went on after the failure")
    }

    func testAwaits() async throws {
      park()
      try await Task.sleep(for: .seconds(5))  // MARK: awaits beside parked threads
      print("went on after the failure")
    }

    func testWaits() {
      park()
      hasFailed.wait()  // MARK: waits beside parked threads
      print("went on after the failure")
    }

    func testEnds() {  // MARK: ends beside parked threads
      park()
    }

    func testGoesOn() {
      DispatchQueue.global().asyncAfter(deadline: .now() + 3600) {
        print("went on at \(Simulation.current?.now ?? .zero)")
      }
      settle()
    }

    private func park() {
      for _ in 1...600 { DispatchQueue.global().async { [gate] in gate.wait() } }
    }

    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      super.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      hasFailed.signal()
    }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testSettles", testSettles), ("testSleeps", testSleeps),
          ("testAwaits", asyncTest(testAwaits)), ("testWaits", testWaits), ("testEnds", testEnds),
          ("testGoesOn", testGoesOn),
        ])
      ]
    }
  }

  /// A test that waits for a lock which a blocked block has, until the test has failed because of that.
  class LockedTests: SimulatedTestCase {
    private static let lock = NSLock()

    func testWaitsForALock() {  // MARK: waits for a lock
      DispatchQueue.global().async { Self.lock.withLock { Thread.sleep(forTimeInterval: 5) } }
      Simulation.advance(by: .seconds(1))
      Self.lock.withLock { print("went on after the failure") }
      settle()
    }

    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      super.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      // Not the thread that has locked it; the C library does not mind.
      Self.lock.unlock()
    }

    static var cells: [XCTestCaseEntry] {
      [testCase([("testWaitsForALock", testWaitsForALock)])]
    }
  }

  /// Tests that wait on their threads for what nothing in the simulation does.
  class DeadlockedTests: WaitingForFailureTests {
    func testAwaitsABlockedThread() async {
      let hasFailed = hasFailed
      await Task { hasFailed.block() }.value  // MARK: awaits a blocked thread
      print("went on after the failure")
    }

    func testBlocksTheMainThread() {  // MARK: blocks the main thread
      Task { @MainActor [hasFailed] in hasFailed.block() }
      settle()
      print("went on after the failure")
    }

    func testEndsWithABlockedMainThread() {  // MARK: ends with a blocked main thread
      Task { @MainActor [hasFailed] in
        try? await Task.sleep(for: .seconds(60))
        hasFailed.block()
        print("went on after the failure")
      }
    }

    func testWaitsInItsOwnCode() {
      Task { [hasFailed] in await hasFailed.wait() }
      hasFailed.block()  // MARK: waits in its own code
      print("went on after the failure")
    }

    func testSyncsWithTheMainQueue() {
      DispatchQueue.main.sync {  // MARK: syncs with the main queue
        print("went on after the failure")
      }
      settle()
    }

    func testSyncsWithAQueueThatTargetsTheMainQueue() {
      let targeting = DispatchQueue(label: "com.example.targeting", target: .main)
      targeting.sync {  // MARK: syncs with a queue that targets the main queue
        print("went on after the failure")
      }
      settle()
    }

    func testRunsARunLoop() {
      DispatchQueue.main.async { print("in the run loop") }
      CFRunLoopRun()  // MARK: runs a run loop
      print("went on after the failure")
    }

    func testRunsARunLoopInAJob() {  // MARK: runs a run loop in a job
      Task { @MainActor in CFRunLoopRun() }
      settle()
      print("went on after the failure")
    }

    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      super.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
      CFRunLoopStop(CFRunLoopGetMain())
    }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testAwaitsABlockedThread", asyncTest(testAwaitsABlockedThread)),
          ("testBlocksTheMainThread", testBlocksTheMainThread),
          ("testEndsWithABlockedMainThread", testEndsWithABlockedMainThread),
          ("testWaitsInItsOwnCode", testWaitsInItsOwnCode),
          ("testSyncsWithTheMainQueue", testSyncsWithTheMainQueue),
          (
            "testSyncsWithAQueueThatTargetsTheMainQueue", testSyncsWithAQueueThatTargetsTheMainQueue
          ),
          ("testRunsARunLoop", testRunsARunLoop),
          ("testRunsARunLoopInAJob", testRunsARunLoopInAJob),
        ])
      ]
    }
  }

  /// Waits for an answer that a thread gives when ten seconds of virtual time have passed.
  private func awaitAnswerFromOutside() async throws {
    let answer = Locked<CheckedContinuation<Void, Never>?>(nil)
    let request = Task(name: "request") {
      await withCheckedContinuation { done in answer.withLock { $0 = done } }
    }
    try await Task.sleep(for: .seconds(10))
    Thread.detachNewThread { answer.withLock { $0.take() }?.resume() }
    await request.value
  }

  /// A global variable whose task waits for ever.
  private final class Mailbox: Sendable {
    static let shared = Mailbox()
    let consumer: Task<Void, Never>
    private let letters = AsyncStream.makeStream(of: String.self)

    private init() {
      consumer = Task(name: "consumer") { [letters = letters.stream] in for await _ in letters {} }
    }
  }

  private func waitForEver() async {
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }

  private func waitUntilCancelled() async -> Never? {
    let (nothing, end) = AsyncStream.makeStream(of: Never.self)
    for await _ in nothing {}
    withExtendedLifetime(end) {}
    return nil
  }
#endif
