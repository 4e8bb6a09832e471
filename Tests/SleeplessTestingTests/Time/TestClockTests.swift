import SleeplessTesting
import Testing
import TestSupport
import VirtualTime
import XCTest

@Suite struct TestClockTests {
  let log = Log<String>()

  @Test func `a task sleeps until the test has moved time to its deadline`() async throws {
    let clock = TestClock()
    let task = Task {
      try await clock.sleep(for: .seconds(1))
      log.append("woken at \(clock.now)")
    }
    await clock.waitForSleepers()
    await clock.advance(by: .milliseconds(999))
    #expect(clock.sleepers.count == 1)
    await clock.advance(by: .milliseconds(1))
    try await task.value
    #expect(log.values == ["woken at 1.0 seconds"])
  }

  @Test func `a sleep until now lasts until the next advance`() async throws {
    let clock = TestClock()
    let task = Task { try await clock.sleep(until: clock.now) }
    await clock.waitForSleepers()
    await clock.advance()
    try await task.value
  }

  @Test func `a sleep until the past, or for a negative time, is over at once`() async throws {
    let clock = TestClock()
    await clock.advance(by: .seconds(2))
    try await clock.sleep(until: VirtualInstant(offset: .seconds(1)))
    try await clock.sleep(for: .seconds(-1))
    #expect(clock.sleepers.isEmpty)
  }

  @Test func `at time zero, too, a sleep until the past is over at once`() async throws {
    try await TestClock().sleep(for: .seconds(-1))
    try await TestClock().sleep(until: VirtualInstant(offset: .nanoseconds(-1)))
  }

  @Test func `F3 a clock cannot show a time before zero`() {
    let line = #line + 1
    let failures = failures { _ = TestClock(now: VirtualInstant(offset: .seconds(-2))) }
    #expect(
      failures == [Failure("now must not be negative (was -2 s). Using 0 s.", line: line)])
  }

  @Test func `a deadline that was anchored before the advance is past after it`() async throws {
    let clock = TestClock()
    let deadline = clock.now.advanced(by: .seconds(1))
    await clock.advance(by: .seconds(2))
    try await clock.sleep(until: deadline)
    #expect(clock.now.offset == .seconds(2))
  }

  @Test func `sleepers with a deadline beyond any count of seconds can be listed`() async throws {
    let clock = TestClock()
    await clock.advance(by: .seconds(1))
    let task = Task { try await clock.sleep(for: .seconds(Int64.max)) }
    await clock.waitForSleepers()
    let place = "TestClockTests.swift:\(#line - 4)"
    #expect(clock.sleepers.description == "  at 9.223372036854776e+18 s: \"sleep\", \(place)")
    task.cancel()
    _ = await task.result
  }

  @Test func `a loop of the longest sleeps reaches the end of time, and the last one never ends`()
    async
  {
    let clock = TestClock()
    let count = Locked(0)
    let task = Task {
      while true {
        try await clock.sleep(for: .seconds(Int64.max))
        count.withLock { $0 += 1 }
      }
    }
    await clock.waitForSleepers()
    await clock.run()
    #expect(count.withLock { $0 } == 18)
    #expect(clock.sleepers.map(\.deadline) == [nil])
    task.cancel()
    _ = await task.result
  }

  @Test func `equal deadlines wake in the order in which the tasks fell asleep`() async throws {
    let clock = TestClock()
    let tasks = await asleep(on: clock, Array(repeating: .seconds(1), count: 20))
    let ran = await clock.advance(by: .seconds(1))
    #expect(ran.map(\.label) == (0..<20).map { "task \($0)" })
    for task in tasks { try await task.value }
  }

  @Test func `deadlines wake in their own order, whatever the order of falling asleep`()
    async throws
  {
    let clock = TestClock()
    let tasks = await asleep(on: clock, [.seconds(2), .seconds(1)])
    let ran = await clock.run()
    #expect(ran.map(\.label) == ["task 1", "task 0"])
    #expect(clock.now.offset == .seconds(2))
    for task in tasks { try await task.value }
  }

  @Test func `run on a clock without sleepers returns at once`() async {
    let clock = TestClock()
    #expect(await clock.run().isEmpty)
    #expect(clock.now.offset == .zero)
  }

  @Test func `a loop of sleeps goes round five times in one advance of five seconds`() async throws
  {
    let clock = TestClock()
    let task = Task {
      for _ in 1...5 {
        try await clock.sleep(for: .seconds(1))
        log.append("\(clock.now)")
      }
    }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    try await task.value
    #expect(log.values == (1...5).map { "\($0).0 seconds" })
    #expect(clock.now.offset == .seconds(5))
  }

  @Test(arguments: [false, true])
  func `the speed of tasks does not change which sleeps an advance ends`(isFast: Bool) async throws
  {
    let clock = TestClock()
    let task = Task(name: "loop", executorPreference: isFast ? InlineExecutor() : nil) {
      for seconds in [1, 1, 0, 0, 3] {
        try await clock.sleep(for: .seconds(seconds))
        log.append("\(clock.now)")
      }
    }
    await clock.waitForSleepers()
    let ran = await clock.advance(by: .seconds(5))
    try await task.value
    #expect(ran.map(\.deadline) == [1, 2, 2, 2, 5].map { .seconds($0) })
    #expect(log.values == [1, 2, 2, 2, 5].map { "\($0).0 seconds" })
  }

  @Test func `a woken task can be cancelled before the advance is over`() async throws {
    let scheduler = TestScheduler()
    let clock = scheduler.clock
    let task = Task(executorPreference: InlineExecutor()) {
      try await clock.sleep(for: .seconds(1))
      try await clock.sleep(for: .seconds(2))
    }
    await clock.waitForSleepers()
    scheduler.schedule(after: .seconds(1)) { task.cancel() }
    await clock.advance(by: .seconds(2))
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleepers.isEmpty)
  }

  @Test func `a loop that runs on is asleep again at the next multiple`() async throws {
    let clock = TestClock()
    let task = Task {
      while true {
        try await clock.sleep(for: .seconds(1))
        log.append("\(clock.now)")
      }
    }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(3))
    await clock.waitForSleepers()
    #expect(log.values == ["1.0 seconds", "2.0 seconds", "3.0 seconds"])
    #expect(clock.sleepers.map(\.deadline) == [.seconds(4)])
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleepers.isEmpty)
  }

  @Test func `a task woken by an earlier advance measures from the clock's own time`() async throws
  {
    let clock = TestClock()
    let gate = AsyncStream<Void>.makeStream()
    let task = Task {
      try await clock.sleep(for: .seconds(1))
      for await _ in gate.stream { break }
      try await clock.sleep(for: .seconds(10))
    }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(1))
    await clock.advance(by: .seconds(30))
    gate.continuation.yield()
    await clock.waitForSleepers()
    #expect(clock.sleepers.map(\.deadline) == [.seconds(41)])
    await clock.run()
    try await task.value
  }

  // MARK: Cancellation

  @Test func `a cancelled task does not fall asleep`() async throws {
    let clock = TestClock()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleepers.isEmpty)
  }

  @Test func `cancelling a sleeping task ends its sleep without an advance`() async throws {
    let clock = TestClock()
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleepers.isEmpty)
    #expect(await clock.run().isEmpty)
  }

  @Test func `a sleep that is cancelled while it is woken has exactly one end`() async throws {
    // Random by nature: whichever comes first decides, and a continuation resumed twice or never
    // would crash or hang. Both ends occur within a few hundred rounds.
    for _ in 0..<500 {
      let clock = TestClock()
      let task = Task { try await clock.sleep(for: .seconds(1)) }
      await clock.waitForSleepers()
      async let cancelling: Void = task.cancel()
      await clock.advance(by: .seconds(1))
      await cancelling
      _ = await task.result
      #expect(clock.sleepers.isEmpty)
    }
  }

  @Test func `a task cancelled while it falls asleep does not sleep on`() async throws {
    for _ in 0..<500 {
      let clock = TestClock()
      let task = Task { try await clock.sleep(for: .seconds(1)) }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(clock.sleepers.isEmpty)
    }
  }

  @Test func `an advance in a cancelled task goes all the way`() async throws {
    let clock = TestClock()
    let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    let advancing = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await clock.advance(by: .seconds(2))
    }
    await advancing.value
    try await sleeper.value
    #expect(clock.now.offset == .seconds(2))
  }

  @Test func `concurrent advances add up`() async {
    for _ in 0..<100 {
      let clock = TestClock()
      async let a = clock.advance(by: .seconds(1))
      async let b = clock.advance(by: .seconds(1))
      _ = await (a, b)
      #expect(clock.now.offset == .seconds(2))
    }
  }

  // MARK: Timers

  @Test func `T4 a timer ticks at exact multiples, all of them in one advance`() async throws {
    let clock = TestClock()
    let task = Task {
      var ticks: [Duration] = []
      for try await tick in clock.timer(every: .milliseconds(300)) {
        ticks.append(tick)
        if ticks.count == 4 { break }
      }
      return ticks
    }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(60))
    #expect(try await task.value == [300, 600, 900, 1200].map { .milliseconds($0) })
    #expect(clock.sleepers.isEmpty)
  }

  @Test func `ticks that pass while the loop's body is busy are skipped`() async throws {
    let clock = TestClock()
    let task = Task {
      var ticks: [Duration] = []
      for try await tick in clock.timer(every: .seconds(1)) {
        ticks.append(tick)
        if ticks.count == 3 { break }
        try await clock.sleep(for: .milliseconds(2500))
      }
      return ticks
    }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(60))
    #expect(try await task.value == [.seconds(1), .seconds(4), .seconds(7)])
  }

  @Test func `a tick that falls due exactly when the body ends is not skipped`() async throws {
    let clock = TestClock()
    let task = Task {
      var ticks: [Duration] = []
      for try await tick in clock.timer(every: .seconds(1)) {
        ticks.append(tick)
        if ticks.count == 3 { break }
        try await clock.sleep(for: .seconds(2))
      }
      return ticks
    }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(60))
    #expect(try await task.value == [.seconds(1), .seconds(3), .seconds(5)])
  }

  @Test func `cancelling the task ends the timer and its sleep`() async throws {
    let clock = TestClock()
    let task = Task { for try await _ in clock.timer(every: .seconds(1)) {} }
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleepers.isEmpty)
  }

  // MARK: Sharing time

  @Test func `a test clock can be passed as any clock`() async throws {
    let clock = TestClock()
    let erased: any Clock<Duration> = clock
    let task = Task { try await erased.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(1))
    try await task.value
    #expect(clock.minimumResolution == .zero)
  }

  @Test func `a scheduler's clock and queues share one time`() async throws {
    let scheduler = TestScheduler()
    let clock = scheduler.clock
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    scheduler.schedule(after: .seconds(2)) { log.append("work at \(clock.now)") }
    await scheduler.advance(by: .seconds(2))
    try await task.value
    #expect(log.values == ["work at 2.0 seconds"])
  }

  @MainActor
  @Test func `work that an advance runs stays where the test is isolated`() async {
    let scheduler = TestScheduler()
    let clock = scheduler.clock
    scheduler.async { MainActor.assumeIsolated { log.append("on the main actor") } }
    await clock.advance()
    #expect(log.values == ["on the main actor"])
  }

  @Test func `waiting for several sleepers ends with the last of them`() async throws {
    let clock = TestClock()
    let tasks = (1...8).map { number in Task { try await clock.sleep(for: .seconds(number)) } }
    await clock.waitForSleepers(8)
    #expect(clock.sleepers.map(\.deadline) == (1...8).map { .seconds($0) })
    await clock.run()
    for task in tasks { try await task.value }
  }

  /// Tasks that have fallen asleep one after another, named by their position.
  private func asleep(on clock: TestClock, _ delays: [Duration]) async -> [Task<Void, any Error>] {
    var tasks: [Task<Void, any Error>] = []
    for (index, delay) in delays.enumerated() {
      tasks.append(Task(name: "task \(index)") { try await clock.sleep(for: delay) })
      await clock.waitForSleepers(index + 1)
    }
    return tasks
  }

  @Test func `W1 a sleep that no advance ends says so and ends`() async {
    let line = #line + 2
    let failures = await failures {
      let clock = TestClock()
      let sleeping = Task(name: "poller") {
        try await HangTimeout.$shortened.withValue(.milliseconds(20)) {
          try await clock.sleep(for: .seconds(60))
        }
      }
      await #expect(throws: (any Error).self) { try await sleeping.value }
      if case .failure(let error) = await sleeping.result {
        #expect("\(error)" == forgottenSleepError(line: line))
      }
      #expect(clock.sleepers.isEmpty)
    }
    #expect(failures == [forgottenSleep(line: line)])
  }

  @Test func `a sleep that begins after the only advance is told of that advance`() async {
    let (line, advance) = (#line + 2, #line + 3)
    let failures = await failures {
      let clock = TestClock()
      await clock.advance(by: .seconds(60))
      _ = await Task(name: "poller") {
        try await HangTimeout.$shortened.withValue(.milliseconds(20)) {
          try await clock.sleep(for: .seconds(60))
        }
      }.result
    }
    #expect(
      failures == [
        Failure(
          """
          For 20 ms of real time nothing has advanced the clock made at TestClockTests.swift:\(line), and \
          tasks are asleep on it (now: 60 s):
            at 120 s: "poller", TestClockTests.swift:\(line)
          The latest advance, at TestClockTests.swift:\(advance), found no task asleep.
          Their sleeps end with an error, so that a test which awaits them can end. Advance first: \
          waitForSleepers(), then advance(by:).
          """, line: line)
      ])
  }

  @Test func `a clock that was advanced and never used gets a warning at its first advance`() async
  {
    let line = #line + 3
    let failures = await failures {
      let clock = TestClock()
      for _ in 1...2 { await clock.advance(by: .seconds(60)) }
    }
    #expect(
      failures == [
        Failure(FailureText.anUnusedClock, line: line)
      ])
  }

  @Test func `an advance that shows that nothing happens any more gets no warning`() async throws {
    let failures = await failures {
      let clock = TestClock()
      let sleeping = Task { try await clock.sleep(for: .seconds(1)) }
      await clock.waitForSleepers()
      sleeping.cancel()
      _ = await sleeping.result
      await clock.advance(by: .seconds(60))
      let read = TestClock()
      _ = read.now
      await read.advance(by: .seconds(60))
      await TestScheduler().clock.advance(by: .seconds(60))
    }
    #expect(failures == [])
  }
}

final class TestClockXCTests: XCTestCase {
  func testW1ASleepThatNobodyEndsSaysSoAndEnds() async {
    let (clock, line) = (TestClock(), #line)
    do {
      try await HangTimeout.$shortened.withValue(.milliseconds(20)) {
        try await Task(name: "poller") { try await clock.sleep(for: .seconds(60)) }.value
      }
      XCTFail("It has not ended.")
    } catch { XCTAssertEqual("\(error)", forgottenSleepError(line: line)) }
  }
}

private func forgottenSleep(line: Int) -> Failure {
  Failure(FailureText.forgottenSleep(line: line), line: line)
}

private func forgottenSleepError(line: Int) -> String {
  "The sleep ended because nothing has advanced the clock made at TestClockTests.swift:\(line): "
    + "see the warning there."
}
