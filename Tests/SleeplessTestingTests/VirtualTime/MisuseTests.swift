import Foundation
import SleeplessTesting
import Testing

/// Every way to misuse virtual time, with the whole text that the user then reads.
@Suite struct MisuseTests {
  let log = Log<String>()

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `T6 an interval that is not positive fails at the caller's line`(interval: Duration) {
    let scheduler = TestScheduler()
    let failures = failures { scheduler.schedule(every: interval) { log.append("ran") } }
    #expect(
      failures == [
        Failure(
          """
          A repeating interval must be positive (was \(interval == .zero ? "0 s" : "-1 s")). \
          Nothing was scheduled. To run work once use schedule(after:).
          """, line: #line - 6)
      ])
    scheduler.advance(by: .seconds(10))
    #expect(log.values == [])
  }

  @Test func `T7 work that reschedules itself for now fails the advance, naming it`() {
    let scheduler = TestScheduler(stepLimit: 1000, allowsPendingWork: true)
    let line = #line + 1
    @Sendable func again() { scheduler.schedule(after: .zero, label: "again") { again() } }
    again()
    let failures = failures { scheduler.advance() }
    #expect(
      failures == [
        Failure(
          """
          advance(by: 0 s) did not come to an end: 1000 pieces of work that were scheduled on the \
          way have run at one instant, and more keep coming. Next would be:
            at 0 s: "again", MisuseTests.swift:\(line)
          This is usually a timer that nobody cancels, or work that schedules itself again. Give it \
          a delay or an end; if so much is meant, make the scheduler with a higher stepLimit (is \
          1000).
          """, line: #line - 11)
      ])
  }

  @Test func `T7 run with a timer that nobody cancels fails, naming the timer`() {
    let scheduler = TestScheduler(stepLimit: 1000)
    let line = #line + 1
    let timer = scheduler.schedule(every: .seconds(1), label: "poll") {}
    let failures = failures { scheduler.run() }
    #expect(
      failures == [
        Failure(
          """
          run() did not come to an end: 1000 pieces of work that were scheduled on the way have \
          run, and more keep coming. Next would be:
            at 1001 s, every 1 s: "poll", MisuseTests.swift:\(line)
          This is usually a timer that nobody cancels, or work that schedules itself again. Cancel \
          it first, or go a certain way with advance(by:); if so much is meant, make the scheduler \
          with a higher stepLimit (is 1000).
          """, line: #line - 11)
      ])
    timer.cancel()
  }

  @Test func `a second run after a failed one works`() {
    let scheduler = TestScheduler(stepLimit: 10)
    let timer = scheduler.schedule(every: .seconds(1)) {}
    #expect(failures { scheduler.run() }.count == 1)
    timer.cancel()
    scheduler.schedule(after: .seconds(1)) { log.append("ran") }
    scheduler.run()
    #expect(log.values == ["ran"])
  }

  @Test func `T7 work that was there before does not count, however much it is`() {
    let scheduler = TestScheduler(stepLimit: 10)
    for _ in 0..<1000 { scheduler.schedule(after: .seconds(1)) { log.append("ran") } }
    scheduler.run()
    #expect(log.values.count == 1000)
  }

  @Test func `T7 every default stops at a hundred thousand`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    let count = Locked(0)
    @Sendable func again() {
      count.withLock { $0 += 1 }
      scheduler.async { again() }
    }
    scheduler.async { again() }
    let failures = failures { scheduler.advance() }
    #expect(failures.count == 1)
    #expect(count.withLock { $0 } == 100_001)
  }

  @Test func `T1 an advance to the past fails and runs nothing`() {
    let scheduler = TestScheduler()
    scheduler.advance(by: .seconds(5))
    scheduler.async { log.append("ran") }
    let failures = failures { scheduler.advance(to: .seconds(1)) }
    #expect(
      failures == [
        Failure(
          """
          advance(to: 1 s) would move time back: now is 5 s already. Nothing was run.
          Virtual time only moves forward. advance(to:) counts from the start; advance(by:) counts \
          from now.
          """, line: #line - 7)
      ])
    #expect(scheduler.now == .seconds(5))
    #expect(log.values == [])
    scheduler.run()
  }

  @Test func `T1 an advance by a negative duration fails and runs nothing`() {
    let scheduler = TestScheduler()
    let failures = failures { scheduler.advance(by: .milliseconds(-1)) }
    #expect(
      failures == [
        Failure(
          """
          advance(by: -1 ms) would move time back: now is 0 s. Nothing was run.
          Virtual time only moves forward.
          """, line: #line - 6)
      ])
  }

  @Test func `T1 a clock does not move back either`() async {
    let clock = TestClock()
    await clock.advance(by: .seconds(5))
    let failures = await failures {
      await clock.advance(to: VirtualInstant(offset: .seconds(1)))
      await clock.advance(by: .seconds(-1))
    }
    #expect(failures.map(\.line) == [#line - 3, #line - 2])
    #expect(clock.now.offset == .seconds(5))
  }

  @Test func `a duration that overflows goes to the end of time`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(1)) { log.append("ran") }
    let longest = Duration(_high: .max, low: .max)
    scheduler.advance(by: longest)
    scheduler.advance(by: longest)
    #expect(scheduler.now == longest)
    #expect(log.values == ["ran"])
  }

  @Test func `T9 advancing two hundred levels deep fails`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    @Sendable func deeper() {
      scheduler.async { deeper() }
      scheduler.advance()
    }
    let failures = failures { deeper() }
    #expect(
      failures.first
        == Failure(
          """
          advance(by: 0 s) was called from work that was run by an advance that was called from \
          work …, 200 levels deep. Nothing was run.
          Work need not advance time itself: what it schedules runs in the advance under way.
          """, line: #line - 9))
  }

  @Test func `sync from work of the same queue fails, where GCD would wait for ever`() {
    let scheduler = TestScheduler("main")
    let line = #line - 1
    let failures = failures {
      scheduler.async { scheduler.sync { log.append("ran") } }
      scheduler.advance()
    }
    #expect(
      failures == [
        Failure(
          """
          sync was called on a queue by work that the same queue is running:
            at 0 s: on queue "main", MisuseTests.swift:\(line + 3)
          On a serial DispatchQueue this waits for ever. Call the code directly instead.
          """, line: line)
      ])
    #expect(log.values == ["ran"])
  }

  @Test func `sync from work of another queue is fine`() {
    let main = TestScheduler("main")
    let background = main.queue("background")
    background.async { main.sync { log.append("ran") } }
    main.advance()
    #expect(log.values == ["ran"])
  }

  @Test func `a scheduler released with work pending fails where it was made`() {
    let line = #line + 2
    let failures = failures {
      let scheduler = TestScheduler()
      scheduler.advance(by: .seconds(1))
      scheduler.schedule(after: .seconds(3), label: "hide the toast") {}
    }
    #expect(
      failures == [
        Failure(
          """
          A scheduler was released with work pending that will now never run (now: 1 s):
            at 4 s: "hide the toast", MisuseTests.swift:\(line + 2)
          Run it with run() or advance(by:), cancel it, or make the scheduler with \
          allowsPendingWork: true if the test does not care.
          """, line: line)
      ])
  }

  @Test func `a scheduler that allows pending work is released without a word`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    scheduler.schedule(after: .seconds(3)) {}
  }

  @Test func `a long list of pending work is cut short`() {
    let failures = failures {
      let scheduler = TestScheduler()
      for _ in 0..<13 { scheduler.async {} }
    }
    #expect(failures.first?.text.contains("\n  … and 3 more\n") == true)
  }

  @Test func `a step limit below one fails and counts as one`() {
    let failures = failures { _ = TestScheduler(stepLimit: 0) }
    #expect(
      failures == [Failure("stepLimit must be at least 1 (was 0). Using 1.", line: #line - 2)])
  }

  @Test func `waiting for no sleepers fails`() async {
    let clock = TestClock()
    let failures = await failures { await clock.waitForSleepers(0) }
    #expect(
      failures == [
        Failure("The number of sleepers must be at least 1 (was 0).", line: #line - 3)
      ])
  }

  @Test func `waiting for sleepers in a task that is cancelled fails and says so`() async {
    let clock = TestClock()
    let failures = await failures {
      await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        await clock.waitForSleepers(2)
      }.value
    }
    #expect(
      failures == [
        Failure(
          """
          Expected 2 tasks asleep on the clock, saw 0: the waiting task was cancelled first. \
          Pending (now: 0 s):
            nothing
          Does the code under test sleep on this clock, and has it been started? A task that has \
          something else to wait for does not count.
          """, line: #line - 11)
      ])
  }

  @Test func `sleepers that do not come fail when the guard's time is up`() async throws {
    let clock = Guard.$shortened.withValue(.milliseconds(1)) { TestClock() }
    let line = #line - 1
    let task = Task(name: "one") { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers()
    let failures = await failures { await clock.waitForSleepers(2) }
    #expect(
      failures == [
        Failure(
          """
          Expected 2 tasks asleep on the clock, saw 1: 1 ms of real time went by without it. \
          Pending (now: 0 s):
            at 1 s: "one", MisuseTests.swift:\(line)
          Does the code under test sleep on this clock, and has it been started? A task that has \
          something else to wait for does not count.
          """, line: #line - 9)
      ])
    await clock.run()
    try await task.value
  }

  @Test func `a thread that waits for an advance that waits for it fails`() {
    let advanced = DispatchSemaphore(value: 0)
    let line = #line + 3
    let failures = failures {
      let scheduler = Guard.$shortened.withValue(.milliseconds(1)) { TestScheduler("main") }
      scheduler.schedule(after: .seconds(1), label: "work") {
        Thread.detachNewThread {
          scheduler.advance()
          advanced.signal()
        }
        advanced.wait()
      }
      scheduler.advance(by: .seconds(1))
    }
    #expect(
      failures == [
        Failure(
          """
          advance(by: 0 s) waited 1 ms for another thread that is advancing the same time, and \
          gave up. It is running
            at 1 s: "work", on queue "main", MisuseTests.swift:\(line)
          If that work waits for this thread, neither can go on. Advance from one thread.
          """, line: line + 2)
      ])
  }
}
