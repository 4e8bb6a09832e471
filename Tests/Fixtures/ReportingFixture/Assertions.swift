import Foundation
import SleeplessTesting
import Testing
import VirtualTime
import XCTest

/// Has each assertion that waits fail once, on the line that is marked with its name.
private func failEachAsync() async {
  await eventually(failFast: { true }) { false }  // MARK: eventually
  await eventually(failFast: { true }) { await no() }  // MARK: eventually async
  _ = try? await eventually(failFast: { true }) { nil as Int? }  // MARK: eventually value
  _ = try? await eventually(failFast: { true }) { await nothing() }  // MARK: eventually async value
  await eventually(asserting: "it", failFast: { true }) { throw Wrong() }  // MARK: holds
  await eventually(asserting: "it", failFast: { true }) { try await fail() }  // MARK: holds async
  await always(during: .seconds(1)) { false }  // MARK: always
  await always(during: .seconds(1)) { await no() }  // MARK: always async
  await never(during: .seconds(1)) { true }  // MARK: never
  await never(during: .seconds(1)) { await !no() }  // MARK: never async
  await expectThrows { 1 }  // MARK: expectThrows
  await expectThrows(Wrong.self) { 1 }  // MARK: expectThrows of a type
  await expectThrows(Wrong()) { 1 }  // MARK: expectThrows of an error
  await expectThrows(where: { _ in true }) { 1 }  // MARK: expectThrows where
  let operation = StartedOperation { 1 }
  _ = try? await operation.expectFinish()
  await operation.expectRunning()  // MARK: expectRunning
  await operation.expectCancellation()  // MARK: expectCancellation
  _ = try? await expectExactlyOnce { callTwice($0) }  // MARK: expectExactlyOnce
  // real time: it is cancelled
  let sleeping = StartedOperation { try await Task.sleep(for: .seconds(1000)) }
  await cancelled { try? await sleeping.expectFinish() }  // MARK: expectFinish
  await soon { await asyncAssert("at rest") {} }  // MARK: asyncAssert
  await soon { await asyncAssert("at rest") { _ = await no() } }  // MARK: asyncAssert async
  await sleeping.expectCancellation()
}

/// The same for those that are synchronous.
private func failEach() {
  let scheduler = TestScheduler()
  eventually(advancing: scheduler) { false }  // MARK: eventually advancing
  always(during: .seconds(1), advancing: scheduler) { false }  // MARK: always advancing
  never(during: .seconds(1), advancing: scheduler) { true }  // MARK: never advancing
  // real time: it is cancelled
  let sleeping = Task { try await Task.sleep(for: .seconds(1000)) }
  HangTimeout.$shortened.withValue(.milliseconds(20)) {
    asyncAssert("at rest") {}  // MARK: asyncAssert here
  }
  sleeping.cancel()
}

private struct Wrong: Error, Equatable {}

private func no() async -> Bool { false }

private func nothing() async -> Int? { nil }

private func fail() async throws { throw Wrong() }

private func callTwice(_ done: @Sendable (Int) -> Void) {
  done(1)
  done(2)
}

private func soon(_ body: () async -> Void) async {
  await HangTimeout.$shortened.withValue(.milliseconds(20), operation: body)
}

/// Waits in a task that is cancelled already.
private func cancelled(_ wait: @escaping @Sendable () async -> Void) async {
  await Task {
    withUnsafeCurrentTask { $0?.cancel() }
    await wait()
  }.value
}

/// Doubles that a test makes, and that are called from elsewhere.
private struct Called: Sendable {
  let stub = Stub<Int, String>("stub")  // MARK: stub
  let spy = Spy<Int>("spy")  // MARK: spy
  let gate = SleeplessTesting.Gate<Int>("gate")

  /// Each fails once: a stub without an answer, a spy's call after the end, a gate's answer without a call.
  func failEach() {
    _ = try? stub.now(7)
    spy.checkAtEnd()
    spy(7)
    gate.succeed(with: 7)  // MARK: gate
  }
}

private func failEach(in context: FixtureScenario.Context) async {
  let doubles = Called()
  await context.run {
    failEach()
    doubles.failEach()
  } async: {
    await failEachAsync()
    doubles.failEach()
  }
}

@Suite struct Assertions {
  @Test func each() async { await failEach(in: FixtureScenario.current.context) }
}

private func failInLoop() {
  let scheduler = TestScheduler()
  for _ in 1...12 {
    always(during: .seconds(1), advancing: scheduler) { false }  // MARK: loop
  }
}

/// Failures in a loop. The framework counts none that is expected, so none of them may be left out.
@Suite(.checkedAtEnd) struct Loops {
  @Test func fails() { failInLoop() }

  @Test func expected() {
    let scheduler = TestScheduler()
    for _ in 1...12 {
      withKnownIssue { always(during: .seconds(1), advancing: scheduler) { false } }
    }
  }

  @Test func triesAgain() async {
    let scheduler = TestScheduler()
    let tries = Locked(0)
    await eventually(asserting: "the 15th try passes") {
      let number = tries.withLock { tries in
        tries += 1
        return tries
      }
      always(during: .seconds(1), advancing: scheduler) { number == 15 }
    }
  }
}

/// A helper with something left over.
private func makeLeftover() -> Recorder<Int, Never> {
  let numbers = Recorder<Int, Never>("numbers")  // MARK: leftover
  numbers.record(1)
  return numbers
}

/// What is left over at the end, in tests that keep their helpers.
@Suite(.checkedAtEnd, .serialized) struct Ends {
  private static let kept = Locked<[Recorder<Int, Never>]>([])

  @Test func leftover() {
    let numbers = Recorder<Int, Never>("numbers")  // MARK: Swift leftover
    numbers.record(1)
    Self.kept.withLock { $0.append(numbers) }
  }

  @Test func failedBefore() {
    let numbers = Recorder<Int, Never>("numbers")  // MARK: Swift failed before
    numbers.record(1)
    Self.kept.withLock { $0.append(numbers) }
    Reporter(at: CallSite()).fail("the first failure")  // MARK: Swift first failure
  }
}

/// Not serialized: what no test is known of, Swift Testing tells once more for each serialized suite.
@Suite(.checkedAtEnd) struct EndsElsewhere {
  private static let kept = Locked<[Recorder<Int, Never>]>([])

  /// Nothing tells a detached task, a queue or a thread to which test it belongs: there the helper's
  /// release has to do.
  @Test func madeElsewhere() async {
    let context = FixtureScenario.current.context
    await context.run {
      let leftover = makeLeftover()
      guard context.knowsItsTest else { return }
      Self.kept.withLock { $0.append(leftover) }
    }
  }
}

#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  class AssertionTests: XCTestCase {
    func testEach() async { await failEach(in: FixtureScenario.current.context) }

    static var cells: [XCTestCaseEntry] { [testCase([("testEach", asyncTest(testEach))])] }
  }

  class LoopTests: XCTestCase {
    func testFails() { failInLoop() }

    func testTriesAgain() async { await Loops().triesAgain() }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([("testFails", testFails)]),
        testCase([("testTriesAgain", asyncTest(testTriesAgain))]),
      ]
    }
  }

  class EndTests: XCTestCase {
    private var numbers: Recorder<Int, Never>?

    func testMadeElsewhere() async {
      let made = Locked<Recorder<Int, Never>?>(nil)
      await FixtureScenario.current.context.run { made.withLock { $0 = makeLeftover() } }
      numbers = made.withLock { $0 }
    }

    func testFailedBefore() {
      numbers = Recorder("numbers")  // MARK: XCTest failed before
      numbers?.record(1)
      Reporter(at: CallSite()).fail("the first failure")  // MARK: XCTest first failure
    }

    func testThrows() throws {
      let scheduler = TestScheduler()
      scheduler.async {}
      throw Offline()
    }

    func testSkipsItself() throws {
      TestScheduler().async {}
      throw XCTSkip("not today")
    }

    func testMakesHelper() { Self.helper.withLock { $0 = Reporter(at: CallSite()) } }

    func testHasStrayFailure() {
      Self.helper.withLock { $0.take() }?.fail("the stray failure")
      TestScheduler().async {}
    }

    private static let helper = Locked<Reporter?>(nil)

    private struct Offline: Error {}

    static var cells: [XCTestCaseEntry] { [testCase([("testFailedBefore", testFailedBefore)])] }

    static var unfinished: [XCTestCaseEntry] {
      [
        testCase([
          ("testThrows", testThrows), ("testSkipsItself", testSkipsItself),
          ("testMakesHelper", testMakesHelper), ("testHasStrayFailure", testHasStrayFailure),
        ])
      ]
    }

    static var elsewhere: [XCTestCaseEntry] {
      [testCase([("testMadeElsewhere", asyncTest(testMadeElsewhere))])]
    }
  }

  class AssertedTests: XCTestCase {
    func testAsserted() async {
      let looks = Locked(0)
      await eventually(asserting: "there were two looks") {
        looks.withLock { $0 += 1 }
        XCTAssertEqual(looks.withLock { $0 }, 2)
      }
    }

    static var cells: [XCTestCaseEntry] {
      [testCase([("testAsserted", asyncTest(testAsserted))])]
    }
  }
#endif
