import Dispatch
import SleeplessTesting
import TestSupport
import Testing
import VirtualTime

/// A test of which a task of its own, or something else, does something after 5 ms. By then the test's body is usually
/// over.
struct LateTest: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The first line of its failure; nil if it passes.
  let failure: String?
  /// The same in a simulation, if that differs. There no time passes until the test waits for it.
  let failureInSimulation: String?
  let body: @Sendable (LateWork) async throws -> Void

  init(
    _ name: String, fails failure: String? = nil, inSimulation failureInSimulation: String? = nil,
    body: @escaping @Sendable (LateWork) async throws -> Void
  ) {
    testDescription = name
    self.failure = failure
    self.failureInSimulation = failureInSimulation ?? failure
    self.body = body
  }

  static let all = [
    callOfSpy, unreadCallOfSpy, callOfStub, callWithoutAnswer, callOfGate, answerOfGate,
    useOfUnimplementedClock, useOfUnimplementedScheduler,
    workOfScheduler, workOfReleasedScheduler, cancelledWork, sleeper, cancelledSleeper, operation,
    secondCallback, unreadEvent, unreadEventAtEnd, eventAfterEnd, surplusState, surplusStateAtEnd,
  ]

  // MARK: Doubles

  static let callOfSpy = LateTest("a spy is called late, and takes the call") { work in
    let spy = Spy<Int>("a spy")
    work.later { spy(1) }
  }

  static let unreadCallOfSpy = LateTest(
    "a spy whose calls must be read is called late",
    fails: "1 event of \"a spy\" was never read:"
  ) { work in
    let spy = Spy<Int>("a spy", allowsUnread: false)
    work.later { spy(1) }
  }

  static let callOfStub = LateTest("an answer in turn is used late") { work in
    let stub = Stub<Int, String>("a stub")
    stub.inTurn(.value("one"))
    work.later { _ = try await stub(1) }
  }

  static let callWithoutAnswer = LateTest(
    "a stub is called late, and has no answer",
    fails: "\"a stub\" was called with 1, and it has no answer for that."
  ) { work in
    let stub = Stub<Int, String>("a stub")
    work.later { _ = try await stub(1) }
  }

  static let callOfGate = LateTest(
    "a call enters a gate late, and is held",
    fails: "1 call of \"a gate\" was still held back at the end of the test."
  ) { work in
    let gate = Gate<Int>("a gate")
    work.later { _ = try await gate() }
  }

  static let answerOfGate = LateTest("a held call is answered late") { work in
    let gate = Gate<Int>("a gate")
    Task { _ = try await gate() }
    let call = try await gate.entered()
    work.later { call.succeed(with: 1) }
  }

  static let useOfUnimplementedClock = LateTest(
    "a clock that must not be used is used late",
    fails: "UnimplementedClock was used: now, which sleep(for:) reads too"
  ) { work in
    let clock = UnimplementedClock()
    work.later { _ = clock.now }
  }

  static let useOfUnimplementedScheduler = LateTest(
    "a scheduler that must not be used is used late",
    fails: "UnimplementedScheduler was used: async"
  ) { work in
    let scheduler = UnimplementedScheduler()
    work.later { scheduler.async {} }
  }

  // MARK: Time

  private static let pendingWork =
    "The test ended, and a scheduler has work pending that will now never run (now: 0 s):"

  static let workOfScheduler = LateTest("work is enqueued late", fails: pendingWork) { work in
    let scheduler = TestScheduler()
    work.keep(scheduler)
    work.later { scheduler.schedule(after: .seconds(1)) {} }
  }

  static let workOfReleasedScheduler = LateTest(
    "work is enqueued late on a scheduler that nothing keeps",
    fails: "A scheduler was released with work pending that will now never run (now: 0 s):"
  ) { work in
    // The spy lets the end of the test wait for the task: the scheduler may be released by then.
    let spy = Spy<Int>("a spy")
    let scheduler = TestScheduler()
    work.later {
      scheduler.schedule(after: .seconds(1)) {}
      spy(1)
    }
  }

  static let cancelledWork = LateTest("pending work is cancelled late") { work in
    let scheduler = TestScheduler()
    work.keep(scheduler)
    let pending = scheduler.schedule(after: .seconds(1)) {}
    work.later { pending.cancel() }
  }

  static let sleeper = LateTest("a task falls asleep on a clock late", fails: pendingWork) { work in
    let clock = TestClock()
    work.later { try await clock.sleep(for: .seconds(1)) }
  }

  static let cancelledSleeper = LateTest("a sleep on a clock is cancelled late") { work in
    let clock = TestClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    work.later { sleeper.cancel() }
  }

  // MARK: Assertions

  static let operation = LateTest("an operation ends late") { work in
    _ = StartedOperation("an operation") { try await work.happens {} }
  }

  static let secondCallback = LateTest(
    "a callback is called again late",
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

  // MARK: Recordings

  static let unreadEvent = LateTest(
    "an event comes late, and expectNone waits for it",
    fails: "expectNone() expected nothing unread from \"numbers\", but 1 event is."
  ) { work in
    let numbers = Recorder<Int, Never>("numbers", allowsUnread: true)
    work.later { numbers.record(1) }
    await work.letTimePass()
    await numbers.expectNone()
  }

  static let unreadEventAtEnd = LateTest(
    "an event comes late, and the test has ended", fails: "1 event of \"numbers\" was never read:"
  ) { work in
    let numbers = Recorder<Int, Never>("numbers")
    work.keep(numbers)
    work.later { numbers.record(1) }
  }

  static let eventAfterEnd = LateTest(
    "an event comes late, after the end of its source",
    fails: "The source of \"numbers\" sent a value, 2, after its end."
  ) { work in
    let publisher = TestPublisher<Int, Never>(allowing: [.eventsAfterEnd])
    work.keep(Recorder(publisher, "numbers", allowsUnread: true))
    publisher.send(completion: .finished)
    work.later { publisher.send(2) }
  }

  static let surplusState = LateTest(
    "one more state comes late, and AssertState waits for it",
    fails: "assert() expected 1 value from the publisher, but 2 came.",
    inSimulation: "assert() expected 1 value from the publisher, but another one came later."
  ) { work in
    let number = StateSubject<Int, Never>(0)
    await AssertState().assert(
      when: { work.later { number.value = 1 } }, type: Int.self, publisher: number,
      valuesLimit: 1, valuesAssertions: { _ in })
  }

  static let surplusStateAtEnd = LateTest(
    "one more state comes late, and the test has ended",
    fails: "assert() expected 1 value from the publisher, but another one came later."
  ) { work in
    let number = StateSubject<Int, Never>(0)
    await AssertState().assert(
      when: {}, type: Int.self, publisher: number, valuesLimit: 1, valuesAssertions: { _ in })
    work.later { number.value = 1 }
  }
}

/// What a test does late.
final class LateWork: Sendable {
  /// What does it.
  enum Source: CaseIterable {
    /// A task that the test starts.
    case task
    case delayedBlock, blockOfMainQueue, timerSource

    static let others = allCases.filter { $0 != .task }
  }

  private let source: Source
  /// Whether a test in a simulation waits for it where it asks for its end.
  private let takesTime: Bool
  private let isOver = Locked(false)
  private let task = Locked<Task<Void, any Error>?>(nil)
  private let kept = Log<any Sendable>()

  init(_ source: Source = .task, takesTime: Bool = true) {
    self.source = source
    self.takesTime = takesTime
  }

  /// Whether it has been done.
  var isDone: Bool { isOver.withLock { $0 } }

  func later(
    after milliseconds: Int = 5, _ body: @escaping @Sendable () async throws -> Void
  ) {
    let startTask = { @Sendable [self] in
      let task = Task {
        try await body()
        isOver.withLock { $0 = true }
      }
      self.task.withLock { $0 = task }
    }
    let deadline = DispatchTime.now() + .milliseconds(milliseconds)
    switch source {
    case .task:
      let task = Task { [self] in try await happens(after: milliseconds, body) }
      self.task.withLock { $0 = task }
    case .delayedBlock: DispatchQueue.global().asyncAfter(deadline: deadline, execute: startTask)
    case .blockOfMainQueue: DispatchQueue.main.asyncAfter(deadline: deadline, execute: startTask)
    case .timerSource:
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.setEventHandler {
        startTask()
        timer.cancel()
      }
      timer.schedule(deadline: deadline)
      timer.activate()
    }
  }

  /// Does the late work in the calling task.
  func happens(
    after milliseconds: Int = 5, _ body: @Sendable () async throws -> Void
  ) async throws {
    // real time: usually the test's body is over by then; virtual time in simulations
    try await Task.sleep(for: .milliseconds(milliseconds))
    try await body()
    isOver.withLock { $0 = true }
  }

  /// Keeps a helper, so that the end of the test is its check and not its release.
  func keep(_ helper: any Sendable) { kept.append(helper) }

  /// Lets the late work happen in a simulation, where no time passes for a judgement.
  func letTimePass() async { if takesTime, Simulation.current != nil { await settle() } }

  /// Ends work that waits for ever, when the test has been judged.
  func stop() { task.withLock { $0 }?.cancel() }
}
