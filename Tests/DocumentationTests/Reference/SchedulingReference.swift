import Dispatch
import Sleepless
import SleeplessTesting
import Testing

// The examples in the comments of Sources/Sleepless/Scheduling, to the letter, and what shows that they are true.
// Those of the live schedulers are in `LiveSchedulingReference.swift`.

@Suite struct SchedulingReference: PrintingSuite {
  let log = Locked<[String]>([])

  @Test func `cancelled work does not run when it would be due`() {
    let scheduler = TestScheduler()
    let reminder = scheduler.schedule(after: .seconds(60)) { print("Save your work") }
    reminder.cancel()
    scheduler.advance(by: .seconds(60))  // prints nothing
    #expect(printed == [])
  }

  @Test func `a queue of the user's implements one function`() {
    struct InlineQueue: DispatchQueueType {
      func async(execute work: @escaping @Sendable @convention(block) () -> Void) { work() }
    }

    InlineQueue().async { print("at once") }  // prints "at once"
    #expect(printed == ["at once"])
  }

  @Test func `work is only enqueued by async`() {
    let queue = TestScheduler()
    queue.async { print("work") }
    print("called")  // prints called
    queue.advance()  // prints work
    #expect(printed == ["called", "work"])
  }

  @Test func `times of one scheduler are compared`() {
    let scheduler = TestScheduler()
    let start = scheduler.now
    scheduler.advance(by: .seconds(5))
    print(scheduler.now - start)  // prints 5.0 seconds
    #expect(printed == ["5.0 seconds"])
  }

  @Test func `work after a delay, with a call site`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(2), tolerance: .zero, label: "hide", at: CallSite()) {
      print("hidden")
    }
    scheduler.advance(by: .seconds(2))  // prints hidden
    #expect(printed == ["hidden"])
  }

  @Test func `work at an interval, with a call site`() {
    let scheduler = TestScheduler()
    let polling = scheduler.schedule(
      after: .zero, every: .seconds(10), tolerance: .zero, label: "poll", at: CallSite()
    ) { print("poll") }
    scheduler.advance(by: .seconds(15))  // prints poll twice: at once and after 10 seconds
    polling.cancel()
    #expect(printed == ["poll", "poll"])
  }

  @Test func `sync runs what is due before, and returns the result`() {
    let scheduler = TestScheduler()
    scheduler.async { print("first") }
    let sum = scheduler.sync { 1 + 2 }  // prints first
    print(sum)  // prints 3
    #expect(printed == ["first", "3"])
  }

  @Test func `work after a delay, with a label`() {
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(2), label: "hide the toast") { print("hidden") }
    scheduler.advance(by: .seconds(2))  // prints hidden
    #expect(printed == ["hidden"])
  }

  @Test func `work at every interval begins after one interval`() {
    let scheduler = TestScheduler()
    let polling = scheduler.schedule(every: .seconds(10)) { print("poll") }
    scheduler.advance(by: .seconds(25))  // prints poll twice: after 10 and after 20 seconds
    polling.cancel()
    scheduler.advance(by: .seconds(25))  // prints nothing
    #expect(printed == ["poll", "poll"])
  }

  // MARK: GCD's calls

  @Test func `a relative deadline in GCD's notation is exact`() {
    let scheduler = TestScheduler()
    scheduler.asyncAfter(deadline: .now() + 0.3) { print("shown") }
    scheduler.advance(by: .milliseconds(299))  // prints nothing
    scheduler.advance(by: .milliseconds(1))  // prints shown
    #expect(printed == ["shown"])
    #expect(scheduler.now == .milliseconds(300))
  }

  @Test func `a stored deadline of GCD's`() {
    let scheduler = TestScheduler()
    let deadline = DispatchTime.now() + 0.3
    scheduler.asyncAfter(deadline: deadline) { print("shown") }
    scheduler.advance(by: .milliseconds(300))  // prints shown
    #expect(printed == ["shown"])
  }

  @Test func `a relative deadline on the wall clock`() {
    let scheduler = TestScheduler()
    scheduler.asyncAfter(wallDeadline: .now() + 0.3) { print("shown") }
    scheduler.advance(by: .milliseconds(299))  // prints nothing
    scheduler.advance(by: .milliseconds(1))  // prints shown
    #expect(printed == ["shown"])
  }

  @Test func `a stored deadline of the wall clock`() {
    let scheduler = TestScheduler()
    let deadline = DispatchWallTime.now() + 0.3
    scheduler.asyncAfter(wallDeadline: deadline) { print("shown") }
    scheduler.run()  // prints shown
    #expect(printed == ["shown"])
  }

  @Test func `a cancelled work item does not run`() {
    let scheduler = TestScheduler()
    let save = DispatchWorkItem { print("saved") }
    scheduler.async(execute: save)
    save.cancel()
    scheduler.advance()  // prints nothing
    #expect(printed == [])
  }

  @Test func `a work item after a delay`() {
    let scheduler = TestScheduler()
    let hide = DispatchWorkItem { print("hidden") }
    scheduler.asyncAfter(deadline: .now() + 0.3, execute: hide)
    scheduler.advance(by: .milliseconds(300))  // prints hidden
    #expect(printed == ["hidden"])
  }

  @Test func `a work item at a stored deadline`() {
    let scheduler = TestScheduler()
    let deadline = DispatchTime.now() + 0.3
    scheduler.asyncAfter(deadline: deadline, execute: DispatchWorkItem { print("hidden") })
    scheduler.advance(by: .milliseconds(300))  // prints hidden
    #expect(printed == ["hidden"])
  }

  @Test func `a work item after a delay on the wall clock`() {
    let scheduler = TestScheduler()
    let hide = DispatchWorkItem { print("hidden") }
    scheduler.asyncAfter(wallDeadline: .now() + 0.3, execute: hide)
    scheduler.advance(by: .milliseconds(300))  // prints hidden
    #expect(printed == ["hidden"])
  }

  @Test func `a work item at a stored deadline of the wall clock`() {
    let scheduler = TestScheduler()
    let deadline = DispatchWallTime.now() + 0.3
    scheduler.asyncAfter(wallDeadline: deadline, execute: DispatchWorkItem { print("hidden") })
    scheduler.run()  // prints hidden
    #expect(printed == ["hidden"])
  }

  @Test func `a group's work waits until the group is empty`() {
    let scheduler = TestScheduler()
    let downloads = DispatchGroup()
    downloads.enter()
    downloads.notify(queue: scheduler) { print("all done") }
    scheduler.advance()  // prints nothing: a download goes on
    downloads.leave()
    scheduler.advance()  // prints "all done"
    #expect(printed == ["all done"])
  }

  @Test func `a deadline in seconds, in an interval, and earlier again`() {
    let scheduler = TestScheduler()
    scheduler.asyncAfter(deadline: .now() + 1.5) { print(scheduler.now) }
    scheduler.asyncAfter(deadline: .now() + .milliseconds(300)) { print(scheduler.now) }
    scheduler.asyncAfter(deadline: .now() + 1.5 - 0.5) { print(scheduler.now) }
    scheduler.run()  // prints 0.3 seconds, 1.0 seconds, 1.5 seconds
    #expect(printed == ["0.3 seconds", "1.0 seconds", "1.5 seconds"])
  }

  // MARK: Tasks

  @Test func `the time that work takes on a scheduler`() async {
    let scheduler = TestScheduler()
    let elapsed = await scheduler.measure { await scheduler.advance(by: .seconds(3)) }
    print(elapsed)  // prints 3.0 seconds
    #expect(printed == ["3.0 seconds"])
  }

  // MARK: Clocks

  @Test func `the ticks of a timer on an immediate clock`() async throws {
    var ticks = ImmediateClock().timer(every: .seconds(1)).makeAsyncIterator()
    #expect(try await ticks.next() == .seconds(1))
    #expect(try await ticks.next() == nil)  // this clock has one tick
  }

  @Test func `an immediate clock begins where it is told`() async throws {
    let clock = ImmediateClock(now: VirtualInstant(offset: .seconds(5)))
    try await clock.sleep(for: .seconds(60))
    print(clock.now)  // prints 65.0 seconds
    #expect(printed == ["65.0 seconds"])
  }

  @Test func `an immediate clock never moves back`() async throws {
    let clock = ImmediateClock()
    try await clock.sleep(until: VirtualInstant(offset: .seconds(60)))
    try await clock.sleep(until: VirtualInstant(offset: .seconds(10)))
    print(clock.now)  // prints 60.0 seconds
    #expect(printed == ["60.0 seconds"])
  }

  @Test func `the immediate clock has a short name`() async throws {
    let clock: any Clock<Duration> = .immediate
    try await clock.sleep(for: .seconds(60))  // returns at once
    #expect(clock is ImmediateClock)
  }

  @Test func `an instant is so many seconds after the start`() {
    let start = VirtualInstant()
    let later = VirtualInstant(offset: .seconds(5))
    print(start.duration(to: later))  // prints 5.0 seconds
    print(later.duration(to: start))  // prints -5.0 seconds
    #expect(printed == ["5.0 seconds", "-5.0 seconds"])
  }

  @Test func `an instant moves by a negative duration, too`() {
    let later = VirtualInstant(offset: .seconds(5))
    print(later.advanced(by: .seconds(-2)))  // prints 3.0 seconds
    #expect(printed == ["3.0 seconds"])
  }

  @Test func `the earlier instant is the smaller one`() {
    let start = VirtualInstant()
    print(start < start.advanced(by: .nanoseconds(1)))  // prints true
    #expect(printed == ["true"])
  }

  // MARK: The immediate scheduler

  @Test func `immediate work runs before the call returns`() {
    let scheduler = ImmediateScheduler()
    scheduler.schedule(after: .seconds(60)) { print("work") }  // prints work
    print("after the call")  // prints "after the call"
    #expect(printed == ["work", "after the call"])
  }

  @Test func `the immediate scheduler has a short name`() {
    let scheduler: any SchedulerType = .immediate
    scheduler.schedule(after: .seconds(60)) { print("work") }  // prints work
    #expect(printed == ["work"])
  }

  @Test func `the immediate queue has a short name`() {
    let queue: any DispatchQueueType = .immediate
    queue.async { print("work") }  // prints work
    #expect(printed == ["work"])
  }

  @Test func `immediate work within immediate work comes after it`() {
    let scheduler = ImmediateScheduler()
    scheduler.async {
      scheduler.async { print("second") }
      print("first")
    }  // prints first, then second
    #expect(printed == ["first", "second"])
  }

  @Test func `sync on an immediate scheduler is a call`() {
    let sum = ImmediateScheduler().sync { 1 + 2 }
    print(sum)  // prints 3
    #expect(printed == ["3"])
  }

  @Test func `repeating work runs once on an immediate scheduler`() {
    let scheduler = ImmediateScheduler()
    scheduler.schedule(every: .seconds(1)) { print("tick") }  // prints tick once
    #expect(printed == ["tick"])
  }
}

/// The examples in the comments of Sources/Sleepless/Internal.
@Suite struct CallSiteReference: PrintingSuite {
  let log = Locked<[String]>([])

  @Test func `a function packs the place of its caller`() {
    func place(
      fileID: StaticString = #fileID, filePath: StaticString = #filePath,
      line: UInt = #line, column: UInt = #column
    ) -> CallSite {
      CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    }

    print(place())  // prints the file and line of this call, such as SearchTests.swift:42
    #expect(printed == ["SchedulingReference.swift:\(#line - 1)"])
  }

  @Test func `two call sites on one line differ by their columns`() {
    let (first, second) = (CallSite(), CallSite())
    print(first == first)  // prints true
    print(first == second)  // prints false: another column
    #expect(printed == ["true", "false"])
  }
}
