import Combine
import Foundation
import SleeplessTesting
import Testing

@Suite struct CombineSchedulerTests {
  @Test func `debounce waits on virtual time`() {
    let scheduler = TestScheduler()
    let subject = PassthroughSubject<String, Never>()
    var values: [String] = []
    let subscription =
      subject
      .debounce(for: .milliseconds(300), scheduler: scheduler.combine())
      .sink { values.append($0) }
    subject.send("s")
    scheduler.advance(by: .milliseconds(299))
    subject.send("sw")
    scheduler.advance(by: .milliseconds(299))
    #expect(values == [])
    scheduler.advance(by: .milliseconds(1))
    #expect(values == ["sw"])
    subscription.cancel()
    scheduler.run()
  }

  @Test func `intervals are literals of seconds`() {
    let scheduler = TestScheduler()
    let subject = PassthroughSubject<Int, Never>()
    var values: [Int] = []
    let debounced = subject.debounce(for: 0.3, scheduler: scheduler.combine())
      .sink { values.append($0) }
    let delayed = subject.delay(for: 2, scheduler: scheduler.combine()).sink { values.append(-$0) }
    let throttled = subject.throttle(for: 0.5, scheduler: scheduler.combine(), latest: true)
      .sink { values.append($0 * 10) }
    subject.send(1)
    scheduler.advance(by: .milliseconds(299))
    #expect(!values.contains(1))
    scheduler.advance(by: .milliseconds(1))
    #expect(values.contains(1))
    scheduler.run()
    #expect(values.last == -1)
    for token in [debounced, delayed, throttled] { token.cancel() }
    scheduler.run()
  }

  @Test func `an instant can be made, hashed and stored`() throws {
    typealias Time = CombineScheduler.SchedulerTimeType
    let times: Set = [Time(offset: .seconds(1)), Time(offset: .seconds(1))]
    #expect(times.count == 1)
    let stored = try JSONEncoder().encode(times)
    #expect(try JSONDecoder().decode(Set<Time>.self, from: stored) == times)
    #expect(Time(offset: .seconds(1)).distance(to: Time(offset: .seconds(3))) == 2)
    #expect(Time.Stride(duration: .milliseconds(1500)) == 1.5)
  }

  @Test func `a delivery runs in the next advance`() {
    let scheduler = TestScheduler()
    var values: [Int] = []
    let subscription = Just(1).receive(on: scheduler.combine()).sink { values.append($0) }
    #expect(values == [])
    scheduler.advance()
    #expect(values == [1])
    subscription.cancel()
  }

  @Test func `an immediate scheduler delivers inline`() {
    var values: [Int] = []
    let subscription = Just(1).delay(for: .seconds(60), scheduler: ImmediateScheduler().combine())
      .sink { values.append($0) }
    #expect(values == [1])
    subscription.cancel()
  }

  @Test func `a timer ticks until its token is dropped`() {
    let scheduler = TestScheduler()
    var count = 0
    var token: (any Cancellable)? = scheduler.combine().schedule(
      after: scheduler.combine().now.advanced(by: .seconds(1)), interval: .seconds(1)
    ) { count += 1 }
    scheduler.advance(by: .seconds(3))
    #expect(count == 3)
    token = nil
    _ = token
    scheduler.advance(by: .seconds(3))
    #expect(count == 3)
  }

  @Test func `pending work names the line that passed the scheduler`() {
    let scheduler = TestScheduler()
    let line = #line + 1
    let delayed = Just(1).delay(for: .seconds(1), scheduler: scheduler.combine()).sink { _ in }
    scheduler.advance()
    // The value and the end.
    #expect(scheduler.pending.map(\.line) == [line, line])
    #expect(
      Set(scheduler.pending.map(\.fileID)) == ["CombineTests/CombineSchedulerTests.swift"])
    delayed.cancel()
    scheduler.run()
  }
}
