#if os(Linux)
  import CoreFoundation
#endif
import Sleepless
import SleeplessTesting
import Testing
import XCTest

// MissingFactProcessTests runs these with SLEEPLESS_RUNTIME, which treats a fact as missing.

@Suite(.serialized) struct MissingFacts {
  /// Code outside simulations that calls the functions which the library replaces.
  @Test func outside() async throws {
    async let one = 1
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 1...3 { group.addTask(name: "child") { number } }
      return await group.reduce(0, +)
    }
    let counter = Counter()
    await Task { await counter.increase() }.value
    await Task.detached { await counter.increase() }.value
    await Task(name: "named") { @MainActor in await counter.increase() }.value
    let start = ContinuousClock.now
    try await Task.sleep(for: .milliseconds(2))  // real time: the sleep itself is tested
    #expect(ContinuousClock.now - start >= .milliseconds(2))
    #expect(await one + sum == 7)
    #expect(await counter.value == 3)
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  @Test func settling() async {
    await settle()  // MARK: first settle
    await settle()  // MARK: second settle
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  @MainActor @Test func assertingLater() async {
    var count = 0
    Task {
      // real time: the assertions fail at first, and the helper has to wait for this
      try? await Task.sleep(for: .milliseconds(100))
      count = 1
    }
    await asyncAssert("the task has run") { #expect(count == 1) }
    await asyncAssert("the task has run, asked asynchronously") {
      await Task.yield()  // real time: no wait, but an asynchronous assertion
      #expect(count == 1)
    }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  @MainActor @Test func assertingNever() async {
    await asyncAssert("one is two") { #expect(1 == 2) }  // MARK: asserting never
  }

  /// Not isolated, because it blocks its thread.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  @Test func assertingHere() {
    asyncAssert("one is one") { #expect(1 == 1) }
    asyncAssert("one is two") { #expect(1 == 2) }  // MARK: asserting here
  }

  /// Steps between the body and an actor, which the public executors capture too.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  @Test func endingAtTheStepLimit() async throws {
    try? await simulate(stepLimit: 100) {  // MARK: too many steps
      let counter = Counter()
      for _ in 1...1000 { await counter.increase() }
    }
  }

  /// A simulation of child tasks, which the public executors capture too.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  @Test func simulatingChildTasks() async throws {
    let sum = try await simulate {
      async let one = 1
      async let two = 2
      return await one + two
    }
    #expect(sum == 3)
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  @Test func simulatingTask() async throws {
    let value = try await simulate(externalResumptions: .failed) {  // MARK: simulated task
      await withCheckedContinuation { continuation in
        Task {
          // real time: the sleep is real here, and ends after the body has been suspended
          try? await Task.sleep(for: .milliseconds(100))
          continuation.resume(returning: 1)
        }
      }
    }
    #expect(value == 1)
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
  @Test(.explored(schedules: 10, externalResumptions: .failed)) func exploring() async {
    await withCheckedContinuation { continuation in
      Task {
        // real time: the task runs outside the simulation, and ends after the body has been suspended
        try? await Task.sleep(for: .milliseconds(100))
        continuation.resume()
      }
    }
  }

  @Test func leaking() async {
    await expectDeallocated {  // MARK: leak
      let owner = Owner()
      owner.closure = { withExtendedLifetime(owner) {} }
      return owner
    }
  }

  #if os(Linux)
    /// A thread keeps the object. The thread waits until the check is over.
    @Test func keepingInAThread() {
      let (isKept, isChecked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      expectDeallocated {  // MARK: kept by a thread
        let owner = Locked<Owner?>(nil)
        Thread.detachNewThread {
          owner.withLock { $0 = Owner.keptByThread() }
          isKept.signal()
          isChecked.wait()
        }
        isKept.wait()
        return owner.withLock { $0.take()! }
      }
      isChecked.signal()
    }
  #endif

  @Test func growing() {
    assertNoGrowth { Issue.record("the closure has run") }  // MARK: growth
  }
}

#if os(Linux)
  /// Tests that would sleep for an hour if they ran without a simulation.
  @available(macOS 15, *)
  final class UncapturedTests: SimulatedTestCase {
    override var simulationSettings: SimulationSettings {
      SimulationSettings()  // MARK: settings of a simulated test case
    }

    func testSleep() async throws {  // MARK: uncaptured test
      // real time: none, the test is simulated or does not run
      try await Task.sleep(for: .seconds(3600))
    }

    static var cells: [XCTestCaseEntry] {
      [testCase([("testSleep", asyncTest(testSleep)), ("testSleepAgain", asyncTest(testSleep))])]
    }
  }
#endif

#if os(Linux)
  /// XCTest's assertions where tasks cannot be followed.
  @available(macOS 15, *)
  final class UnfollowedTests: XCTestCase {
    private func start(_ count: Locked<Int>) {
      Task {
        // real time: the assertions fail at first, and the helper has to wait for this
        try? await Task.sleep(for: .milliseconds(100))
        count.withLock { $0 += 1 }
      }
    }

    func testHere() {
      let count = Locked(0)
      start(count)
      asyncAssert("it has run") { XCTAssertEqual(count.withLock { $0 }, 1) }
      asyncAssert("twice") { XCTAssertEqual(count.withLock { $0 }, 2) }  // MARK: unfollowed here
    }

    func testAsynchronously() async {
      let count = Locked(0)
      start(count)
      await asyncAssert("it has run") { XCTAssertEqual(count.withLock { $0 }, 1) }
      await asyncAssert("twice") { XCTAssertEqual(count.withLock { $0 }, 2) }  // MARK: unfollowed
    }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([("testHere", testHere)]),
        testCase([("testAsynchronously", asyncTest(testAsynchronously))]),
      ]
    }
  }
#endif

#if os(Linux)
  /// Waits in simulations, which take real time without the fact about them.
  @available(macOS 15, *)
  final class WaitingTests: SimulatedTestCase {
    override var simulationSettings: SimulationSettings { SimulationSettings(time: .manual) }

    func testWait() {
      let fulfilled = expectation(description: "fulfilled")
      Task { fulfilled.fulfill() }
      // real time: the wait itself is tested
      wait(for: [fulfilled], timeout: 600)
    }

    func testWaitAsynchronously() async {
      let fulfilled = expectation(description: "fulfilled")
      Task { fulfilled.fulfill() }
      await Task.yield()  // real time: none, it lets the task run
      await fulfillment(of: [fulfilled], timeout: 600)
    }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([("testWait", testWait)]),
        testCase([("testWaitAsynchronously", asyncTest(testWaitAsynchronously))]),
      ]
    }
  }
#endif

#if os(Linux)
  /// Waits on the main thread for a block of the simulation. Without the fact about conditions the wait is real, and
  /// nothing runs the block.
  @available(macOS 15, *)
  final class RealWaitTests: SimulatedTestCase {
    func testCondition() {  // MARK: a real wait
      let (condition, isReady) = (NSCondition(), Locked(false))
      DispatchQueue.global().async {
        condition.withLock {
          isReady.withLock { $0 = true }
          condition.signal()
        }
      }
      condition.withLock {
        while !isReady.withLock({ $0 }) { condition.wait() }
      }
    }

    /// Core Foundation's run loop, which is stopped by a block that is due later.
    func testRunLoop() {
      DispatchQueue.global().asyncAfter(deadline: .now() + 3600) {
        CFRunLoopStop(CFRunLoopGetMain())
      }
      CFRunLoopRun()
      XCTAssertEqual(Simulation.current?.now, .seconds(3600))
    }

    static var condition: [XCTestCaseEntry] { [testCase([("testCondition", testCondition)])] }
    static var runLoop: [XCTestCaseEntry] { [testCase([("testRunLoop", testRunLoop)])] }
  }
#endif

private actor Counter {
  private(set) var value = 0
  func increase() { value += 1 }
}

private final class Owner: @unchecked Sendable {
  // Unchecked because one thread at a time uses it.
  var closure: (() -> Void)?

  #if os(Linux)
    /// An object that only the calling thread holds, as the value of a key.
    static func keptByThread() -> Owner {
      var key = pthread_key_t()
      pthread_key_create(&key, nil)
      let owner = Owner()
      pthread_setspecific(key, Unmanaged.passRetained(owner).toOpaque())
      return owner
    }
  #endif
}
