import SleeplessTesting
import Testing
import TestSupport
import VirtualTime

/// Storage and times, by way of the recorder.
@Suite struct HistoryTests {
  @Test(arguments: [0, 1, 7, 8, 9, 1_015, 1_016, 1_017, 2_040, 2_041, 20_000])
  func `any number of values comes out in order`(count: Int) throws {
    let numbers = Recorder<Int, Never>()
    for number in 0..<count { numbers.record(number) }
    #expect(numbers.all() == Array(0..<count))
    #expect(numbers.times.count == count)
  }

  @Test func `virtual times are exact, however short or long`() throws {
    let scheduler = TestScheduler()
    let numbers = Recorder<Int, Never>(time: .of(scheduler))
    var generator = SeededGenerator(seed: 4)
    var times: [Duration] = []
    var now = Duration.zero
    for number in 0..<2_000 {
      let unit: Duration = [
        .zero, Duration(secondsComponent: 0, attosecondsComponent: 1), .nanoseconds(1),
        .microseconds(3), .seconds(1), .seconds(86_400 * 365 * 300),
      ].randomElement(using: &generator)!
      let step = unit * Int.random(in: 0...3, using: &generator)
      scheduler.advance(by: step)
      now += step
      times.append(now)
      numbers.record(number)
    }
    #expect(numbers.times == times, "seed 4")
    _ = numbers.all()
  }

  @Test func `instants that go back are kept`() {
    for counts in [[100, 0], [100, 50, 80, 50], [0, 0, 7, 7, 3, 3, 9]] as [[Int64]] {
      var times = RecordedTimes()
      for count in counts { times.append(.nanoseconds(count)) }
      #expect(times.decoded(in: 0..<counts.count) == counts.map { .nanoseconds($0) })
    }
  }

  @Test func `any mixture of counts and durations is kept`() {
    for seed in 0..<200 {
      var generator = SeededGenerator(seed: UInt64(seed))
      var times = RecordedTimes()
      var expected: [Duration] = []
      for _ in 0..<20 {
        let count = Int64.random(in: -3...3, using: &generator)
        let part = Int64.random(in: 0...1, using: &generator)
        let isCount = Bool.random(using: &generator)
        let time =
          Duration.nanoseconds(count)
          + (isCount ? .zero : Duration(secondsComponent: 0, attosecondsComponent: part))
        times.append(isCount ? .nanoseconds(count) : .duration(time))
        expected.append(time)
      }
      #expect(times.decoded(in: 0..<20) == expected, "seed \(seed)")
    }
  }

  @Test func `values take at most twice their own memory, times included`() {
    let scheduler = TestScheduler()
    for time in [RecorderTime.real, .of(scheduler)] {
      let numbers = Recorder<Int, Never>(time: time, allowsUnread: true)
      for number in 0..<100_000 { numbers.record(number) }
      #expect(numbers.reservedBytes <= 2 * 100_000 * MemoryLayout<Int>.stride)
    }
  }

  @Test func `real times never go back`() {
    let numbers = Recorder<Int, Never>()
    for number in 0..<1_000 { numbers.record(number) }
    #expect(numbers.times == numbers.times.sorted())
    #expect(numbers.times.allSatisfy { $0 >= .zero })
    _ = numbers.all()
  }

  @Test func `eight threads record everything, each in its own order`() async {
    let numbers = Recorder<Int, Never>()
    let times = rounds(5_000)
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          await onThread {
            for count in 0..<times { numbers.record(thread * 1_000_000 + count) }
          }
        }
      }
    }
    let all = numbers.all()
    #expect(all.count == 8 * times)
    let own = Dictionary(grouping: all) { $0 / 1_000_000 }
    for thread in 0..<8 {
      #expect(own[thread] == (0..<times).map { thread * 1_000_000 + $0 })
    }
  }

  @Test func `a value's description may use the recorder`() {
    let values = Recorder<Talkative, Never>("values")
    values.record(Talkative(recorder: values))
    #expect("\(values)".contains("1 so far"))
  }
}

/// Asks its recorder while it is printed.
private struct Talkative: Sendable, CustomStringConvertible {
  weak let recorder: Recorder<Talkative, Never>?
  var description: String { "\(recorder?.all().count ?? 0) so far" }
}
