import Sleepless
import Testing
import TestSupport
import VirtualTime

@Suite struct TimelineShuffleTests {
  private func order(of count: Int, seed: UInt64, delay: Duration = .seconds(1)) -> [Int] {
    let timeline = Timeline(Timeline.Options(order: .shuffled(seed: seed)))
    let log = Log<Int>()
    for number in 0..<count { timeline.schedule(after: delay) { log.append(number) } }
    _ = timeline.drive(to: nil)
    return log.values
  }

  @Test func `the same seed gives the same order`() {
    for seed in 0..<20 as Range<UInt64> {
      #expect(order(of: 20, seed: seed) == order(of: 20, seed: seed))
    }
  }

  @Test func `different seeds give different orders`() {
    // Two of a hundred seeds share one of 20! orders with a chance of 5,000 to 2 * 10^18; and the
    // generator is fixed, so this passes always or never.
    let orders = Set((0..<100).map { order(of: 20, seed: $0) })
    #expect(orders.count == 100)
  }

  @Test func `every order of three pieces of delayed work comes up`() {
    let orders = Set((0..<100).map { order(of: 3, seed: $0) })
    #expect(orders.count == 6)
  }

  @Test func `no work is lost and instants still come first`() {
    for seed in 0..<50 as Range<UInt64> {
      let timeline = Timeline(Timeline.Options(order: .shuffled(seed: seed)))
      let log = Log<Int>()
      for number in 0..<30 {
        timeline.schedule(after: .seconds(number / 10)) { log.append(number) }
      }
      _ = timeline.drive(to: nil)
      #expect(log.values.map { $0 / 10 } == (0..<30).map { $0 / 10 }, "seed \(seed)")
      #expect(log.values.sorted() == Array(0..<30), "seed \(seed)")
    }
  }

  @Test func `immediate work keeps its order within each queue, and mixes among queues`() {
    var mixtures: Set<[Int]> = []
    for seed in 0..<1000 as Range<UInt64> {
      let timeline = Timeline(Timeline.Options(order: .shuffled(seed: seed)))
      let log = Log<(queue: Int, number: Int)>()
      let queues = (0..<3).map { TimelineQueue("\($0)", on: timeline) }
      @Sendable func enqueue(_ numbers: Range<Int>) {
        for number in numbers {
          for queue in 0..<3 {
            timeline.schedule(on: queues[queue]) { log.append((queue, number)) }
          }
        }
      }
      enqueue(0..<3)
      timeline.schedule(on: queues[0]) { enqueue(3..<6) }
      timeline.schedule(after: .zero) { enqueue(6..<9) }
      _ = timeline.drive(by: .zero)
      for queue in 0..<3 {
        let numbers = log.values.filter { $0.queue == queue }.map(\.number)
        #expect(numbers.filter { $0 < 6 } == Array(0..<6), "seed \(seed)")
        #expect(numbers.filter { $0 > 5 } == [6, 7, 8], "seed \(seed)")
      }
      mixtures.insert(log.values.map(\.queue))
    }
    #expect(mixtures.count > 500)
  }

  @Test func `a queue at the address of a released queue gets ranks like any other`() {
    func order(seed: UInt64, keepingQueues: Bool) -> [Int] {
      let timeline = Timeline(Timeline.Options(order: .shuffled(seed: seed)))
      let log = Log<Int>()
      var kept: [TimelineQueue] = []
      for number in 1...10 {
        let queue = TimelineQueue(nil, on: timeline)
        if keepingQueues { kept.append(queue) }
        timeline.schedule(after: .zero) { log.append(-number) }
        timeline.schedule(on: queue) { log.append(number) }
        _ = timeline.drive(by: .zero)
      }
      return withExtendedLifetime(kept) { log.values }
    }
    for seed in 0..<50 as Range<UInt64> {
      #expect(
        order(seed: seed, keepingQueues: false) == order(seed: seed, keepingQueues: true),
        "seed \(seed)")
    }
  }

  @Test func `due work runs even if the work that it schedules gets a lower rank`() {
    for seed in 0..<50 as Range<UInt64> {
      let timeline = Timeline(Timeline.Options(order: .shuffled(seed: seed)))
      let log = Log<String>()
      for _ in 0..<5 {
        timeline.schedule {
          log.append("due")
          for _ in 0..<3 { timeline.schedule { log.append("follows") } }
        }
      }
      _ = timeline.driveWhatIsDue()
      #expect(log.values == ["due", "due", "due", "due", "due"], "seed \(seed)")
      #expect(timeline.pending.count == 15, "seed \(seed)")
      _ = timeline.drive(to: nil)
      #expect(log.values.count == 20, "seed \(seed)")
    }
  }
}
