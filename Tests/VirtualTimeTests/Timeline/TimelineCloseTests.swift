import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite struct TimelineCloseTests {
  @Test func `closing returns the pending work in order, and removes it`() {
    let runLog = RunLog()
    runLog.schedule("b", after: .seconds(2))
    runLog.schedule("a", after: .seconds(1), every: .seconds(1))
    runLog.schedule("x").cancel()
    let left = runLog.timeline.close()
    #expect(left.map(\.label) == ["a", "b"])
    #expect(left.map(\.instant) == [Instant(seconds: 1), Instant(seconds: 2)])
    #expect(runLog.timeline.close().isEmpty)
    #expect(runLog.timeline.storedCount == 0)
    _ = runLog.timeline.drive(by: .seconds(5))
    #expect(runLog.text == "")
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

  @Test func `T9 captures are released outside the lock`() {
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
      timeline.schedule(on: TimelineQueue(nil, on: timeline))
      timeline.schedule(after: .seconds(1), every: .seconds(1))
      timeline.schedule(after: .seconds(1)).cancel()
      _ = timeline.drive(by: .seconds(3))
      _ = timeline.close()
    }
    #expect(released == nil)
  }

  @Test func `T8 cancelling work of a closed timeline does nothing`() {
    let runLog = RunLog()
    let tokens = (0..<100).map { _ in runLog.schedule("left", after: .seconds(1)) }
    _ = runLog.timeline.close()
    runLog.schedule("new", after: .seconds(1))
    for token in tokens { token.cancel() }
    #expect(runLog.timeline.pendingLabels == ["new"])
    _ = runLog.timeline.drive(to: nil)
    #expect(runLog.text == "new@1")
  }

  @Test func `work may close the timeline that runs it`() {
    let runLog = RunLog()
    runLog.schedule("a", every: .seconds(1)) { [runLog] in
      runLog.write("left \(runLog.timeline.close().count)")
    }
    runLog.schedule("b", after: .seconds(1))
    _ = runLog.timeline.drive(by: .seconds(3))
    #expect(runLog.text == "a@0 left 2@0")
    #expect(runLog.now == 3)
  }
}
