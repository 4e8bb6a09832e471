import Sleepless
import Testing
import VirtualTime

@Suite struct TimelineLimitTests {
  private let timeline = Timeline(Timeline.Options(stepLimit: 100))
  private let runs = Locked(0)
  private var count: Int { runs.withLock { $0 } }

  /// Work that schedules itself again, a number of times.
  private func spin(_ times: Int = .max, after delay: Duration = .zero) {
    timeline.schedule("spin", after: delay) { [self] in
      let soFar = runs.withLock {
        $0 += 1; return $0
      }
      if soFar < times { spin(times, after: delay) }
    }
  }

  private func finish() { _ = timeline.close() }

  @Test func `T7 work that repeats at one instant is named when the limit is reached`() {
    defer { finish() }
    spin()
    let (ran, end) = timeline.drive(by: .seconds(1))
    #expect(end.text == "exceeded by spin")
    // The first was enqueued before the drive and does not count.
    #expect(ran.count == 101)
    #expect(timeline.now == .start)
    #expect(timeline.pendingLabels == ["spin"], "what would be next stays")
  }

  @Test func `T7 work may run exactly as often as the limit allows`() {
    spin(101)
    #expect(timeline.drive(by: .seconds(1)).end.text == "reached")
    #expect(count == 101)
  }

  @Test func `T7 the limit is counted for each instant, with a target`() {
    for delay in 0..<5 {
      timeline.schedule(after: .seconds(delay)) { [self] in
        for _ in 0..<100 { timeline.schedule {} }
      }
    }
    #expect(timeline.drive(by: .seconds(5)).end.text == "reached")
  }

  @Test func `T7 the limit is counted for the whole drive, without a target`() {
    defer { finish() }
    timeline.schedule("tick", after: .seconds(1), every: .seconds(1))
    let (ran, end) = timeline.drive(to: nil)
    #expect(end.text == "exceeded by tick")
    #expect(ran.count == 101)
    #expect(timeline.now == Instant(seconds: 101))
  }

  @Test func `T7 a thousand ticks on the way to a target do not reach the limit`() {
    defer { finish() }
    timeline.schedule("tick", after: .seconds(1), every: .seconds(1))
    let (ran, end) = timeline.drive(by: .seconds(1000))
    #expect(end.text == "reached")
    #expect(ran.count == 1000)
  }

  @Test(arguments: [Duration.zero, .seconds(1)])
  func `T7 work enqueued before the drive does not count, in any amount`(delay: Duration) {
    for _ in 0..<1000 { timeline.schedule(after: delay) {} }
    #expect(timeline.drive(to: nil).end.text == "reached")
    for _ in 0..<1000 { timeline.schedule(after: delay) {} }
    #expect(timeline.drive(by: delay).end.text == "reached")
  }

  @Test func `T7 work enqueued earlier in the drive for a later instant does not count there`() {
    timeline.schedule { [self] in
      for _ in 0..<1000 { timeline.schedule(after: .seconds(1)) {} }
    }
    #expect(timeline.drive(by: .seconds(1)).end.text == "reached")
  }

  @Test func `T7 after the limit the next drive counts anew`() {
    defer { finish() }
    spin(150)
    #expect(timeline.drive(by: .zero).end.text == "exceeded by spin")
    #expect(timeline.drive(by: .zero).end.text == "reached")
    #expect(count == 150)
  }

  @Test func `T7 driving to the next instant and running due work have the same limit`() {
    defer { finish() }
    spin()
    #expect(timeline.driveToNext().end.text == "exceeded by spin")
    #expect(timeline.driveWhatIsDue().end.text == "reached")
  }
}
