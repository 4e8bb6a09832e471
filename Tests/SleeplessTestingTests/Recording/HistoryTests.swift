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
