import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite struct TimelineJitterTests {
  private func ticks(
    seed: UInt64?, tolerance: Duration, interval: Duration = .seconds(10), count: Int = 100
  ) -> [Duration] {
    let timeline = Timeline(Timeline.Options(jitter: seed.map { .seeded($0) } ?? .none))
    let log = Log<Duration>()
    timeline.schedule(after: interval, every: interval, tolerance: tolerance) {
      log.append(timeline.now.duration)
    }
    while log.values.count < count { _ = timeline.driveToNext() }
    _ = timeline.close()
    return log.values
  }

  private let multiples = (1...100).map { Duration.seconds(10) * $0 }

  @Test func `without jitter a tolerance changes nothing`() {
    #expect(ticks(seed: nil, tolerance: .seconds(1)) == multiples)
  }

  @Test func `with jitter but without tolerance work is never late`() {
    #expect(ticks(seed: 1, tolerance: .zero) == multiples)
    #expect(ticks(seed: 1, tolerance: .seconds(-1)) == multiples)
  }

  @Test func `work is late by no more than its tolerance, and ticks do not drift`() {
    for seed in 0..<20 as Range<UInt64> {
      let late = zip(ticks(seed: seed, tolerance: .seconds(1)), multiples).map { $0 - $1 }
      #expect(late.allSatisfy { (.zero)...(.seconds(1)) ~= $0 }, "seed \(seed)")
      #expect(Set(late).count > 90, "seed \(seed)")
    }
  }

  @Test func `the same seed gives the same instants, another seed others`() {
    let instants = (0..<3).map { ticks(seed: $0 / 2, tolerance: .seconds(1)) }
    #expect(instants[0] == instants[1])
    #expect(instants[0] != instants[2])
  }

  @Test func `T1 a tolerance longer than the interval never moves time back`() {
    let instants = ticks(seed: 3, tolerance: .seconds(50))
    #expect(instants == instants.sorted())
    #expect(zip(instants, multiples).allSatisfy { $0 >= $1 && $0 <= $1 + .seconds(50) })
  }

  @Test(arguments: [Duration.forever, .seconds(9_223_372_036) + .milliseconds(900)])
  func `a tolerance may be centuries long`(tolerance: Duration) {
    let instants = ticks(seed: 4, tolerance: tolerance, count: 1)
    #expect(instants[0] >= .seconds(10))
  }
}
