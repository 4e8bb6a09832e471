import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite struct TimelineDriveTests {
  private let runLog = RunLog()
  private var timeline: Timeline { runLog.timeline }

  @Test func `a long drive does what many short ones do`() {
    let inParts = RunLog()
    for runLog in [runLog, inParts] {
      runLog.schedule("a", after: .seconds(1), every: .seconds(2))
      runLog.schedule("b", every: .seconds(3)) { [runLog] in
        runLog.schedule("c", after: .seconds(2))
      }
    }
    _ = timeline.drive(by: .seconds(20))
    for _ in 0..<80 { _ = inParts.timeline.drive(by: .milliseconds(250)) }
    #expect(runLog.text == inParts.text)
    #expect(runLog.timeline.now == inParts.timeline.now)
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `a drive by zero or less runs due work and does not move time`(stride: Duration) {
    _ = timeline.drive(by: .seconds(1))
    runLog.schedule("now")
    runLog.schedule("later", after: .seconds(1))
    _ = timeline.drive(by: stride)
    #expect(runLog.text == "now@1")
  }

  @Test func `T1 a drive to an instant in the past runs nothing and does not move time`() {
    _ = timeline.drive(to: Instant(seconds: 5))
    runLog.schedule("now")
    let (ran, end) = timeline.drive(to: Instant(seconds: 3))
    #expect(ran.isEmpty)
    #expect(end.text == "past at 5.0 seconds")
    #expect(runLog.now == 5)
  }

  @Test func `without a target time stops at the last work`() {
    runLog.schedule("a", after: .seconds(1_000_000_000)) { [runLog] in
      runLog.schedule("b", after: .seconds(1))
    }
    _ = timeline.drive(to: nil)
    #expect(runLog.text == "a@1000000000 b@1000000001")
    #expect(runLog.now == 1_000_000_001)
    #expect(timeline.drive(to: nil).ran.isEmpty)
  }

  @Test func `driving to the next instant runs all work that is due then`() {
    runLog.schedule("a", after: .seconds(2)) { [runLog] in
      runLog.schedule("now")
      runLog.schedule("c", after: .seconds(1))
    }
    runLog.schedule("b", after: .seconds(2))
    runLog.schedule("cancelled", after: .seconds(1)).cancel()
    _ = timeline.driveToNext()
    #expect(runLog.text == "a@2 b@2 now@2")
    _ = timeline.driveToNext()
    #expect(runLog.text == "a@2 b@2 now@2 c@3")
    #expect(timeline.driveToNext().ran.isEmpty)
    #expect(runLog.now == 3)
  }

  @Test func `driving due work does not run the work that it schedules`() {
    runLog.schedule("a") { [runLog] in runLog.schedule("follows") }
    runLog.schedule("b")
    runLog.schedule("tick", every: .seconds(1))
    _ = timeline.driveWhatIsDue()
    #expect(runLog.text == "a@0 b@0 tick@0")
    _ = timeline.driveWhatIsDue()
    #expect(runLog.text == "a@0 b@0 tick@0 follows@0")
  }

  @Test func `work scheduled beyond the end of time is never due`() {
    _ = timeline.drive(by: .seconds(1))
    runLog.schedule("never", after: .forever)
    runLog.schedule("tick once", after: .zero, every: .forever)
    _ = timeline.drive(to: nil)
    #expect(runLog.text == "tick once@1")
    #expect(timeline.pending.map(\.instant) == [.never, .never])
    _ = timeline.driveToNext()
    #expect(runLog.now == 1)
  }

  @Test(arguments: [Instant.never, Instant(Duration.forever)])
  func `at the end of time work can still be due at once`(end: Instant) {
    runLog.schedule("tick", after: .seconds(1), every: .forever)
    _ = timeline.drive(to: end)
    _ = timeline.drive(by: .forever)
    let work = Log<String>()
    timeline.schedule { work.append("now") }
    _ = timeline.drive(by: .zero)
    #expect(work.values == ["now"])
    #expect(timeline.pendingLabels == ["tick"])
  }
}
