import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite struct TimelineNestedDriveTests {
  private let runLog = RunLog()
  private var timeline: Timeline { runLog.timeline }

  private func scheduleOutline(_ drive: @escaping @Sendable (Timeline) -> Void) {
    runLog.schedule("outer", after: .seconds(1)) { [runLog] in
      drive(runLog.timeline)
      runLog.write("back")
    }
    for delay in [1, 2, 3, 4, 5] { runLog.schedule("w", after: .seconds(delay)) }
  }

  @Test func `T9 a nested drive to an earlier target leaves the rest to the outer drive`() {
    scheduleOutline { _ = $0.drive(by: .seconds(1)) }
    _ = timeline.drive(to: Instant(seconds: 4))
    #expect(runLog.text == "outer@1 w@1 w@2 back@2 w@3 w@4")
    #expect(runLog.now == 4)
  }

  @Test func `T9 a nested drive to the same target leaves nothing to the outer drive`() {
    scheduleOutline { _ = $0.drive(to: Instant(seconds: 4)) }
    _ = timeline.drive(to: Instant(seconds: 4))
    #expect(runLog.text == "outer@1 w@1 w@2 w@3 w@4 back@4")
    #expect(runLog.now == 4)
  }

  @Test func `T1 the outer drive does not take back a nested drive to a later target`() {
    scheduleOutline { _ = $0.drive(to: Instant(seconds: 10)) }
    _ = timeline.drive(to: Instant(seconds: 4))
    #expect(runLog.text == "outer@1 w@1 w@2 w@3 w@4 w@5 back@10")
    #expect(runLog.now == 10)
  }

  @Test func `T9 a nested drive without a target runs all work`() {
    scheduleOutline { _ = $0.drive(to: nil) }
    let (ran, _) = timeline.drive(by: .seconds(1))
    #expect(runLog.text == "outer@1 w@1 w@2 w@3 w@4 w@5 back@5")
    #expect(ran.map(\.label) == ["outer"])
  }

  @Test func `the running work is known, on its own thread only`() async {
    let seen = Log<String?>()
    let runLog = runLog
    runLog.schedule("outer") {
      seen.append(runLog.timeline.running?.label)
      runLog.schedule("inner") { seen.append(runLog.timeline.running?.label) }
      _ = runLog.timeline.drive(by: .zero)
      seen.append(runLog.timeline.running?.label)
    }
    _ = timeline.drive(to: nil)
    seen.append(timeline.running?.label)
    #expect(seen.values == ["outer", "inner", "outer", nil])
  }

  @Test func `T9 drives nested too deep are refused`() {
    let ends = Log<String>()
    let depth = Locked(0)
    @Sendable func descend() {
      guard
        depth.withLock({
          $0 += 1; return $0
        }) <= 250
      else { return }
      runLog.timeline.schedule("level") { descend() }
      let end = runLog.timeline.drive(by: .zero).end.text
      if end != "reached" { ends.append(end) }
    }
    descend()
    #expect(ends.values.first == "too deep")
    #expect(depth.withLock { $0 } <= 251)
  }

  @Test func `T7 work that nests drives for ever reaches the limit once, not once per level`() {
    let timeline = Timeline(Timeline.Options(stepLimit: 10))
    let ends = Log<String>()
    let runs = Locked(0)
    @Sendable func comeBack() {
      runs.withLock { $0 += 1 }
      timeline.schedule("again") { comeBack() }
      ends.append(timeline.drive(by: .zero).end.text)
    }
    timeline.schedule("first") { comeBack() }
    ends.append(timeline.drive(by: .zero).end.text)
    // The innermost drive gives the reason. The drives around it stop too, and report only that.
    #expect(ends.values.filter { $0 != "interrupted" } == ["too deep"])
    #expect(runs.withLock { $0 } == 200)
    _ = timeline.close()
  }

  @Test func `T7 a limit reached within a nested drive stops the outer drive too`() {
    let timeline = Timeline(Timeline.Options(stepLimit: 10))
    let ends = Log<String>()
    @Sendable func spin() { timeline.schedule("spin") { spin() } }
    timeline.schedule("outer", after: .seconds(1)) {
      spin()
      ends.append(timeline.drive(by: .zero).end.text)
    }
    timeline.schedule("later", after: .seconds(2))
    ends.append(timeline.drive(by: .seconds(5)).end.text)
    #expect(ends.values == ["exceeded by spin", "interrupted"])
    #expect(timeline.pendingLabels == ["spin", "later"])
    #expect(timeline.now == Instant(seconds: 1))
    #expect(timeline.drive(by: .zero).end.text == "exceeded by spin", "the next drive starts anew")
    _ = timeline.close()
  }
}
