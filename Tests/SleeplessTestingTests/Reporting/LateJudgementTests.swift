import SleeplessTesting
import TestSupport
import Testing
import VirtualTime
import XCTest

/// A test is judged when its tasks have come to rest, not when its body has ended. So the load of the machine
/// does not change the result. For recorders and `AssertState` see `LateEventTests`, too.
@Suite(.needs(.capture)) struct LateJudgementTests {
  @Test(arguments: LateTest.all) func `a test is judged after what its task does later`(
    test: LateTest
  ) async {
    #expect(await Verdict(of: test) == Verdict(expectedOf: test))
  }

  /// `LateJudgementXCTests` do so a hundred times. Here each failure is printed as a known issue.
  @Test func `the verdicts on an idle and on a busy machine are the same, ten times of ten`() async
  {
    for isBusy in [false, true] {
      let machine = isBusy ? BusyMachine() : nil
      let verdicts = Log<Verdict>()
      for _ in 1...10 {
        await withTaskGroup { group in
          for test in LateTest.all { group.addTask { verdicts.append(await Verdict(of: test)) } }
        }
      }
      machine?.stop()
      for test in LateTest.all {
        let expected = Verdict(expectedOf: test)
        #expect(verdicts.values.count { $0 == expected } == 10, "\(test), busy: \(isBusy)")
      }
    }
  }

  // MARK: In simulations

  @Test(arguments: LateTest.all, SimulatedForm.allCases)
  func `in a simulation a test that settles is judged after what its task does later`(
    test: LateTest, form: SimulatedForm
  ) async throws {
    let work = LateWork()
    let failures = try await form.failures(allowing: .everything) {
      try await test.body(work)
      await settle()
      #expect(Simulation.current?.now == .milliseconds(5))
    }
    #expect(
      Verdict(of: test, work, failures) == Verdict(expectedOf: test, inSimulation: true))
  }

  /// No time passes for the checks, so they judge too early. What is left asleep is a failure of its own, and so is an
  /// operation that has been cancelled in its sleep: no verdict is a pass without a word.
  @Test(arguments: LateTest.all, SimulatedForm.allCases)
  func `in a simulation a test that does not settle fails because its task still sleeps`(
    test: LateTest, form: SimulatedForm
  ) async throws {
    let work = LateWork(takesTime: false)
    let failures = try await form.failures { try await test.body(work) }
    let lines = failures.map(\.text.firstLine)
    let asleep = "The body has ended (at 0 s), but 1 task still sleeps:"
    let cancelled = """
      The operation "an operation" was still running at the end of the test, and has been cancelled.
      """
    #expect(lines.contains { $0 == asleep || $0 == cancelled }, "\(lines)")
  }
}

/// The ways to run a test in a simulation.
enum SimulatedForm: CaseIterable {
  case function, trait

  /// The failures of a simulated test with that body.
  func failures(
    allowing: Leftovers = [], _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> [Failure] {
    let test = try #require(Test.current)
    return await SleeplessTestingTests.failures {
      switch self {
      case .function:
        try? await simulate(allowing: allowing) { try await EndOfTest.check(after: body) }
      case .trait:
        let trait: SimulatedTrait = .simulated(allowing: allowing)
        try? await trait.simulate(body, for: test)
      }
    }
  }
}

extension Failure {
  /// The first line of its text, without the place of a call.
  fileprivate var withoutPlace: String {
    text.firstLine.replacing(/, called in .*/, with: "")
  }
}

/// What a test has shown.
struct Verdict: Equatable, Sendable, CustomStringConvertible {
  private let test: String
  /// The first lines of its failures.
  private let failures: [String]
  /// Whether the late work had been done when the test ended. Some that fail a test never end.
  private let isDone: Bool

  var description: String { "\(test): \(failures)\(isDone ? "" : ", judged too early")" }

  init(of test: LateTest, _ work: LateWork, _ failures: [Failure]) {
    self.test = test.testDescription
    self.failures = failures.map(\.withoutPlace)
    isDone = work.isDone || test.failure != nil
    work.stop()
  }

  /// Runs the test with an end of its own.
  init(of test: LateTest, _ source: LateWork.Source = .task) async {
    let work = LateWork(source)
    let failures = await SleeplessTestingTests.failures {
      try? await EndOfTest.check { try await test.body(work) }
    }
    self.init(of: test, work, failures)
  }

  init(expectedOf test: LateTest, inSimulation isSimulated: Bool = false) {
    self.test = test.testDescription
    let failure = isSimulated ? test.failureInSimulation : test.failure
    failures = failure.map { [$0] } ?? []
    isDone = true
  }
}

/// The same in XCTest. The failures of each test, those at its end too, are caught and compared.
final class LateJudgementXCTests: FailureCatchingTestCase {
  private let judged = Locked<(test: LateTest, work: LateWork)?>(nil)

  func testACallOfASpy() async throws { try await run(.callOfSpy) }

  func testAnUnreadCallOfASpy() async throws { try await run(.unreadCallOfSpy) }

  func testACallOfAStub() async throws { try await run(.callOfStub) }

  func testACallWithoutAnAnswer() async throws { try await run(.callWithoutAnswer) }

  func testACallOfAGate() async throws { try await run(.callOfGate) }

  func testAnAnswerOfAGate() async throws { try await run(.answerOfGate) }

  func testAUseOfAnUnimplementedClock() async throws { try await run(.useOfUnimplementedClock) }

  func testAUseOfAnUnimplementedScheduler() async throws {
    try await run(.useOfUnimplementedScheduler)
  }

  func testWorkOfAScheduler() async throws { try await run(.workOfScheduler) }

  func testWorkOfAReleasedScheduler() async throws { try await run(.workOfReleasedScheduler) }

  func testCancelledWork() async throws { try await run(.cancelledWork) }

  func testASleeper() async throws { try await run(.sleeper) }

  func testACancelledSleeper() async throws { try await run(.cancelledSleeper) }

  func testAnOperation() async throws { try await run(.operation) }

  func testASecondCallback() async throws { try await run(.secondCallback) }

  func testAnUnreadEvent() async throws { try await run(.unreadEvent) }

  func testAnUnreadEventAtTheEnd() async throws { try await run(.unreadEventAtEnd) }

  func testAnEventAfterTheEnd() async throws { try await run(.eventAfterEnd) }

  func testASurplusState() async throws { try await run(.surplusState) }

  func testASurplusStateAtTheEnd() async throws { try await run(.surplusStateAtEnd) }

  func testACallThatADelayedBlockMakes() async throws {
    try await run(.unreadCallOfSpy, .delayedBlock)
  }

  func testAnEventOfATimer() async throws { try await run(.unreadEvent, .timerSource) }

  func testAnEventOfTheMainQueue() async throws {
    try await run(.unreadEventAtEnd, .blockOfMainQueue)
  }

  func testACallbackOfADelayedBlock() async throws {
    try await run(.secondCallback, .delayedBlock)
  }

  func testAStateOfATimer() async throws { try await run(.surplusState, .timerSource) }

  /// The task comes to rest before the judgement.
  func testACallOfATaskThatAnEventWakes() async throws {
    let work = try begin(.unreadCallOfSpy, .delayedBlock)
    let spy = Spy<Int>("a spy", allowsUnread: false)
    let mayGoOn = Signal()
    Task {
      await mayGoOn.wait()
      // real time: longer than a judgement waits for pending events
      try await Task.sleep(for: .milliseconds(200))
      spy(1)
    }
    work.later { mayGoOn.send() }
  }

  func testASynchronousTestWithADelayedBlock() throws {
    let work = try begin(.unreadCallOfSpy, .delayedBlock)
    let spy = Spy<Int>("a spy", allowsUnread: false)
    work.later { spy(1) }
  }

  func testASynchronousTestWithTheMainQueue() throws {
    let work = try begin(.unreadEventAtEnd, .blockOfMainQueue)
    let numbers = Recorder<Int, Never>("numbers")
    work.keep(numbers)
    work.later { numbers.record(1) }
  }

  func testASynchronousTestPasses() throws {
    let work = try begin(.callOfSpy)
    let spy = Spy<Int>("a spy")
    work.later { spy(1) }
  }

  func testASynchronousTestFails() throws {
    let work = try begin(.unreadCallOfSpy)
    let spy = Spy<Int>("a spy", allowsUnread: false)
    work.later { spy(1) }
  }

  /// Twenty times all tests side by side, each of them five times and each time with an end of its own.
  func testTheVerdictsOnAnIdleAndOnABusyMachineAreTheSameAHundredTimes() async throws {
    try Need.capture.orSkip()
    let tests = Array(repeating: LateTest.all, count: 5).flatMap(\.self)
    let expected = tests.compactMap(\.failure).sorted()
    for isBusy in [false, true] {
      let machine = isBusy ? BusyMachine() : nil
      let early = Log<LateTest>()
      for round in 1...20 {
        let failures = await failures {
          await withTaskGroup { group in
            for test in tests {
              group.addTask { if await !Self.isJudgedLate(test) { early.append(test) } }
            }
          }
        }
        XCTAssertEqual(
          failures.map(\.withoutPlace).sorted(), expected, "round \(round), busy: \(isBusy)")
      }
      machine?.stop()
      XCTAssertEqual(early.values.map(\.testDescription), [], "busy: \(isBusy)")
    }
  }

  /// Runs the test, and returns whether its late work was done when it had ended.
  private static func isJudgedLate(_ test: LateTest) async -> Bool {
    let (work, end) = (LateWork(), EndOfTest())
    await EndOfTest.$current.withValue(end) {
      try? await test.body(work)
      await end.finish()
    }
    defer { work.stop() }
    return work.isDone || test.failure != nil
  }

  private func run(_ test: LateTest, _ source: LateWork.Source = .task) async throws {
    try await test.body(begin(test, source))
  }

  private func begin(_ test: LateTest, _ source: LateWork.Source = .task) throws -> LateWork {
    try Need.capture.orSkip()
    let work = LateWork(source)
    judged.withLock { $0 = (test, work) }
    beginCatching()
    return work
  }

  // XCTest calls it after the checks at the end of the test.
  override func tearDown() {
    let failures = endCatching()
    guard let (test, work) = judged.withLock({ $0.take() }), let failures else { return }
    XCTAssertEqual(Verdict(of: test, work, failures), Verdict(expectedOf: test))
  }
}
