import Foundation
import SleeplessTesting
import Testing
import TestSupport

/// Timers as publishers, on virtual time.
@Suite struct TimerTests {
  let scheduler = TestScheduler()
  let log = Log<String>()

  private func record(_ timer: ErasedPublisher<Duration, Never>) -> SubscriptionToken {
    timer.sink { [log, scheduler] in log.append("\($0) at \(scheduler.now)") }
  }

  @Test func `a timer sends the time since its subscription at every interval`() {
    let timer = scheduler.timer(every: .seconds(2))
    scheduler.advance(by: .seconds(1))
    let token = record(timer)
    scheduler.advance(by: .seconds(4))
    #expect(log.values == ["2.0 seconds at 3.0 seconds", "4.0 seconds at 5.0 seconds"])
    withExtendedLifetime(token) {}
  }

  @Test func `each subscriber has a timer of its own`() {
    let timer = scheduler.timer(every: .seconds(2))
    let first = record(timer)
    scheduler.advance(by: .seconds(1))
    let second = record(timer)
    #expect(scheduler.pending.count == 2)
    scheduler.advance(by: .seconds(2))
    #expect(log.values == ["2.0 seconds at 2.0 seconds", "2.0 seconds at 3.0 seconds"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `P4 a timer ends with its subscription, also from within a tick`() {
    let tokens = Log<SubscriptionToken>()
    tokens.append(
      scheduler.timer(every: .seconds(1)).sink { [log] in
        log.append("\($0)")
        if $0 == .seconds(2) { tokens.values[0].cancel() }
      })
    scheduler.advance(by: .seconds(9))
    #expect(log.values == ["1.0 seconds", "2.0 seconds"])
    #expect(scheduler.pending.isEmpty)
  }

  @Test func `P6 a timer releases its subscriber with the token`() {
    final class Probe: Sendable {}
    func subscribe() -> (SubscriptionToken, Weak) {
      let probe = Probe()
      return (
        scheduler.timer(every: .seconds(1)).sink { _ in withExtendedLifetime(probe) {} },
        Weak(probe)
      )
    }
    struct Weak {
      weak var object: Probe?
      init(_ object: Probe) { self.object = object }
    }
    let (token, weak) = subscribe()
    scheduler.advance(by: .seconds(1))
    #expect(weak.object != nil)
    token.cancel()
    #expect(weak.object == nil)
  }

  @Test func `a timer is listed with its label and line`() {
    let tokens = [
      scheduler.timer(every: .seconds(1)), scheduler.timer(every: .seconds(1), label: "clock"),
    ].map(record)
    let line = #line - 2
    let pending = scheduler.pending.description
    #expect(pending.contains("\"timer\", TimerTests.swift:\(line)"))
    #expect(pending.contains("\"clock\", TimerTests.swift:\(line)"))
    withExtendedLifetime(tokens) {}
  }

  @Test func `T6 an interval that is not positive fails the test`() {
    withKnownIssue {
      _ = scheduler.timer(every: .zero).sink { _ in }
    } matching: {
      "\($0)".contains("interval")
    }
    #expect(log.values == [])
  }
}
