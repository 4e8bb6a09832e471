import SleeplessTesting
import Testing
import TestSupport

/// A scheduler's own sleep and measure.
@Suite struct SchedulerSleepTests {
  private let log = Log<String>()

  @Test(.needs(.capture)) func `tasks sleep until the scheduler's time has come`() async throws {
    let scheduler = TestScheduler()
    let tasks = [2, 1, 0, -1].map { seconds in
      Task {
        try await scheduler.sleep(for: .seconds(seconds))
        log.append("\(seconds) at \(scheduler.now)")
      }
    }
    await scheduler.advance(by: .seconds(2))
    #expect(
      log.values.sorted() == [
        "-1 at 0.0 seconds", "0 at 0.0 seconds", "1 at 1.0 seconds", "2 at 2.0 seconds",
      ])
    for task in tasks { try await task.value }
  }

  @Test func `a task that sleeps on a test scheduler is a sleeper of its clock`() async throws {
    let scheduler = TestScheduler()
    let task = Task {
      for _ in 1...2 { try await scheduler.sleep(for: .seconds(1)) }
    }
    for _ in 1...2 {
      await scheduler.clock.waitForSleepers()
      await scheduler.advance(by: .seconds(1))
    }
    try await task.value
    await scheduler.clock.expectNoSleepers()
  }

  @Test func `F3 a sleep on an unimplemented scheduler fails the test once, and throws`() async {
    let line = #line + 2
    let failures = await failures {
      let scheduler = UnimplementedScheduler()
      await #expect(throws: UnimplementedClock.Used.self) {
        try await scheduler.sleep(for: .seconds(1))
      }
      await #expect(throws: UnimplementedClock.Used.self) {
        try await scheduler.sleep(for: .seconds(2))
      }
    }
    #expect(
      failures == [
        Failure(
          """
          UnimplementedScheduler was used: sleep(for: 1 s), called in SchedulerSleepTests.swift:\(line + 1).
          This stand-in says that the test needs none. If it does, pass a test scheduler or clock, \
          or an immediate one.
          """, line: line)
      ])
  }

  @Test func `a sleep has its label and its line in lists of pending work`() async {
    let scheduler = TestScheduler()
    let line = #line + 1
    let task = Task { try await scheduler.sleep(for: .seconds(1), label: "retry") }
    await eventually { !scheduler.pending.isEmpty }
    #expect(scheduler.pending.map(\.label) == ["retry"])
    #expect("\(scheduler.pending)".contains("SchedulerSleepTests.swift:\(line)"))
    task.cancel()
    _ = await task.result
  }

  @Test func `T8 a cancelled sleep ends at once and leaves no work`() async {
    let scheduler = TestScheduler()
    let task = Task { try await scheduler.sleep(for: .seconds(1)) }
    await eventually { !scheduler.pending.isEmpty }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(scheduler.pending.isEmpty)
  }

  @Test func `a task that is cancelled before does not sleep`() async {
    let scheduler = TestScheduler()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await scheduler.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(scheduler.pending.isEmpty)
  }

  @Test func `an immediate scheduler's sleep is over at once`() async throws {
    try await ImmediateScheduler().sleep(for: .seconds(1))
  }

  @Test func `measure tells the scheduler's time`() async throws {
    let scheduler = TestScheduler()
    let duration = await scheduler.measure { await scheduler.advance(by: .seconds(3)) }
    #expect(duration == .seconds(3))
    await #expect(throws: CancellationError.self) {
      try await scheduler.measure { throw CancellationError() }
    }
  }
}
