import Dispatch
import Sleepless
import Testing
import VirtualTime

@Suite struct TimelineGroupTests {
  private let runLog = RunLog()
  private let group = DispatchGroup()
  private var timeline: Timeline { runLog.timeline }

  private func schedule(_ name: String, whenEmpty group: DispatchGroup) {
    TimelineQueue(nil, on: timeline).schedule(
      .function { [runLog] in runLog.write(name) }, whenEmpty: group, label: name, at: CallSite())
  }

  @Test func `work for an empty group runs in the next drive`() {
    schedule("empty", whenEmpty: group)
    #expect(runLog.text == "")
    _ = timeline.drive(by: .zero)
    #expect(runLog.text == "empty@0")
  }

  @Test func `work for a group runs at the instant at which its last task leaves`() {
    for delay in [1, 3] {
      group.enter()
      runLog.schedule("task", after: .seconds(delay)) { [group] in group.leave() }
    }
    runLog.schedule("other", after: .seconds(3))
    schedule("empty", whenEmpty: group)
    _ = timeline.drive(by: .seconds(5))
    #expect(runLog.text == "task@1 task@3 other@3 empty@3")
  }

  @Test func `work for a group that no task leaves stays pending for ever`() {
    group.enter()
    schedule("empty", whenEmpty: group)
    runLog.schedule("w", after: .seconds(1))
    _ = timeline.drive(to: nil)
    #expect(runLog.text == "w@1")
    #expect(timeline.pending.map(\.instant) == [.never])
    group.leave()
    _ = timeline.drive(by: .seconds(1))
    #expect(runLog.text == "w@1 empty@1")
    #expect(timeline.pending.isEmpty)
  }

  @Test func `work for several groups runs in the order in which it was given`() {
    for name in ["a", "b", "c"] { schedule(name, whenEmpty: group) }
    group.enter()
    _ = timeline.drive(by: .zero)
    #expect(runLog.text == "")
    group.leave()
    _ = timeline.drive(by: .zero)
    #expect(runLog.text == "a@0 b@0 c@0")
  }

  @Test func `the next instant is now if a group is empty`() {
    schedule("empty", whenEmpty: group)
    runLog.schedule("later", after: .seconds(5))
    _ = timeline.driveToNext()
    #expect(runLog.text == "empty@0")
  }

  @Test func `the next instant of an advance with stops is now, too, if a group is empty`() {
    schedule("empty", whenEmpty: group)
    runLog.schedule("later", after: .seconds(5))
    var steps = timeline.stepsToNext()
    while timeline.drive(&steps) == nil {}
    #expect(runLog.text == "empty@0")
  }

  @Test func `work for an empty group is due now`() {
    schedule("empty", whenEmpty: group)
    _ = timeline.driveWhatIsDue()
    #expect(runLog.text == "empty@0")
  }

  @Test func `closing forgets work for groups`() {
    schedule("empty", whenEmpty: group)
    #expect(timeline.close().map(\.label) == ["empty"])
    _ = timeline.drive(by: .seconds(1))
    #expect(runLog.text == "")
  }
}
