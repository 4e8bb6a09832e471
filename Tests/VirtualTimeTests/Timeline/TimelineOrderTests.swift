import Sleepless
import Testing
import VirtualTime

@Suite struct TimelineOrderTests {
  private let runLog = RunLog()
  private var timeline: Timeline { runLog.timeline }

  @Test func `work runs in the order of its instants`() {
    for (name, delay) in [("c", 3), ("a", 1), ("d", 4), ("b", 2)] {
      runLog.schedule(name, after: .seconds(delay))
    }
    _ = timeline.drive(to: nil)
    #expect(runLog.text == "a@1 b@2 c@3 d@4")
  }

  @Test func `T2 work due at one instant runs in the order in which it was enqueued`() {
    let names = (0..<50).map { "w\($0)" }
    for name in names { runLog.schedule(name, after: .seconds(1)) }
    _ = timeline.drive(to: nil)
    #expect(runLog.text == names.map { "\($0)@1" }.joined(separator: " "))
  }

  @Test func `T2 work enqueued later for the same instant runs later, whatever its delay`() {
    runLog.schedule("early", after: .seconds(2))
    _ = timeline.drive(by: .seconds(1))
    runLog.schedule("late", after: .seconds(1))
    _ = timeline.drive(to: nil)
    #expect(runLog.text == "early@2 late@2")
  }

  @Test func `T2 a timer's next occurrence is enqueued before what the current one schedules`() {
    runLog.schedule("tick", after: .seconds(1), every: .seconds(1)) { [runLog] in
      runLog.schedule("one-shot", after: .seconds(1))
    }
    _ = timeline.drive(by: .seconds(3))
    #expect(runLog.text == "tick@1 tick@2 one-shot@2 tick@3 one-shot@3")
  }

  @Test func `T2 two timers keep the order of their latest occurrences`() {
    runLog.schedule("a", after: .seconds(2), every: .seconds(2))
    runLog.schedule("b", after: .seconds(3), every: .seconds(3))
    _ = timeline.drive(by: .seconds(6))
    // At 6 b goes first: its second occurrence was enqueued at 3, a's third one at 4.
    #expect(runLog.text == "a@2 b@3 a@4 b@6 a@6")
  }

  @Test func `T3 while work runs, now is the instant it was due`() {
    for delay in 1...3 { runLog.schedule("w", after: .seconds(delay)) }
    _ = timeline.drive(by: .seconds(10))
    #expect(runLog.text == "w@1 w@2 w@3")
    #expect(runLog.now == 10)
  }

  @Test func `T4 work that becomes due during a drive runs in it, at its own time`() {
    runLog.schedule("a", after: .seconds(1)) { [runLog] in
      runLog.schedule("now")
      runLog.schedule("within", after: .seconds(1))
      runLog.schedule("at the target", after: .seconds(2))
      runLog.schedule("beyond", after: .milliseconds(2001))
    }
    runLog.schedule("b", after: .seconds(1))
    _ = timeline.drive(to: Instant(seconds: 3))
    #expect(runLog.text == "a@1 b@1 now@1 within@2 at the target@3")
    #expect(timeline.pendingLabels == ["beyond"])
  }

  @Test func `T4 work due exactly at the target runs, an attosecond later it does not`() {
    let attosecond = Duration(secondsComponent: 0, attosecondsComponent: 1)
    runLog.schedule("at", after: .seconds(2))
    runLog.schedule("after", after: .seconds(2) + attosecond)
    _ = timeline.drive(by: .seconds(2))
    #expect(runLog.text == "at@2")
    _ = timeline.drive(by: attosecond)
    #expect(runLog.text == "at@2 after@2")
  }

  @Test(arguments: [Duration.seconds(-1), Duration(_high: .min, low: 0)])
  func `T5 a negative delay means zero`(delay: Duration) {
    _ = timeline.drive(by: .seconds(5))
    runLog.schedule("first")
    runLog.schedule("past", after: delay)
    runLog.schedule("last")
    _ = timeline.drive(by: .zero)
    #expect(runLog.text == "first@5 past@5 last@5")
  }

  @Test func `T5 an instant in the past means now, unless the caller rejects it`() {
    _ = timeline.drive(by: .seconds(5))
    let queue = TimelineQueue(nil, on: timeline)
    let work = Work.function { [runLog] in runLog.write("past") }
    let past = Instant(seconds: 3)
    func schedule(unless isPast: (Instant) -> Bool) -> WorkToken? {
      queue.schedule(work, at: past, label: nil, at: CallSite(), unless: isPast)
    }
    #expect(schedule { past < $0 } == nil)
    #expect(schedule { _ in false } != nil)
    _ = timeline.drive(by: .zero)
    #expect(runLog.text == "past@5")
  }

  @Test func `a timer's ticks are multiples of its interval after the first`() {
    runLog.schedule("tick", after: .seconds(3), every: .seconds(2))
    for _ in 0..<8 { _ = timeline.drive(by: .seconds(1)) }
    #expect(runLog.text == "tick@3 tick@5 tick@7")
  }

  @Test func `a timer whose first tick is past ticks at once and then from now on`() {
    _ = timeline.drive(by: .seconds(5))
    runLog.schedule("tick", after: .seconds(-3), every: .seconds(2))
    _ = timeline.drive(by: .seconds(4))
    #expect(runLog.text == "tick@5 tick@7 tick@9")
  }

  @Test func `T10 pending lists the work in the order in which it will run`() {
    runLog.schedule("c", after: .seconds(2))
    runLog.schedule("a", after: .seconds(1), every: .seconds(5))
    runLog.schedule("b", after: .seconds(1))
    runLog.schedule("x", after: .seconds(1)).cancel()
    #expect(timeline.pending.map(\.instant) == [1, 1, 2].map { Instant(seconds: $0) })
    #expect(timeline.pendingLabels == ["a", "b", "c"])
    _ = timeline.drive(by: .seconds(1))
    #expect(timeline.pendingLabels == ["c", "a"])
  }

  @Test func `a drive returns what it ran, and when`() {
    runLog.schedule("tick", after: .seconds(1), every: .seconds(1))
    let (ran, end) = timeline.drive(by: .seconds(2))
    #expect(ran.map(\.label) == ["tick", "tick"])
    #expect(ran.map(\.instant) == [Instant(seconds: 1), Instant(seconds: 2)])
    #expect(end.text == "reached")
  }
}
