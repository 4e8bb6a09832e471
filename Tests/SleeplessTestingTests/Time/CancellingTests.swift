import Foundation
import SleeplessTesting
import Testing
import TestSupport

@Suite struct CancellingTests {
  let log = Log<String>()

  @Test func `T8 cancelled work never runs and is pending no more`() {
    let scheduler = TestScheduler()
    let token = scheduler.schedule(after: .seconds(1)) { log.append("ran") }
    #expect(scheduler.pending.count == 1)
    token.cancel()
    #expect(scheduler.pending.isEmpty)
    scheduler.run()
    #expect(log.values == [])
    #expect(scheduler.now == .zero)
  }

  @Test func `T8 cancelling twice, or after the run, does nothing`() {
    let scheduler = TestScheduler()
    let token = scheduler.schedule(after: .seconds(1)) { log.append("ran") }
    scheduler.run()
    token.cancel()
    token.cancel()
    let other = scheduler.schedule(after: .seconds(1)) { log.append("other") }
    other.cancel()
    other.cancel()
    scheduler.schedule(after: .seconds(1)) { log.append("third") }
    scheduler.run()
    #expect(log.values == ["ran", "third"])
  }

  @Test func `dropping a token does not cancel`() {
    let scheduler = TestScheduler()
    do { _ = scheduler.schedule(after: .seconds(1)) { log.append("ran") } }
    scheduler.run()
    #expect(log.values == ["ran"])
  }

  @Test func `a token outlives its scheduler`() {
    let token = TestScheduler(allowsPendingWork: true).schedule(after: .seconds(1)) {}
    token.cancel()
  }

  @Test func `T8 a timer cancelled from another thread ticks no more`() {
    let scheduler = TestScheduler()
    let ticked = DispatchSemaphore(value: 0)
    let cancelled = DispatchSemaphore(value: 0)
    let ticks = Log<Duration>()
    let timer = scheduler.schedule(every: .seconds(1)) {
      ticks.append(scheduler.now)
      guard ticks.values.count == 3 else { return }
      ticked.signal()
      cancelled.wait()
    }
    DispatchQueue.global().async {
      ticked.wait()
      timer.cancel()
      cancelled.signal()
    }
    scheduler.advance(by: .seconds(100))
    #expect(ticks.values == [.seconds(1), .seconds(2), .seconds(3)])
    #expect(scheduler.pending.isEmpty)
  }

  /// In debug a tenth of that.
  @Test func `a hundred thousand pieces, a thousand timers, ten thousand cancels`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    let count = Locked(0)
    let pieces = rounds(100_000)
    for number in 0..<pieces {
      scheduler.schedule(after: .microseconds((number &* 7919) % 100_003)) {
        count.withLock { $0 += 1 }
      }
    }
    let tokens = (0..<rounds(10_000)).map { number in
      scheduler.schedule(after: .microseconds(number)) { count.withLock { $0 += 1_000_000 } }
    }
    for token in tokens { token.cancel() }
    let timers = rounds(1000)
    for _ in 0..<timers {
      scheduler.schedule(every: .milliseconds(1)) { count.withLock { $0 += 1 } }
    }
    scheduler.advance(by: .milliseconds(100))
    scheduler.advance(by: .milliseconds(1))
    #expect(count.withLock { $0 } == pieces + timers * 101)
  }
}
