import SleeplessTesting
import Testing
import XCTest

@Suite struct AdvancingConditionTests {
  private let scheduler = TestScheduler(allowsPendingWork: true)
  private let ticks = Locked(0)

  private func tick() {
    scheduler.schedule(after: .seconds(1), every: .seconds(4)) { [ticks] in
      ticks.withLock { $0 += 1 }
    }
  }

  @Test func `time moves to where the condition becomes true, and no further`() {
    tick()
    eventually(advancing: scheduler) { ticks.withLock { $0 } == 3 }
    #expect(scheduler.now == .seconds(9))
    eventually(advancing: scheduler) { ticks.withLock { $0 } == 3 }
    #expect(scheduler.now == .seconds(9))
  }

  @Test func `work that is due at the limit counts, and the limit begins now`() {
    tick()
    scheduler.advance(by: .seconds(2))
    eventually(within: .seconds(3), advancing: scheduler) { ticks.withLock { $0 } == 2 }
    #expect(scheduler.now == .seconds(5))
  }

  @Test func `never takes the whole time, in virtual time`() {
    tick()
    never(during: .seconds(3600), advancing: scheduler) { ticks.withLock { $0 } > 900 }
    #expect(scheduler.now == .seconds(3600))
    #expect(ticks.withLock { $0 } == 900)
  }

  @Test func `always may begin later`() {
    tick()
    always(during: .seconds(4), within: .seconds(5), notBefore: .seconds(1), advancing: scheduler) {
      ticks.withLock { $0 } >= 2
    }
    #expect(scheduler.now == .seconds(9))
  }

  @Test func `W3 with nothing pending eventually fails at once`() {
    let failures = failures { eventually(advancing: scheduler) { false } }
    #expect(failures.count == 1)
    #expect(scheduler.now == .zero)
  }

  @Test func `T7 work that keeps coming at one instant ends the wait`() {
    let scheduler = TestScheduler(stepLimit: 10, allowsPendingWork: true)
    @Sendable func again() { scheduler.async { again() } }
    again()
    let failures = failures { eventually(advancing: scheduler) { false } }
    #expect(failures.count == 1)
    #expect(failures.first?.text.hasPrefix("advance(to: 0 s) did not come to an end") == true)
  }

  @Test func `T7 a timer that is never cancelled ends the wait`() {
    let scheduler = TestScheduler(stepLimit: 10, allowsPendingWork: true)
    scheduler.schedule(every: .seconds(4)) {}
    let failures = failures { eventually(advancing: scheduler) { false } }
    #expect(failures.count == 1)
    #expect(
      failures.first?.text.contains(
        "time has moved 10 times, and work keeps coming: limit it, within:") == true)
    #expect(scheduler.now == .seconds(40))
  }

  @Test func `eventually can be called from work of the scheduler`() {
    tick()
    scheduler.schedule(after: .seconds(2)) { [scheduler, ticks] in
      eventually(advancing: scheduler) { ticks.withLock { $0 } == 2 }
    }
    scheduler.advance(by: .seconds(2))
    #expect(ticks.withLock { $0 } == 2)
  }
}

final class AdvancingConditionXCTests: XCTestCase {
  func testASynchronousTestMovesTime() {
    let scheduler = TestScheduler()
    let isDone = Locked(false)
    scheduler.schedule(after: .seconds(3)) { isDone.withLock { $0 = true } }
    eventually(advancing: scheduler) { isDone.withLock { $0 } }
    XCTAssertEqual(scheduler.now, .seconds(3))
  }
}
