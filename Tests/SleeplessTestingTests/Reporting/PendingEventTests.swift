import Dispatch
import Sleepless
import SleeplessTesting
import TestSupport
import Testing
import XCTest

/// A test of which something other than a task does something late. By then the test's body is over.
struct PendingTest: Sendable, CustomTestStringConvertible {
  /// What brings the event.
  enum Source: CaseIterable { case delayedBlock, timerSource }

  let testDescription: String
  /// The first line of its failure.
  let failure: String
  let body: @Sendable (PendingWork) async throws -> Void

  private init(
    _ name: String, fails failure: String,
    body: @escaping @Sendable (PendingWork) async throws -> Void
  ) {
    (testDescription, self.failure, self.body) = (name, failure, body)
  }

  static let all = [
    unreadCall, unreadEvent, unreadEventAtEnd, secondCallback, surplusState, callOfWokenTask,
  ]

  static let unreadCall = PendingTest(
    "a spy whose calls must be read is called", fails: "1 event of \"a spy\" was never read:"
  ) { work in
    let spy = Spy<Int>("a spy", allowsUnread: false)
    work.later { spy(1) }
  }

  static let unreadEvent = PendingTest(
    "an event comes, and expectNone waits for it",
    fails: "expectNone() expected nothing unread from \"numbers\", but 1 event is."
  ) { work in
    let numbers = Recorder<Int, Never>("numbers", allowsUnread: true)
    work.later { numbers.record(1) }
    await numbers.expectNone()
  }

  static let unreadEventAtEnd = PendingTest(
    "an event comes, and the test has ended", fails: "1 event of \"numbers\" was never read:"
  ) { work in
    let numbers = Recorder<Int, Never>("numbers")
    work.keep(numbers)
    work.later { numbers.record(1) }
  }

  static let secondCallback = PendingTest(
    "a callback is called again",
    fails: """
      expectExactlyOnce "the answer" expected its callback to be called once, but it was called \
      again: with 1, and then with 2.
      """
  ) { work in
    _ = try await expectExactlyOnce("the answer") { (done: @escaping @Sendable (Int) -> Void) in
      done(1)
      work.later { done(2) }
    }
  }

  /// `AssertState` waits as long as half a second.
  static let surplusState = PendingTest(
    "one more state comes after 200 ms, and AssertState waits for it",
    fails: "assert() expected 1 value from the publisher, but 2 came."
  ) { work in
    let number = StateSubject<Int, Never>(0)
    await AssertState().assert(
      when: { work.later(after: 200) { number.value = 1 } }, type: Int.self, publisher: number,
      valuesLimit: 1, valuesAssertions: { _ in })
  }
}

extension PendingTest {
  static let callOfWokenTask = PendingTest(
    "a task of the test is woken, sleeps, and calls a spy",
    fails: "1 event of \"a spy\" was never read:"
  ) { work in
    let spy = Spy<Int>("a spy", allowsUnread: false)
    let mayGoOn = Signal()
    Task {
      await mayGoOn.wait()
      // real time: longer than a judgement waits for pending events
      try await Task.sleep(for: .milliseconds(200))
      spy(1)
    }
    work.later(after: 10) { mayGoOn.send() }
  }
}

/// What a test has begun to do late, in no task.
final class PendingWork: Sendable {
  private let source: PendingTest.Source
  private let kept = Log<any Sendable>()

  init(_ source: PendingTest.Source) { self.source = source }

  func later(after milliseconds: Int = 40, _ body: @escaping @Sendable () -> Void) {
    switch source {
    case .delayedBlock:
      DispatchQueue.global().asyncAfter(
        deadline: .now() + .milliseconds(milliseconds), execute: body)
    case .timerSource:
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.setEventHandler {
        body()
        timer.cancel()
      }
      timer.schedule(deadline: .now() + .milliseconds(milliseconds))
      timer.activate()
    }
  }

  /// Keeps a helper, so that the end of the test is its check and not its release.
  func keep(_ helper: any Sendable) { kept.append(helper) }
}

/// A judgement waits for what a timer brings soon, as it waits for the test's tasks.
@Suite(.needs(.capture)) struct PendingEventTests {
  @Test(arguments: PendingTest.all, PendingTest.Source.allCases)
  func `a test is judged after what something other than a task does`(
    test: PendingTest, source: PendingTest.Source
  ) async {
    let work = PendingWork(source)
    let failures = await failures {
      try? await EndOfTest.check { try await test.body(work) }
    }
    #expect(failures.map(\.text.firstLine) == [test.failure])
  }
}

/// The same in XCTest, also in synchronous tests.
final class PendingEventXCTests: FailureCatchingTestCase {
  private let judged = Locked<(test: PendingTest, work: PendingWork)?>(nil)

  func testAnUnreadCall() async throws { try await run(.unreadCall, .delayedBlock) }

  func testAnUnreadEvent() async throws { try await run(.unreadEvent, .timerSource) }

  func testAnUnreadEventAtTheEnd() async throws { try await run(.unreadEventAtEnd, .timerSource) }

  func testASecondCallback() async throws { try await run(.secondCallback, .delayedBlock) }

  func testASurplusState() async throws { try await run(.surplusState, .delayedBlock) }

  func testASynchronousTest() throws {
    let work = try begin(.unreadCall, .delayedBlock)
    let spy = Spy<Int>("a spy", allowsUnread: false)
    work.later { spy(1) }
  }

  func testASynchronousTestWithTheMainQueue() throws {
    let work = try begin(.unreadEventAtEnd, .delayedBlock)
    let numbers = Recorder<Int, Never>("numbers")
    work.keep(numbers)
    DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(40)) { numbers.record(1) }
  }

  private func run(_ test: PendingTest, _ source: PendingTest.Source) async throws {
    try await test.body(begin(test, source))
  }

  private func begin(_ test: PendingTest, _ source: PendingTest.Source) throws -> PendingWork {
    try Need.capture.orSkip()
    let work = PendingWork(source)
    judged.withLock { $0 = (test, work) }
    beginCatching()
    return work
  }

  // XCTest calls it after the checks at the end of the test.
  override func tearDown() {
    let failures = endCatching()
    guard let (test, work) = judged.withLock({ $0.take() }), let failures else { return }
    XCTAssertEqual(failures.map(\.text.firstLine), [test.failure])
    withExtendedLifetime(work) {}
  }
}
