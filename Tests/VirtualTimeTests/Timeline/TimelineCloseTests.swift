import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite struct TimelineCloseTests {
  @Test func `closing returns what was left, in order, and forgets it`() {
    let diary = Diary()
    diary.schedule("b", after: .seconds(2))
    diary.schedule("a", after: .seconds(1), every: .seconds(1))
    diary.schedule("x").cancel()
    let left = diary.timeline.close()
    #expect(left.map(\.label) == ["a", "b"])
    #expect(left.map(\.instant) == [Instant(seconds: 1), Instant(seconds: 2)])
    #expect(diary.timeline.close().isEmpty)
    #expect(diary.timeline.storedCount == 0)
    _ = diary.timeline.drive(by: .seconds(5))
    #expect(diary.text == "")
  }

  @Test func `closing releases what the work captured, though its token lives`() {
    let timeline = Timeline()
    weak var captured: Probe?
    let token = {
      let probe = Probe()
      captured = probe
      return timeline.schedule(after: .seconds(1)) { probe.touch() }
    }()
    let left = timeline.close()
    #expect(captured == nil)
    #expect(left.count == 1)
    token.cancel()
  }

  @Test func `T9 what was captured is released outside the lock`() {
    let timeline = Timeline()
    let seen = Log<Int>()
    do {
      let probe = Probe { seen.append(timeline.pending.count) }
      timeline.schedule(after: .seconds(1)) { probe.touch() }
    }
    _ = timeline.close()
    #expect(seen.values == [0])
  }

  @Test(arguments: [Timeline.Options.Order.firstCome, .shuffled(seed: 1)])
  func `a closed timeline is released`(order: Timeline.Options.Order) {
    weak var released: Timeline?
    do {
      let timeline = Timeline(Timeline.Options(order: order))
      released = timeline
      timeline.schedule(on: QueueTag(nil, on: timeline))
      timeline.schedule(after: .seconds(1), every: .seconds(1))
      timeline.schedule(after: .seconds(1)).cancel()
      _ = timeline.drive(by: .seconds(3))
      _ = timeline.close()
    }
    #expect(released == nil)
  }

  @Test func `T8 cancelling what a closed timeline had left does nothing`() {
    let diary = Diary()
    let tokens = (0..<100).map { _ in diary.schedule("left", after: .seconds(1)) }
    _ = diary.timeline.close()
    diary.schedule("new", after: .seconds(1))
    for token in tokens { token.cancel() }
    #expect(diary.timeline.pendingLabels == ["new"])
    _ = diary.timeline.drive(to: nil)
    #expect(diary.text == "new@1")
  }

  @Test func `work may close the timeline that runs it`() {
    let diary = Diary()
    diary.schedule("a", every: .seconds(1)) { [diary] in
      diary.write("left \(diary.timeline.close().count)")
    }
    diary.schedule("b", after: .seconds(1))
    _ = diary.timeline.drive(by: .seconds(3))
    #expect(diary.text == "a@0 left 2@0")
    #expect(diary.now == 3)
  }
}
