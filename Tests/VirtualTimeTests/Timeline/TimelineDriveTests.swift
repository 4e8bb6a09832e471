import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite struct TimelineDriveTests {
  private let diary = Diary()
  private var timeline: Timeline { diary.timeline }

  @Test func `a long drive does what many short ones do`() {
    let inParts = Diary()
    for diary in [diary, inParts] {
      diary.schedule("a", after: .seconds(1), every: .seconds(2))
      diary.schedule("b", every: .seconds(3)) { [diary] in
        diary.schedule("c", after: .seconds(2))
      }
    }
    _ = timeline.drive(by: .seconds(20))
    for _ in 0..<80 { _ = inParts.timeline.drive(by: .milliseconds(250)) }
    #expect(diary.text == inParts.text)
    #expect(diary.timeline.now == inParts.timeline.now)
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `a drive by nothing or less runs what is due now and moves nothing`(stride: Duration) {
    _ = timeline.drive(by: .seconds(1))
    diary.schedule("now")
    diary.schedule("later", after: .seconds(1))
    _ = timeline.drive(by: stride)
    #expect(diary.text == "now@1")
  }

  @Test func `T1 a drive to an instant in the past runs nothing and moves nothing`() {
    _ = timeline.drive(to: Instant(seconds: 5))
    diary.schedule("now")
    let (ran, end) = timeline.drive(to: Instant(seconds: 3))
    #expect(ran.isEmpty)
    #expect(end.text == "reached")
    #expect(diary.now == 5)
  }

  @Test func `without a target time stops at the last work`() {
    diary.schedule("a", after: .seconds(1_000_000_000)) { [diary] in
      diary.schedule("b", after: .seconds(1))
    }
    _ = timeline.drive(to: nil)
    #expect(diary.text == "a@1000000000 b@1000000001")
    #expect(diary.now == 1_000_000_001)
    #expect(timeline.drive(to: nil).ran.isEmpty)
  }

  @Test func `the next instant is reached, with all that is due then`() {
    diary.schedule("a", after: .seconds(2)) { [diary] in
      diary.schedule("now")
      diary.schedule("c", after: .seconds(1))
    }
    diary.schedule("b", after: .seconds(2))
    diary.schedule("cancelled", after: .seconds(1)).cancel()
    _ = timeline.driveToNext()
    #expect(diary.text == "a@2 b@2 now@2")
    _ = timeline.driveToNext()
    #expect(diary.text == "a@2 b@2 now@2 c@3")
    #expect(timeline.driveToNext().ran.isEmpty)
    #expect(diary.now == 3)
  }

  @Test func `what is due runs without what it schedules`() {
    diary.schedule("a") { [diary] in diary.schedule("follows") }
    diary.schedule("b")
    diary.schedule("tick", every: .seconds(1))
    _ = timeline.driveWhatIsDue()
    #expect(diary.text == "a@0 b@0 tick@0")
    _ = timeline.driveWhatIsDue()
    #expect(diary.text == "a@0 b@0 tick@0 follows@0")
  }

  @Test func `work scheduled beyond the end of time is never due`() {
    _ = timeline.drive(by: .seconds(1))
    diary.schedule("never", after: .forever)
    diary.schedule("tick once", after: .zero, every: .forever)
    _ = timeline.drive(to: nil)
    #expect(diary.text == "tick once@1")
    #expect(timeline.pending.map(\.instant) == [.never, .never])
    _ = timeline.driveToNext()
    #expect(diary.now == 1)
  }

  @Test(arguments: [Instant.never, Instant(Duration.forever)])
  func `at the end of time work can still be due at once`(end: Instant) {
    diary.schedule("tick", after: .seconds(1), every: .forever)
    _ = timeline.drive(to: end)
    _ = timeline.drive(by: .forever)
    let work = Log<String>()
    timeline.schedule { work.append("now") }
    _ = timeline.drive(by: .zero)
    #expect(work.values == ["now"])
    #expect(timeline.pendingLabels == ["tick"])
  }
}
