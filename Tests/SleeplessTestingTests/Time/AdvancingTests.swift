import Dispatch
import SleeplessTesting
import Testing
import TestSupport

@Suite struct AdvancingTests {
  let log = Log<String>()

  @Test func `T2 work due at one instant runs in the order in which it was enqueued`() {
    let scheduler = TestScheduler()
    for name in ["a", "b", "c"] { scheduler.schedule(after: .seconds(1)) { log.append(name) } }
    scheduler.advance(by: .seconds(1))
    #expect(log.values == ["a", "b", "c"])
  }

  @Test func `T2 a tick is enqueued when the one before it runs`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    scheduler.schedule(every: .seconds(1)) { log.append("tick") }
    scheduler.schedule(after: .seconds(2)) { log.append("early") }
    scheduler.advance(by: .seconds(1))
    scheduler.schedule(after: .seconds(1)) { log.append("late") }
    scheduler.advance(by: .seconds(1))
    // The second tick was enqueued at 1 s: after "early" and before "late".
    #expect(log.values == ["tick", "early", "tick", "late"])
  }

  @Test func `timers of two and three seconds interleave`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    scheduler.schedule(every: .seconds(2)) { log.append("A") }
    scheduler.schedule(every: .seconds(3)) { log.append("B") }
    scheduler.advance(by: .seconds(6))
    // At 6 s: B's tick was enqueued at 3 s, A's at 4 s.
    #expect(log.values == ["A", "B", "A", "B", "A"])
  }

  @Test func `timers whose first tick is at once begin in the order of the calls`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    scheduler.schedule(after: .zero, every: .seconds(2)) { log.append("1") }
    scheduler.schedule(after: .zero, every: .seconds(1)) { log.append("42") }
    scheduler.advance()
    #expect(log.values == ["1", "42"])
    scheduler.advance(by: .seconds(2))
    // At 2 s the tick of "1" was enqueued at 0 s, that of "42" at 1 s.
    #expect(log.values == ["1", "42", "42", "1", "42"])
  }

  @Test func `four quarter steps do what one whole step does`() {
    func run(steps: Int) -> [String] {
      let log = Log<String>()
      let scheduler = TestScheduler(allowsPendingWork: true)
      scheduler.schedule(every: .milliseconds(300)) { log.append("timer \(scheduler.now)") }
      scheduler.schedule(after: .seconds(1)) { log.append("end \(scheduler.now)") }
      for _ in 0..<steps { scheduler.advance(by: .seconds(2) / steps) }
      return log.values
    }
    #expect(run(steps: 4) == run(steps: 1))
  }

  @Test func `T4 work due exactly at the target runs, a nanosecond earlier it does not`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(1)) { log.append("due") }
    scheduler.advance(by: .seconds(1) - .nanoseconds(1))
    #expect(log.values == [])
    scheduler.advance(by: .nanoseconds(1))
    #expect(log.values == ["due"])
  }

  @Test func `instants are exact to the attosecond`() {
    let scheduler = TestScheduler()
    let attosecond = Duration(secondsComponent: 0, attosecondsComponent: 1)
    scheduler.schedule(after: .seconds(1)) { log.append("due") }
    scheduler.advance(by: .seconds(1) - attosecond)
    #expect(log.values == [])
    scheduler.advance(by: attosecond)
    #expect(log.values == ["due"])
  }

  @Test func `an advance without an argument runs due work and does not move time`() {
    let scheduler = TestScheduler()
    scheduler.async { log.append("now") }
    scheduler.schedule(after: .nanoseconds(1)) { log.append("later") }
    scheduler.advance()
    #expect(log.values == ["now"])
    #expect(scheduler.now == .zero)
    scheduler.run()
  }

  @Test func `now is the sum of the strides`() {
    let scheduler = TestScheduler()
    scheduler.advance(by: .milliseconds(1))
    scheduler.advance(by: .seconds(2))
    #expect(scheduler.now == .milliseconds(2001))
    scheduler.advance(to: .seconds(3))
    #expect(scheduler.now == .seconds(3))
  }

  @Test func `T3 while work runs, now is the instant it was due`() {
    let scheduler = TestScheduler()
    for seconds in [3, 1, 2] {
      scheduler.schedule(after: .seconds(seconds)) { log.append("\(scheduler.now)") }
    }
    scheduler.advance(by: .seconds(10))
    #expect(log.values == ["1.0 seconds", "2.0 seconds", "3.0 seconds"])
    #expect(scheduler.now == .seconds(10))
  }

  @Test func `T5 a negative delay means zero, and T1 time does not move back for it`() {
    let scheduler = TestScheduler()
    scheduler.advance(by: .seconds(10))
    scheduler.schedule(after: .seconds(-5)) { log.append("\(scheduler.now)") }
    scheduler.advance()
    #expect(log.values == ["10.0 seconds"])
    #expect(scheduler.now == .seconds(10))
  }

  @Test func `a thousand seconds of a one-second timer are a thousand ticks`() {
    let scheduler = TestScheduler(allowsPendingWork: true)
    scheduler.schedule(every: .seconds(1)) { log.append("tick") }
    scheduler.advance(by: .seconds(1000))
    #expect(log.values.count == 1000)
  }

  @Test func `a delay of a billion seconds is reached by run`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(1_000_000_000)) { log.append("due") }
    scheduler.run()
    #expect(log.values == ["due"])
    #expect(scheduler.now == .seconds(1_000_000_000))
  }

  @Test func `work beyond the largest instant is never due`() {
    let scheduler = TestScheduler()
    scheduler.advance(by: .seconds(1))
    scheduler.schedule(after: Duration(_high: .max, low: .max)) { log.append("never") }
    #expect(scheduler.pending.first?.deadline == nil)
    #expect("\(scheduler.pending)".hasPrefix("  never: AdvancingTests.swift:"))
    scheduler.run()
    #expect(log.values == [])
    #expect(scheduler.now == .seconds(1))
  }

  @Test func `advanceToNext moves to the next instant and runs all work due then`() {
    let scheduler = TestScheduler()
    for name in ["a", "b"] { scheduler.schedule(after: .seconds(2)) { log.append(name) } }
    scheduler.schedule(after: .seconds(5)) { log.append("c") }
    #expect(scheduler.advanceToNext().count == 2)
    #expect(scheduler.now == .seconds(2))
    #expect(scheduler.advanceToNext().count == 1)
    #expect(scheduler.now == .seconds(5))
    #expect(scheduler.advanceToNext().isEmpty)
    #expect(scheduler.now == .seconds(5))
    #expect(log.values == ["a", "b", "c"])
  }

  @Test func `an advance returns what it ran`() {
    let scheduler = TestScheduler("main", allowsPendingWork: true)
    let line = #line + 1
    scheduler.schedule(every: .seconds(1), label: "poll") {}
    scheduler.async {}
    let ran = scheduler.advance(by: .seconds(2))
    #expect(ran.map(\.deadline) == [.zero, .seconds(1), .seconds(2)])
    #expect(ran.map(\.label) == [nil, "poll", "poll"])
    #expect(ran.map(\.line) == [line + 1, line, line])
    #expect(ran[1].interval == .seconds(1))
    #expect(ran[1].queue == "main")
    #expect(ran[1].fileID == "SleeplessTestingTests/AdvancingTests.swift")
  }

  @Test func `T10 everything pending is listed with deadline, label, file and line`() {
    let scheduler = TestScheduler("main")
    let background = scheduler.queue("background")
    let line = #line
    scheduler.schedule(after: .milliseconds(1500), label: "debounce") {}
    background.async {}
    let timer = background.schedule(every: .seconds(1), label: "poll") {}
    #expect(
      "\(scheduler.pending)" == """
          at 0 s: on queue "background", AdvancingTests.swift:\(line + 2)
          at 1 s, every 1 s: "poll", on queue "background", AdvancingTests.swift:\(line + 3)
          at 1.5 s: "debounce", on queue "main", AdvancingTests.swift:\(line + 1)
        """)
    timer.cancel()
    scheduler.run()
    #expect("\(scheduler.pending)" == "  nothing")
  }

  @Test func `T10 a call through a protocol is listed with its own line`() {
    let scheduler = TestScheduler()
    let queue: any DispatchQueueType = scheduler
    queue.async {}
    #expect(scheduler.pending.first?.line == #line - 1)
    scheduler.run()
  }

  @Test func `named queues share one time`() {
    let main = TestScheduler("main")
    let background = main.queue("background")
    background.async { main.async { log.append("main") } }
    background.schedule(after: .seconds(1)) { log.append("later") }
    main.advance()
    #expect(log.values == ["main"])
    background.advance(by: .seconds(1))
    #expect(log.values == ["main", "later"])
    #expect(main.now == .seconds(1))
  }

  @Test func `shuffled work is another permutation for another seed, the same for the same`() {
    func run(seed: UInt64) -> [Int] {
      let log = Log<Int>()
      let scheduler = TestScheduler(order: .shuffled(seed: seed))
      for number in 0..<10 { scheduler.schedule(after: .seconds(1)) { log.append(number) } }
      scheduler.run()
      return log.values
    }
    #expect(run(seed: 1) == run(seed: 1))
    #expect(run(seed: 1) != run(seed: 2))
    #expect(run(seed: 1).sorted() == Array(0..<10))
  }

  @Test func `jitter makes work late within its tolerance, and ticks do not drift`() {
    let scheduler = TestScheduler(jitter: .seeded(7), allowsPendingWork: true)
    scheduler.schedule(every: .seconds(1), tolerance: .milliseconds(100)) {}
    let ticks = scheduler.advance(by: .seconds(101)).compactMap(\.deadline)
    #expect(ticks.count == 100 || ticks.count == 101)
    for (index, tick) in ticks.enumerated() {
      let late = tick - .seconds(index + 1)
      #expect(late >= .zero && late <= .milliseconds(100))
    }
    #expect(Set(ticks.map { $0.components.attoseconds }).count > 50)
  }

  @Test func `sync runs due work first, then its closure, and returns the result`() {
    let scheduler = TestScheduler()
    scheduler.async { log.append("queued") }
    let result = scheduler.sync {
      log.append("sync")
      return 42
    }
    #expect(result == 42)
    #expect(log.values == ["queued", "sync"])
  }

  @Test func `a group's work runs when the group is empty`() {
    let scheduler = TestScheduler()
    let group = DispatchGroup()
    group.enter()
    group.notify(queue: scheduler) { log.append("done at \(scheduler.now)") }
    scheduler.schedule(after: .seconds(1)) { group.leave() }
    scheduler.advance()
    #expect(log.values == [])
    scheduler.run()
    #expect(log.values == ["done at 1.0 seconds"])
  }
}
