import Dispatch
import VirtualTime

/// A scheduler and queue whose time stands still until the test moves it.
///
/// Pass it where production code takes `any DispatchQueueType` or `any SchedulerType`. Nothing runs
/// until you advance. Then the work that is due runs on your thread, one piece after another, in the
/// order of its instants and, at one instant, in the order in which it was enqueued. While work runs,
/// ``now`` is the instant at which it was due. Work that it schedules runs in the same advance if it is
/// due by then.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let search = SearchBox(service: service, scheduler: scheduler)
/// search.query = "swift"
/// scheduler.advance(by: .milliseconds(299))
/// #expect(service.queries.withLock { $0 } == [])
/// scheduler.advance(by: .milliseconds(1))
/// #expect(service.queries.withLock { $0 } == ["swift"])
/// ```
///
/// Any thread may use it. One thread advances at a time; a second one waits until the first is done.
/// Work may advance time itself: the inner advance goes on from the instant of that work, and the outer
/// one ends no earlier. No lock is held while work runs. Scheduling and running cost O(log n) in the
/// number of pending pieces, cancelling O(1).
///
/// A scheduler that is released with work pending fails its test, unless `allowsPendingWork`. The work is judged at
/// the end of the test if that is known (<doc:EndOfATest>), so an object that is released later may still cancel it.
public final class TestScheduler: SchedulerWithSleep, VirtualQueue {
  /// The order of work that is due at one instant.
  ///
  /// ```swift
  /// let scheduler = TestScheduler(order: .shuffled(seed: 7))
  /// let order = Recorder<Int, Never>(time: .of(scheduler))
  /// for number in 1...3 {
  ///   scheduler.schedule(after: .seconds(1)) { order.record(number) }
  /// }
  /// scheduler.run()
  /// #expect(Set(order.all()) == [1, 2, 3])  // in an order that the seed decides
  /// ```
  public enum Order: Sendable {
    /// The order in which it was enqueued.
    case firstCome
    /// A random order, the same for the same seed. Work enqueued on one queue without a delay keeps its
    /// order, as on a serial queue.
    case shuffled(seed: UInt64)
  }

  /// How late work may be within its tolerance.
  public enum Jitter: Sendable {
    /// Work is never late.
    case none
    /// Work is late by a time drawn at random from its tolerance, the same for the same seed.
    case seeded(UInt64)
  }

  let owner: TimelineOwner
  private let timelineQueue: TimelineQueue
  private let reporter: Reporter

  /// Makes a scheduler whose time is zero.
  ///
  /// `label` is the name in lists of pending work, `order` the order of work at one instant, and
  /// `jitter` says whether work uses its tolerance. `stepLimit` is how many pieces of work may be
  /// enqueued and run at one instant, or during one ``run(fileID:filePath:line:column:)``, before
  /// the test fails. With `allowsPendingWork` the scheduler may be released with work pending.
  ///
  /// ```swift
  /// let scheduler = TestScheduler("main", allowsPendingWork: true)
  /// scheduler.schedule(after: .seconds(60)) { print("never") }  // released unrun: no failure
  /// ```
  public convenience init(
    _ label: String? = nil, order: Order = .firstCome, jitter: Jitter = .none,
    stepLimit: Int = 100_000, allowsPendingWork: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let reporter = Reporter(at: site)
    if stepLimit < 1 {
      reporter.fail("stepLimit must be at least 1 (was \(stepLimit)). Using 1.")
    }
    let options = Timeline.Options(
      order: order.timelineOrder, jitter: jitter.timelineJitter, stepLimit: max(1, stepLimit))
    self.init(
      label,
      owner: TimelineOwner(
        Timeline(options), allowsPendingWork: allowsPendingWork, reporter: reporter),
      reporter: reporter)
  }

  init(_ label: String?, owner: TimelineOwner, reporter: Reporter) {
    timelineQueue = TimelineQueue(label, on: owner.timeline)
    self.owner = owner
    self.reporter = reporter
  }

  // MARK: Advancing

  /// The current instant: the time since the start.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: .seconds(2), label: "hide") {}
  /// #expect(scheduler.advance(by: .milliseconds(1_900)).isEmpty)
  /// let ran = scheduler.advance(by: .milliseconds(100))
  /// #expect(ran.map(\.label) == ["hide"])  // what is due at the target runs
  /// #expect(scheduler.now == .seconds(2))
  /// ```
  public var now: Duration { owner.timeline.now.duration }

  /// Moves time on and runs what becomes due, up to and including the target; without an argument,
  /// what is due now.
  ///
  /// A negative duration fails the test and runs nothing.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: .seconds(2), label: "hide") {}
  /// #expect(scheduler.advance(by: .milliseconds(1_900)).isEmpty)
  /// let ran = scheduler.advance(by: .milliseconds(100))
  /// #expect(ran.map(\.label) == ["hide"])  // what is due at the target runs
  /// #expect(scheduler.now == .seconds(2))
  /// ```
  ///
  /// - Returns: The work that has run, in order.
  @discardableResult
  public func advance(
    by duration: Duration = .zero,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return owner.advance(.by(duration), at: site)
  }

  /// Moves time on to an instant, counted from the start, and runs what becomes due until then.
  ///
  /// An instant in the past fails the test and runs nothing.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: .seconds(2), label: "hide") {}
  /// scheduler.advance(to: .seconds(1))
  /// let ran = scheduler.advance(to: .seconds(3))
  /// #expect(ran.map(\.deadline) == [.seconds(2)])
  /// #expect(scheduler.now == .seconds(3))
  /// ```
  ///
  /// - Returns: The work that has run, in order.
  @discardableResult
  public func advance(
    to instant: Duration,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return owner.advance(.to(instant), at: site)
  }

  /// Moves time on to the next instant at which something is due, and runs all that is due then.
  ///
  /// If nothing is pending, time stays.
  ///
  /// ```swift
  /// let scheduler = TestScheduler(allowsPendingWork: true)
  /// for delay in [1, 1, 4] { scheduler.schedule(after: .seconds(delay)) {} }
  /// #expect(scheduler.advanceToNext().count == 2)  // both that are due after 1 s
  /// #expect(scheduler.now == .seconds(1))
  /// ```
  ///
  /// - Returns: The work that has run, in order.
  @discardableResult
  public func advanceToNext(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return owner.advance(.toNext, at: site)
  }

  /// Runs all pending work, and the work that it schedules, until nothing is left.
  ///
  /// A repeating timer that is never cancelled fails the test when the step limit is reached.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: .seconds(1)) {
  ///   scheduler.schedule(after: .seconds(2), label: "second") {}
  /// }
  /// let ran = scheduler.run()
  /// #expect(ran.map(\.deadline) == [.seconds(1), .seconds(3)])
  /// ```
  ///
  /// - Returns: The work that has run, in order.
  @discardableResult
  public func run(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return owner.advance(.toEnd, at: site)
  }

  /// The pending work, in the order in which it will run. O(n log n).
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: .seconds(2), label: "hide") {}
  /// scheduler.schedule(after: .seconds(1), label: "show") {}
  /// #expect(scheduler.pending.map(\.label) == ["show", "hide"])
  /// scheduler.run()
  /// #expect(scheduler.pending.isEmpty)
  /// ```
  public var pending: WorkList { WorkList(owner.timeline.pending) }

  // MARK: Sharing time

  /// Makes another queue in the same time, with a name of its own.
  ///
  /// Advancing either advances both.
  ///
  /// ```swift
  /// let log = Recorder<String, Never>("log")
  /// let main = TestScheduler("main")
  /// let disk = main.queue("disk")
  /// main.schedule(after: .seconds(1)) { log.record("shown") }
  /// disk.schedule(after: .seconds(1)) { log.record("saved") }
  /// main.advance(by: .seconds(1))
  /// log.expect("shown", "saved")
  /// ```
  public func queue(
    _ label: String,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> TestScheduler {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return TestScheduler(label, owner: owner, reporter: Reporter(at: site))
  }

  // MARK: Scheduling

  /// Enqueues work for the next advance.
  ///
  /// It runs on the thread that advances.
  ///
  /// ```swift
  /// let log = Recorder<String, Never>("log")
  /// let queue = TestScheduler()
  /// queue.async { log.record("ran") }
  /// log.expectNone()
  /// queue.advance()
  /// log.expect("ran")
  /// ```
  @_disfavoredOverload
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    async(at: reporter.site, execute: work)
  }

  package func async(
    at site: CallSite, execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    _ = timelineQueue.schedule(.block(work), after: .zero, isImmediate: true, at: site)
  }

  package func enqueue(
    _ label: String, at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    timelineQueue.schedule(.function(work), after: .zero, isImmediate: true, label: label, at: site)
  }

  package func async(
    whenEmpty group: DispatchGroup, at site: CallSite,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    timelineQueue.schedule(.block(work), whenEmpty: group, label: "group", at: site)
  }

  /// Runs work and returns its result. Like a serial queue it first runs the work that is due now.
  ///
  /// Called by work of the same queue, where GCD would deadlock, it fails the test and runs `work` at
  /// once.
  ///
  /// ```swift
  /// let log = Recorder<String, Never>("log")
  /// let queue = TestScheduler()
  /// queue.async { log.record("first") }
  /// let answer = queue.sync {
  ///   log.record("second")
  ///   return 42
  /// }
  /// #expect(answer == 42)
  /// log.expect("first", "second")
  /// ```
  public func sync<Result>(execute work: () throws -> Result) rethrows -> Result {
    if let running = owner.timeline.running, running.queue === timelineQueue {
      reporter.fail(
        """
        sync was called on a queue by work that the same queue is running:
          \(ScheduledWork(WorkRecord(running, at: owner.timeline.now)))
        On a serial DispatchQueue this waits for ever. Call the code directly instead.
        """)
    } else {
      let (_, end) = owner.timeline.driveWhatIsDue()
      owner.report(end, of: "sync", at: reporter.site)
    }
    return try work()
  }

  /// Enqueues work to run after a delay; a negative delay means none.
  ///
  /// A delay of zero means the next advance. Cancelling the result before then takes the work back.
  ///
  /// The example calls the short form, which passes the caller's line as `site`.
  ///
  /// ```swift
  /// let log = Recorder<String, Never>("log")
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: .seconds(2)) { log.record("hidden") }
  /// let reminder = scheduler.schedule(after: .seconds(3)) { log.record("reminded") }
  /// reminder.cancel()
  /// scheduler.run()
  /// log.expect("hidden")
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: consuming @escaping @Sendable () -> Void
  ) -> any CancellableType {
    timelineQueue.schedule(
      .function(consume work), after: delay, tolerance: tolerance, label: label, at: site)
  }

  /// Runs work after the delay and then at exact multiples of the interval.
  ///
  /// An interval that is not positive fails the test at `site` and schedules nothing.
  ///
  /// Cancelling the result ends it.
  ///
  /// The example calls the short form, which passes the caller's line as `site`.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let ticks = Recorder<Int, Never>("ticks", time: .of(scheduler))
  /// let timer = scheduler.schedule(after: .seconds(1), every: .seconds(2)) { ticks.record(1) }
  /// scheduler.advance(by: .seconds(5))
  /// timer.cancel()
  /// ticks.expect(marbles: "1s 1 2s 1 2s 1")  // at 1 s, 3 s and 5 s
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    guard interval > .zero else {
      reporter.fail(
        """
        A repeating interval must be positive (was \(interval.shortDescription)). Nothing was \
        scheduled. To run work once use schedule(after:).
        """, at: site)
      return NoWork()
    }
    return timelineQueue.schedule(
      .function(work), after: delay, every: interval, tolerance: tolerance, label: label, at: site)
  }
}

extension TestScheduler.Order {
  fileprivate var timelineOrder: Timeline.Options.Order {
    switch self {
    case .firstCome: .firstCome
    case .shuffled(let seed): .shuffled(seed: seed)
    }
  }
}

extension TestScheduler.Jitter {
  fileprivate var timelineJitter: Timeline.Options.Jitter {
    switch self {
    case .none: .none
    case .seeded(let seed): .seeded(seed)
    }
  }
}
