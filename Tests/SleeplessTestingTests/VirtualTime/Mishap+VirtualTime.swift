import SleeplessTesting

extension Mishap {
  static let virtualTime = [
    Mishap(
      "an interval of zero", at: #line + 5,
      reads: """
        A repeating interval must be positive (was 0 s). Nothing was scheduled. To run work once \
        use schedule(after:).
        """
    ) { TestScheduler().schedule(every: .zero) {} },
    Mishap(
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
    Mishap(
      "a clock's advance by a negative time", at: #line + 5,
      reads: """
        advance(by: -1 ms) would move time back: now is 0 s. Nothing was run.
        Virtual time only moves forward.
        """
    ) { await TestClock().advance(by: .milliseconds(-1)) },
    Mishap(
      "a run that does not end", at: #line + 12,
      reads: """
        run() did not come to an end: 5 pieces of work that were scheduled on the way have run, \
        and more keep coming. Next would be:
          at 6 s, every 1 s: "poll", Mishap+VirtualTime.swift:\(#line + 7)
        This is usually a timer that nobody cancels, or work that schedules itself again. Cancel \
        it first, or go a certain way with advance(by:); if so much is meant, make the scheduler \
        with a higher stepLimit (is 5).
        """
    ) {
      let scheduler = TestScheduler(stepLimit: 5)
      scheduler.schedule(every: .seconds(1), label: "poll") {}
      scheduler.run()
    },
    Mishap(
      "work left behind", at: #line + 7,
      reads: """
        A scheduler was released with work pending that will now never run (now: 0 s):
          at 3 s: "hide the toast", Mishap+VirtualTime.swift:\(#line + 4)
        Run it with run() or advance(by:), cancel it, or make the scheduler with \
        allowsPendingWork: true if the test does not care.
        """
    ) { TestScheduler().schedule(after: .seconds(3), label: "hide the toast") {} },
    Mishap(
      "a step limit of zero", at: #line + 2,
      reads: "stepLimit must be at least 1 (was 0). Using 1."
    ) { _ = TestScheduler(stepLimit: 0) },
    Mishap(
      "a wait for no sleepers", at: #line + 2,
      reads: "The number of sleepers must be at least 1 (was 0)."
    ) { await TestClock().waitForSleepers(0) },
    Mishap(
      "sleepers that do not come", at: #line + 9,
      reads: """
        Expected 2 tasks asleep on the clock, saw 0: 1 ms of real time went by without it. \
        Pending (now: 0 s):
          nothing
        Does the code under test sleep on this clock, and has it been started? A task that has \
        something else to wait for does not count.
        """
    ) {
      await Guard.$shortened.withValue(.milliseconds(1)) { await TestClock().waitForSleepers(2) }
    },
    Mishap(
      "an unimplemented queue's async", at: #line + 8,
      reads: """
        background queue was used: async, called in Mishap+VirtualTime.swift:\(#line + 7).
        This stand-in says that the test needs none. If it does, pass a test scheduler or clock, \
        or an immediate one.
        """
    ) {
      let queue: any DispatchQueueType =
        UnimplementedScheduler("background queue")
      queue.async {}
    },
    Mishap(
      "an unimplemented scheduler's timer", at: #line + 7,
      reads: """
        UnimplementedScheduler was used: schedule(every: 1 s), called in Mishap+VirtualTime.swift:\(#line + 6).
        This stand-in says that the test needs none. If it does, pass a test scheduler or clock, \
        or an immediate one.
        """
    ) {
      let scheduler = UnimplementedScheduler()
      scheduler.schedule(every: .seconds(1)) {}
    },
    Mishap(
      "an unimplemented clock's sleep", at: #line + 7,
      reads: """
        UnimplementedClock was used: sleep.
        This stand-in says that the test needs none. If it does, pass a test scheduler or clock, \
        or an immediate one.
        """
    ) {
      let clock = UnimplementedClock()
      try? await clock.sleep(until: VirtualInstant(offset: .seconds(1)))
      try? await clock.sleep(until: VirtualInstant(offset: .seconds(1)))
    },
  ]
}
