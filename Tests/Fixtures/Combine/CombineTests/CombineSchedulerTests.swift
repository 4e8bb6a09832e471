import Combine
import Foundation
import SleeplessTesting
import Testing
import XCTest

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

  // MARK: F1 What goes wrong names the line that passed the scheduler

  @Test func `F1 an interval that is not positive fails there`() {
    let scheduler = TestScheduler()
    let line = #line + 2
    let texts = failures {
      let form = scheduler.combine()
      _ = form.schedule(after: form.now, interval: 0) {}
    }
    #expect(
      texts == [
        """
        \(line): A repeating interval must be positive (was 0 s). Nothing was scheduled. To run work once use \
        schedule(after:).
        """
      ])
  }

  @Test func `F1 a timer without an end is listed with it`() {
    let line = #line + 3
    let texts = failures {
      let scheduler = TestScheduler(stepLimit: 3)
      let form = scheduler.combine()
      let token = form.schedule(after: form.now, interval: 1) {}
      scheduler.run()
      token.cancel()
    }
    #expect(
      texts == [
        """
        \(line + 2): run() did not come to an end: 3 pieces of work that were scheduled on the way have run, and \
        more keep coming. Next would be:
          at 3 s, every 1 s: CombineSchedulerTests.swift:\(line)
        This is usually a timer or a loop of sleeps that is never cancelled, or work that schedules itself again. \
        Cancel it first, or go a certain way with advance(by:), or make the scheduler with a higher stepLimit (is 3).
        """
      ])
  }

  @Test func `F1 work that is left over is listed with it`() {
    let line = #line + 2
    let texts = failures {
      let scheduler = TestScheduler()
      scheduler.combine().schedule(after: scheduler.combine().now.advanced(by: 1)) {}
    }
    #expect(
      texts == [
        """
        \(line): A scheduler was released with work pending that will now never run (now: 0 s):
          at 1 s: CombineSchedulerTests.swift:\(line + 1)
        Run it with run() or advance(by:), cancel it, or make the scheduler or clock with allowsPendingWork: true \
        if the test does not care.
        """
      ])
  }

  @Test func `F1 work on an unimplemented scheduler names it`() {
    let line = #line + 2
    let texts = failures {
      let form = UnimplementedScheduler().combine()
      form.schedule {}
    }
    #expect(
      texts == [
        """
        \(line): UnimplementedScheduler was used: async, called in CombineSchedulerTests.swift:\(line).
        This stand-in says that the test needs none. If it does, pass a test scheduler or clock, or an immediate one.
        """
      ])
  }

  // MARK: What closures may capture

  @Test func `closures capture what Combine lets them capture`() {
    let scheduler = TestScheduler()
    var order: [Int] = []
    scheduler.combine().schedule { order.append(1) }
    scheduler.combine().schedule(after: scheduler.combine().now.advanced(by: 1)) { order.append(2) }
    scheduler.run()
    #expect(order == [1, 2])
  }

  @Test func `any scheduler has Combine's form, without a wrapper`() {
    let test = TestScheduler()
    let schedulers: [any SchedulerType] = [test, ImmediateScheduler(), MainThreadScheduler()]
    var values: [Int] = []
    let tokens = schedulers.map {
      Just(1).receive(on: $0.combine()).sink { values.append($0) }
    }
    test.advance()
    #expect(values.count >= 2)  // those of the main thread come when it is free
    for token in tokens { token.cancel() }
  }
}

final class MainThreadFormXCTests: XCTestCase {
  func testWorkOfTheMainThreadRunsAtOnce() {
    var values: [Int] = []
    MainThreadScheduler().combine().schedule { values.append(1) }
    let token = Just(2).receive(on: MainThreadScheduler().combine()).sink { values.append($0) }
    XCTAssertEqual(values, [1, 2])
    token.cancel()
  }
}
