import Dispatch
import SleeplessTesting
import Testing
import TestSupport

/// The state after virtual time has been misused; the texts are in `FailureCase`.
@Suite struct MisuseTests {
  let log = Log<String>()

  // MARK: Scheduling

  @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(-1)])
  func `T6 an interval that is not positive fails at the caller's line and schedules nothing`(
    interval: Duration
  ) {
    let scheduler = TestScheduler()
    let failures = failures { scheduler.schedule(every: interval) { log.append("ran") } }
    let here = #line - 1
    #expect(failures.map(\.line) == [here])
    scheduler.advance(by: .seconds(10))
    #expect(log.values == [])
  }

  @Test func `sync from work of the same queue fails, where GCD would wait for ever, and runs`() {
    let scheduler = TestScheduler("main")
    let failures = failures {
      scheduler.async { scheduler.sync { log.append("ran") } }
      scheduler.advance()
    }
    #expect(failures.count == 1)
    #expect(log.values == ["ran"])
  }

  @Test func `sync from work of another queue is fine`() {
    let main = TestScheduler("main")
    let background = main.queue("background")
    background.async { main.sync { log.append("ran") } }
    main.advance()
    #expect(log.values == ["ran"])
  }

  @Test func `a scheduler that allows pending work is released without a failure`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    scheduler.schedule(after: .seconds(3)) {}
  }

  @Test func `a long list of pending work is cut short`() {
    let failures = failures {
      let scheduler = TestScheduler()
      for _ in 0..<13 { scheduler.async {} }
    }
    #expect(failures.first?.text.contains("\n  ... and 3 more\n") == true)
  }

  // MARK: Advancing

  @Test func `T1 an advance to the past fails and runs nothing`() {
    let scheduler = TestScheduler()
    scheduler.advance(by: .seconds(5))
    scheduler.async { log.append("ran") }
    let failures = failures {
      scheduler.advance(to: .seconds(1))
      scheduler.advance(by: .seconds(-1))
    }
    #expect(failures.count == 2)
    #expect(scheduler.now == .seconds(5))
    #expect(log.values == [])
    scheduler.run()
  }

  @Test func `T1 an advance fails whose instant another thread passes before its turn`() async {
    let scheduler = TestScheduler()
    let isRunning = Event()
    let mayGoOn = DispatchSemaphore(value: 0)
    scheduler.schedule(after: .seconds(3)) {
      isRunning.happen()
      mayGoOn.wait()
    }
    async let end: Void = onThread { scheduler.advance(to: .seconds(10)) }
    await isRunning.wait()
    // It waits for its turn, or comes after the other call.
    func advance() -> [Failure] {
      failures {
        mayGoOn.signal()
        scheduler.advance(to: .seconds(5))
      }
    }
    #expect(
      advance().map { $0.text.firstLine } == [
        "advance(to: 5 s) would move time back: now is 10 s already. Nothing was run."
      ])
    await end
    #expect(scheduler.now == .seconds(10))
  }

  @Test func `T1 a clock does not move back either`() async {
    let clock = TestClock()
    await clock.advance(by: .seconds(5))
    let line = #line + 2
    let failures = await failures {
      await clock.advance(to: VirtualInstant(offset: .seconds(1)))
      await clock.advance(by: .seconds(-1))
    }
    #expect(failures.map(\.line) == [line, line + 1])
    #expect(clock.now.offset == .seconds(5))
  }

  @Test func `a duration that overflows goes to the end of time`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(1)) { log.append("ran") }
    let longest = Duration(_high: .max, low: .max)
    scheduler.advance(by: longest)
    scheduler.advance(by: longest)
    // An attosecond before never, so that work can still be due at once.
    #expect(scheduler.now + Duration(secondsComponent: 0, attosecondsComponent: 1) == longest)
    scheduler.async { log.append("ran too") }
    scheduler.advance()
    #expect(log.values == ["ran", "ran too"])
  }

  // MARK: Work without an end

  @Test func `T7 a second run after a failed one works`() {
    let scheduler = TestScheduler(stepLimit: 10)
    let timer = scheduler.schedule(every: .seconds(1)) {}
    #expect(failures { scheduler.run() }.count == 1)
    timer.cancel()
    scheduler.schedule(after: .seconds(1)) { log.append("ran") }
    scheduler.run()
    #expect(log.values == ["ran"])
  }

  @Test func `T7 work that was pending before does not count, in any amount`() {
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
}
