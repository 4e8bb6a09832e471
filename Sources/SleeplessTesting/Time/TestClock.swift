import SleeplessSimulation
import VirtualTime

/// A clock whose time stands still until the test moves it.
///
/// Pass it where production code takes `any Clock<Duration>`. A task that sleeps on it sleeps until
/// the test has moved time to its deadline:
///
/// ```swift
/// let clock = TestClock()
/// let poller = Poller(clock: clock)
/// let polling = Task { try await poller.run() }
///
/// await clock.waitForSleepers()
/// await clock.advance(by: .seconds(180))
/// await clock.waitForSleepers()
/// #expect(await poller.count == 3)
///
/// polling.cancel()
/// ```
///
/// ### What an advance promises
///
/// An advance goes from deadline to deadline. Before the first and after each, everything that can run comes to
/// rest: the tasks that the test has made with `Task {}` or `Task.detached`, and the tasks that these have made, on
/// every actor. So what a sleep's end causes has happened before time moves on, and all of it when the advance
/// returns. A loop of one-second sleeps goes round five times in an advance of five seconds. A task that has just
/// been started is asleep before time moves, so the calls of `waitForSleepers()` above are not needed.
///
/// Tasks wake in the order of their deadlines and, at one deadline, in the order in which they fell asleep; tasks
/// woken at one deadline run side by side. A task that waits for anything but this clock is at rest, be it real
/// time or a server. If a second task calls an advance, that begins when the first one has returned.
///
/// ### Where tasks cannot be followed
///
/// On Apple's systems outside simulations, and wherever <doc:WhereItWorks> says that tasks are not captured, no code
/// can tell when a task has come to rest. The same holds everywhere for child tasks of the test itself, which
/// `async let` and groups make, and for tasks that prefer an executor of their own. There an advance waits after
/// each deadline until the tasks that it has woken sleep again. That a task has ended or waits for something else
/// is not known: the advance goes on when for 10 ms of real time no task has fallen asleep or woken. Before the
/// first deadline it gives a task that has just been started 10 ms to fall asleep, unless one is asleep already. So
/// in such a test wait for the sleepers first, with ``waitForSleepers(_:fileID:filePath:line:column:)``, and for what
/// the last deadline causes with `await task.value` or `eventually`.
///
/// A sleep whose deadline is past is over at once. A sleep whose deadline is exactly now ends in the advance under
/// way or in the next one; `advance()` without a duration is enough. Cancelling the task ends its sleep with
/// `CancellationError`. Tolerances are ignored. Any thread may use it.
///
/// A test that awaits a sleeping task before it advances would wait for ever. So if for 10 s of real
/// time (see <doc:WaitingForEvents>) there is no advance and no new sleep, the sleeps end with an error
/// that says so, and the test gets a warning. If nothing has slept on the clock or read its time by its release,
/// although the test has advanced it, the test gets a warning at the line of the first advance. A clock that shares
/// its time with a scheduler gives no such warning.
public final class TestClock: Clock {
  /// A point of virtual time.
  ///
  /// ```swift
  /// let clock = TestClock(now: TestClock.Instant(offset: .seconds(60)))
  /// #expect(clock.now.offset == .seconds(60))
  /// ```
  public typealias Instant = VirtualInstant

  let owner: TimelineOwner
  private let timelineQueue: TimelineQueue
  private let reporter: Reporter
  /// Whether no scheduler shares its time.
  private let isAlone: Bool

  /// Makes a clock that shows the given instant.
  ///
  /// `stepLimit` says how many pieces of work may be enqueued and run at one instant, or during one
  /// ``run(isolation:fileID:filePath:line:column:)``, before the test fails. With
  /// `allowsPendingWork` tasks may be asleep when the test ends.
  ///
  /// ```swift
  /// let clock = TestClock(now: TestClock.Instant(offset: .seconds(60)))
  /// #expect(clock.now.offset == .seconds(60))
  /// ```
  public convenience init(
    now: VirtualInstant = VirtualInstant(), stepLimit: Int = 100_000,
    allowsPendingWork: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let scheduler = TestScheduler(
      stepLimit: stepLimit, allowsPendingWork: allowsPendingWork,
      fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(owner: scheduler.owner, reporter: scheduler.owner.reporter, isAlone: true)
    if now.offset < .zero {
      reporter.fail("now must not be negative (was \(now.offset.shortDescription)). Using 0 s.")
    }
    _ = owner.timeline.drive(to: VirtualTime.Instant(now.offset))
  }

  fileprivate init(owner: TimelineOwner, reporter: Reporter, isAlone: Bool = false) {
    self.isAlone = isAlone
    self.owner = owner
    timelineQueue = TimelineQueue(nil, on: owner.timeline)
    self.reporter = reporter
  }

  // MARK: Sleeping

  /// The current instant.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// await clock.advance(by: .seconds(5))
  /// #expect(clock.now.offset == .seconds(5))
  /// ```
  public var now: VirtualInstant {
    owner.noteUse()
    return VirtualInstant(offset: owner.timeline.now.duration)
  }

  /// Zero, because virtual time is exact.
  public var minimumResolution: Duration { .zero }

  /// Sleeps until the test has moved time to the deadline.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let pause = Task { try await clock.sleep(for: .seconds(5)) }
  /// await clock.waitForSleepers()
  /// await clock.advance(by: .seconds(5))  // 4.9 s would not wake it
  /// try await pause.value
  /// ```
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    owner.noteUse()
    try await sleep(
      until: deadline.offset, label: currentTaskName() ?? "sleep", at: reporter.site)
  }

  func sleep(until deadline: Duration, label: String, at site: CallSite) async throws {
    try Task.checkCancellation()
    let sleeper = Sleepers.Sleeper(unfollowedTask: unfollowedTask)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        fallAsleep(sleeper, until: deadline, label, at: site, continuation)
      }
    } onCancel: {
      let cancelled = owner.sleepers.withLock { $0.cancel(sleeper) }
      cancelled?.token.cancel()
      cancelled?.wake()
    }
  }

  private func fallAsleep(
    _ sleeper: Sleepers.Sleeper, until deadline: Duration, _ label: String, at site: CallSite,
    _ continuation: CheckedContinuation<Void, any Error>
  ) {
    let sleepers = owner.sleepers
    let token = timelineQueue.schedule(
      .function { sleepers.withLock { $0.wake(sleeper) }?() },
      at: VirtualTime.Instant(deadline), label: label, at: site,
      unless: { now in deadline < now.duration })
    guard let token else { return continuation.resume() }
    let (wake, arrivals) = sleepers.withLock {
      ($0.fallAsleep(sleeper, continuation, token), $0.arrivals())
    }
    if case .throwing = wake { token.cancel() }
    if let wake { wake() } else { owner.watchSleepers() }
    for waiter in arrivals { waiter.verdict.resume(returning: .arrived) }
  }

  /// The tasks that are asleep, in the order in which they will wake.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let pause = Task { try await clock.sleep(for: .seconds(5)) }
  /// await clock.waitForSleepers()
  /// #expect(clock.sleepers.map(\.deadline) == [.seconds(5)])
  /// await clock.run()
  /// try await pause.value
  /// ```
  public var sleepers: WorkList {
    let asleep = Set(owner.sleepers.withLock { $0.tokens })
    let pending = owner.timeline.pendingWork.filter { asleep.contains($0.token) }
    return WorkList(pending.map(\.record))
  }

  /// Waits until at least that many tasks are asleep on a clock of this time.
  ///
  /// It returns when the last of them has registered its sleep; then an advance can wake it. Otherwise
  /// the test fails after 10 s of real time, or sooner if nothing goes on in the process (see
  /// <doc:WaitingForEvents>), with a list of the pending work. A pass never waits for time.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let pause = Task { try await clock.sleep(for: .seconds(5)) }
  /// await clock.waitForSleepers()
  /// await clock.advance(by: .seconds(5))  // 4.9 s would not wake it
  /// try await pause.value
  /// ```
  public func waitForSleepers(
    _ count: Int = 1,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    guard count > 0 else {
      return reporter.fail("The number of sleepers must be at least 1 (was \(count)).", at: site)
    }
    let timeout = HangTimeout.interval
    owner.sleepers.withLock { $0.noteUseByTest() }
    let verdict = await owner.waitForSleepers(.count(count), timeout, endsAtRest: true)
    let reason: String
    switch verdict {
    case .arrived: return
    case .cancelled: reason = "the waiting task was cancelled first"
    case .timedOut: reason = "\(timeout.shortDescription) of real time went by without it"
    case .atRest(let time): reason = RestText.reason(time)
    }
    let asleep = owner.sleepers.withLock { $0.count }
    reporter.fail(
      """
      Expected \(count) \(count == 1 ? "task" : "tasks") asleep on the clock, saw \(asleep): \
      \(reason). Pending (now: \(owner.timeline.now.duration.shortDescription)):
      \(WorkList(owner.timeline.pending))
      Was the code under test started? Does it sleep on this clock? A task that has \
      something else to wait for does not count.
      """, at: site)
  }

  /// Fails the test if a task is asleep on a clock of this time when the test's tasks have come to rest.
  ///
  /// Virtual time does not move for it. Where tasks cannot be followed, it waits only for tasks that an advance has
  /// woken.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let pause = Task { try await clock.sleep(for: .seconds(5)) }
  /// await clock.waitForSleepers()
  /// pause.cancel()
  /// await clock.expectNoSleepers()
  /// ```
  public func expectNoSleepers(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    await owner.reachRest(of: "expectNoSleepers()", at: site)
    let sleepers = sleepers
    guard !sleepers.isEmpty else { return }
    reporter.fail(
      """
      expectNoSleepers() expected no task asleep on the clock, but \
      \(sleepers.count == 1 ? "1 task is" : "\(sleepers.count) tasks are") (now: \
      \(owner.timeline.now.duration.shortDescription)):
      \(sleepers)
      Advance to the end of their sleeps, or cancel the tasks.
      """, at: site)
  }

  // MARK: Advancing

  /// Moves time on and returns when everything due up to the target has happened; without an argument, everything
  /// due now.
  ///
  /// A negative duration fails the test and wakes no task. Work scheduled in the same time runs too, in
  /// the caller's isolation.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let pause = Task { try await clock.sleep(for: .seconds(5)) }
  /// await clock.waitForSleepers()
  /// await clock.advance(by: .seconds(5))  // 4.9 s would not wake it
  /// try await pause.value
  /// ```
  ///
  /// - Returns: The work run and the sleeps ended, in order.
  @discardableResult
  public func advance(
    by duration: Duration = .zero, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return await advance(.by(duration), at: site, isolation: isolation)
  }

  /// Moves time on to an instant and returns when everything due until then has happened.
  ///
  /// An instant in the past fails the test and wakes no task.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let deadline = clock.now.advanced(by: .seconds(5))
  /// let pause = Task { try await clock.sleep(until: deadline) }
  /// await clock.waitForSleepers()
  /// await clock.advance(to: deadline)
  /// try await pause.value
  /// ```
  ///
  /// - Returns: The work run and the sleeps ended, in order.
  @discardableResult
  public func advance(
    to instant: VirtualInstant, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return await advance(.to(instant.offset), at: site, isolation: isolation)
  }

  /// Moves time from deadline to deadline, until no task is asleep.
  ///
  /// A loop of sleeps that never ends fails the test when the step limit is reached.
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let countdown = Task { for _ in 1...3 { try await clock.sleep(for: .seconds(1)) } }
  /// await clock.waitForSleepers()
  /// await clock.run()
  /// try await countdown.value
  /// #expect(clock.now.offset == .seconds(3))
  /// ```
  ///
  /// - Returns: The work run and the sleeps ended, in order.
  @discardableResult
  public func run(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return await advance(.toEnd, at: site, isolation: isolation)
  }

  private func advance(
    _ call: AdvanceCall, at site: CallSite, isolation: isolated (any Actor)?
  ) async -> WorkList {
    await owner.advance(call, expectsSleepers: true, at: site, isolation: isolation) {
      owner.noteAdvance(ofClock: isAlone, at: site)
    }
  }
}

extension TestScheduler {
  /// A clock in the same time: advancing either advances both.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let clock = scheduler.clock
  /// scheduler.advance(by: .seconds(5))
  /// #expect(clock.now.offset == .seconds(5))
  /// ```
  public var clock: TestClock { TestClock(owner: owner, reporter: owner.reporter) }
}

/// The number of the calling task, if it cannot be followed until it comes to rest.
private var unfollowedTask: UInt64? {
  if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), TestTasks.followsCurrentTask {
    return nil
  }
  return currentTaskID()
}

private func currentTaskName() -> String? {
  if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) { return Task.name }
  return nil
}
