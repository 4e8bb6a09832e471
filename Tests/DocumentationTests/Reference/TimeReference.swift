// virtual time: what sleeps here does so on clocks that the test moves
import SleeplessTesting
import TestSupport
import Testing

/// The examples on the pages of test schedulers.
@Suite struct SchedulersReference {
  @Test func `a named scheduler allows pending work`() {
    let scheduler = TestScheduler("main", allowsPendingWork: true)
    scheduler.schedule(after: .seconds(60)) { print("never") }  // released unrun: no failure
    #expect(scheduler.pending.count == 1)
  }

  @Test func `time moves by a duration`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(2), label: "hide") {}
    #expect(scheduler.advance(by: .milliseconds(1_900)).isEmpty)
    let ran = scheduler.advance(by: .milliseconds(100))
    #expect(ran.map(\.label) == ["hide"])  // what is due at the target runs
    #expect(scheduler.now == .seconds(2))
  }

  @Test func `time moves to an instant`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(2), label: "hide") {}
    scheduler.advance(to: .seconds(1))
    let ran = scheduler.advance(to: .seconds(3))
    #expect(ran.map(\.deadline) == [.seconds(2)])
    #expect(scheduler.now == .seconds(3))
  }

  @Test func `time moves to the next work`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    for delay in [1, 1, 4] { scheduler.schedule(after: .seconds(delay)) {} }
    #expect(scheduler.advanceToNext().count == 2)  // both that are due after 1 s
    #expect(scheduler.now == .seconds(1))
  }

  @Test func `all work runs`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(1)) {
      scheduler.schedule(after: .seconds(2), label: "second") {}
    }
    let ran = scheduler.run()
    #expect(ran.map(\.deadline) == [.seconds(1), .seconds(3)])
  }

  @Test func `pending work is listed`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(2), label: "hide") {}
    scheduler.schedule(after: .seconds(1), label: "show") {}
    #expect(scheduler.pending.map(\.label) == ["show", "hide"])
    scheduler.run()
    #expect(scheduler.pending.isEmpty)
  }

  @Test func `two queues share their time`() {
    let log = Recorder<String, Never>("log")
    let main = TestScheduler("main")
    let disk = main.queue("disk")
    main.schedule(after: .seconds(1)) { log.record("shown") }
    disk.schedule(after: .seconds(1)) { log.record("saved") }
    main.advance(by: .seconds(1))
    log.expect("shown", "saved")
  }

  @Test func `work runs in the next advance`() {
    let log = Recorder<String, Never>("log")
    let queue = TestScheduler()
    queue.async { log.record("ran") }
    log.expectNone()
    queue.advance()
    log.expect("ran")
  }

  @Test func `work runs at once, after the work that is due`() {
    let log = Recorder<String, Never>("log")
    let queue = TestScheduler()
    queue.async { log.record("first") }
    let answer = queue.sync {
      log.record("second")
      return 42
    }
    #expect(answer == 42)
    log.expect("first", "second")
  }

  @Test func `work runs after a delay`() {
    let log = Recorder<String, Never>("log")
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(2)) { log.record("hidden") }
    let reminder = scheduler.schedule(after: .seconds(3)) { log.record("reminded") }
    reminder.cancel()
    scheduler.run()
    log.expect("hidden")
  }

  @Test func `work runs again and again`() {
    let scheduler = TestScheduler()
    let ticks = Recorder<Int, Never>("ticks", time: .of(scheduler))
    let timer = scheduler.schedule(after: .seconds(1), every: .seconds(2)) { ticks.record(1) }
    scheduler.advance(by: .seconds(5))
    timer.cancel()
    ticks.expect(marbles: "1s 1 2s 1 2s 1")  // at 1 s, 3 s and 5 s
  }

  @Test func `a list of work is a collection`() {
    let scheduler = TestScheduler("main", allowsPendingWork: true)
    scheduler.schedule(after: .seconds(1), every: .seconds(2), label: "tick") {}
    let tick = scheduler.pending[0]
    #expect(tick.interval == .seconds(2))
    #expect(tick.queue == "main")
  }

  @Test func `work prints where it was scheduled`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    scheduler.schedule(after: .seconds(2), label: "hide") {}
    print(scheduler.pending)  // a line such as: at 2 s: "hide", BannerTests.swift:12
    #expect("\(scheduler.pending[0])".hasPrefix("at 2 s: \"hide\", TimeReference.swift:"))
    #expect("\(scheduler.pending)".contains("at 2 s: \"hide\", TimeReference.swift:"))
  }

  @Test func `a clock and a scheduler share their time`() {
    let scheduler = TestScheduler()
    let clock = scheduler.clock
    scheduler.advance(by: .seconds(5))
    #expect(clock.now.offset == .seconds(5))
  }
}

/// The examples of advances that are awaited.
@Suite struct AwaitedAdvancesReference {
  @Test func `a task wakes at the target`() async throws {
    let scheduler = TestScheduler()
    let toast = Task { try await scheduler.sleep(for: .seconds(3)) }
    await scheduler.clock.waitForSleepers()
    await scheduler.advance(by: .seconds(3))
    try await toast.value
    #expect(scheduler.now == .seconds(3))
  }

  @Test func `time moves to an instant`() async throws {
    let scheduler = TestScheduler()
    let toast = Task { try await scheduler.sleep(for: .seconds(3)) }
    await scheduler.clock.waitForSleepers()
    await scheduler.advance(to: .seconds(5))
    try await toast.value
    #expect(scheduler.now == .seconds(5))
  }

  @Test func `time moves to the next deadline`() async throws {
    let scheduler = TestScheduler()
    let toast = Task { try await scheduler.sleep(for: .seconds(3)) }
    await scheduler.clock.waitForSleepers()
    await scheduler.advanceToNext()
    #expect(scheduler.now == .seconds(3))
    try await toast.value
  }

  @Test(.needs(.capture)) func `time moves until nothing sleeps`() async throws {
    let scheduler = TestScheduler()
    let toast = Task { for _ in 1...3 { try await scheduler.sleep(for: .seconds(1)) } }
    await scheduler.clock.waitForSleepers()
    await scheduler.run()
    try await toast.value
    #expect(scheduler.now == .seconds(3))
  }

  @Test func `a clock begins where it should`() {
    let clock = TestClock(now: TestClock.Instant(offset: .seconds(60)))
    #expect(clock.now.offset == .seconds(60))
  }

  @Test func `a clock shows how far time has moved`() async {
    let clock = TestClock()
    await clock.advance(by: .seconds(5))
    #expect(clock.now.offset == .seconds(5))
  }

  @Test func `a task sleeps until time has moved`() async throws {
    let clock = TestClock()
    let pause = Task { try await clock.sleep(for: .seconds(5)) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))  // 4.9 s would not wake it
    try await pause.value
  }

  @Test func `tasks that sleep are listed`() async throws {
    let clock = TestClock()
    let pause = Task { try await clock.sleep(for: .seconds(5)) }
    await clock.waitForSleepers()
    #expect(clock.sleepers.map(\.deadline) == [.seconds(5)])
    await clock.run()
    try await pause.value
  }

  @Test(.needs(.capture)) func `a cancelled task does not sleep`() async {
    let clock = TestClock()
    let pause = Task { try await clock.sleep(for: .seconds(5)) }
    await clock.waitForSleepers()
    pause.cancel()
    await clock.expectNoSleepers()
  }

  @Test func `a clock moves to an instant`() async throws {
    let clock = TestClock()
    let deadline = clock.now.advanced(by: .seconds(5))
    let pause = Task { try await clock.sleep(until: deadline) }
    await clock.waitForSleepers()
    await clock.advance(to: deadline)
    try await pause.value
  }

  @Test(.needs(.capture)) func `a clock moves until nothing sleeps`() async throws {
    let clock = TestClock()
    let countdown = Task { for _ in 1...3 { try await clock.sleep(for: .seconds(1)) } }
    await clock.waitForSleepers()
    await clock.run()
    try await countdown.value
    #expect(clock.now.offset == .seconds(3))
  }
}

/// The examples of schedulers and clocks that must not be used: each use fails.
@Suite struct UnimplementedReference {
  @Test func `a clock must not be used`() async {
    await withKnownIssue {
      let clock = UnimplementedClock("clock of the cache")
      await #expect(throws: UnimplementedClock.Used.self) {
        try await clock.sleep(for: .seconds(1))  // fails the test at the line of the clock
      }
    }
  }

  @Test func `a clock's time must not be read`() {
    withKnownIssue {
      let clock = UnimplementedClock("clock of the cache")
      let start = clock.now  // fails the test at the line above
      #expect(start.offset == .zero)
    }
  }

  @Test func `a queue must not be used`() {
    withKnownIssue {
      let queue = UnimplementedScheduler("queue of the cache")
      queue.async { print("never") }  // fails the test at the line above
    }
  }

  @Test func `a queue must not run work at once`() {
    withKnownIssue {
      let queue = UnimplementedScheduler("queue of the cache")
      let answer = queue.sync { 42 }  // fails the test at the line above
      #expect(answer == 42)
    }
  }

  @Test func `a scheduler must not be used`() {
    withKnownIssue {
      let scheduler = UnimplementedScheduler("scheduler of the cache")
      #expect(scheduler.now == .zero)  // fails the test at the line above
      scheduler.schedule(after: .seconds(1)) { print("never") }  // so does this
      scheduler.schedule(after: .seconds(1), every: .seconds(1)) { print("never") }  // and this
    }
  }
}
