import Foundation
import SleeplessTesting
import VirtualTime

extension FailureCase {
  /// Advances that cannot be made, or do not come to an end.
  static let ofAdvancing = [
    FailureCase(
      "an advance to the past", at: #line + 9,
      reads: """
        advance(to: 1 s) would move time back: now is 5 s already. Nothing was run.
        Virtual time only moves forward. advance(to:) counts from the start; advance(by:) counts \
        from now.
        """
    ) {
      let scheduler = TestScheduler()
      scheduler.advance(by: .seconds(5))
      scheduler.advance(to: .seconds(1))
    },
    FailureCase(
      "a clock's advance by a negative time", at: #line + 5,
      reads: """
        advance(by: -1 ms) would move time back: now is 0 s. Nothing was run.
        Virtual time only moves forward.
        """
    ) { await TestClock().advance(by: .milliseconds(-1)) },
    FailureCase(
      "a run that does not end", at: #line + 12,
      reads: """
        run() did not come to an end: 5 pieces of work that were scheduled on the way have run, \
        and more keep coming. Next would be:
          at 6 s, every 1 s: "poll", FailureCase+Advancing.swift:\(#line + 7)
        This is usually a timer or a loop of sleeps that is never cancelled, or work that schedules itself again. Cancel \
        it first, or go a certain way with advance(by:), or make the scheduler \
        with a higher stepLimit (is 5).
        """
    ) {
      let scheduler = TestScheduler(stepLimit: 5)
      scheduler.schedule(every: .seconds(1), label: "poll") {}
      scheduler.run()
    },
    FailureCase(
      "work that comes back at one instant", at: #line + 14,
      reads: """
        advance(by: 0 s) did not come to an end: 5 pieces of work that were scheduled on the way \
        have run at one instant, and more keep coming. Next would be:
          at 0 s: "again", FailureCase+Advancing.swift:\(#line + 7)
        This is usually a timer or a loop of sleeps that is never cancelled, or work that schedules itself again. Give it \
        a delay or an end, or make the scheduler with a higher stepLimit (is 5).
        """
    ) {
      let scheduler = TestScheduler(stepLimit: 5, allowsPendingWork: true)
      @Sendable func again() {
        scheduler.schedule(after: .zero, label: "again") { again() }
      }
      again()
      scheduler.advance()
    },
    FailureCase(
      "an advance two hundred levels deep", at: #line + 10,
      reads: """
        advance(by: 0 s) was called from work of an advance that was itself called from work, and \
        so on, 200 levels deep. Nothing was run.
        Work need not advance time itself: what it schedules runs in the advance under way.
        """
    ) {
      let scheduler = TestScheduler(allowsPendingWork: true)
      @Sendable func deeper() {
        scheduler.async { deeper() }
        scheduler.advance()
      }
      deeper()
    },
    FailureCase(
      "an advance that waits for another thread's", at: #line + 12,
      reads: """
        advance(by: 0 s) waited 1 ms for another thread that is advancing the same time, and gave \
        up. It is running
          at 1 s: "work", on queue "main", FailureCase+Advancing.swift:\(#line + 6)
        If that work waits for this thread, neither can go on. Advance from one thread.
        """
    ) {
      let scheduler = HangTimeout.$shortened.withValue(.milliseconds(1)) { TestScheduler("main") }
      let hasAdvanced = DispatchSemaphore(value: 0)
      scheduler.schedule(after: .seconds(1), label: "work") {
        Thread.detachNewThread {
          scheduler.advance()
          hasAdvanced.signal()
        }
        hasAdvanced.wait()
      }
      scheduler.advance(by: .seconds(1))
    },
  ]
}
