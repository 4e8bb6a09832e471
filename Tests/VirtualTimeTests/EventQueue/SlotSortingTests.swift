import Sleepless
import Testing
import TestSupport
import VirtualTime

/// Many slots are sorted by address calculation. Whatever the distribution, the order is that of
/// instants and, at one instant, of enqueueing (T2).
@Suite struct SlotSortingTests {
  enum Distribution: String, CaseIterable {
    case even, oneInstant, twoInstants, oneFarAway, exponential, attoseconds, upToTheEndOfTime
    case descending
  }

  @Test(arguments: Distribution.allCases, [65, 1000, 5000])
  func `a bulk of work runs in order`(distribution: Distribution, count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    let delays = (0..<count).map { distribution.delay($0, of: count, using: &random) }
    let timeline = Timeline()
    let queue = TimelineQueue(nil, on: timeline)
    let order = Log<Int>()
    for (index, delay) in delays.enumerated() {
      _ = queue.schedule(.function { order.append(index) }, after: delay, at: CallSite())
    }
    _ = timeline.drive(to: nil)
    let expected = delays.indices.sorted { (delays[$0], $0) < (delays[$1], $1) }
    #expect(order.values == expected, "seed \(count)")
    _ = timeline.close()
  }
}

extension SlotSortingTests.Distribution {
  fileprivate func delay(
    _ index: Int, of count: Int, using random: inout SeededGenerator
  ) -> Duration {
    switch self {
    case .even: .nanoseconds(Int.random(in: 0..<1_000_000_000, using: &random))
    case .oneInstant: .seconds(1)
    case .twoInstants: .seconds(Int.random(in: 1...2, using: &random))
    case .oneFarAway: index == 7 ? .seconds(1_000_000_000) : .nanoseconds(index % 50)
    case .exponential: .nanoseconds(1 << Int.random(in: 0..<60, using: &random))
    case .attoseconds:
      Duration(
        secondsComponent: 0, attosecondsComponent: Int64.random(in: 0..<100, using: &random))
    case .upToTheEndOfTime: .seconds(Int64.random(in: 0...(.max), using: &random))
    case .descending: .milliseconds(count - index)
    }
  }
}
