import Dispatch
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
/// It wakes every sleeper due up to the target, in the order of deadlines and, at one deadline, in the
/// order in which they fell asleep. A woken task sees its deadline as `now` until it sleeps again or
/// the next advance begins. A sleep that would have ended within the advance is over at once: a loop of
/// one-second sleeps runs five times in an advance of five seconds, however slow its thread is. An
/// advance wakes a task once; a longer sleep of that task begins after the advance, however fast the
/// task is.
///
/// It does not promise that woken tasks have run when it returns: the system does not report when a
/// task has come to rest, and counting yields is a guess. Wait for an event instead:
/// ``waitForSleepers(_:fileID:filePath:line:column:)`` returns when the tasks are asleep again, `await
/// task.value` when they have ended. Code that a woken task starts or signals sees the clock's own time
/// as `now`; if that matters, advance in single steps.
///
/// A sleep whose deadline is past is over at once. A sleep whose deadline is exactly now lasts
/// until the next advance, if only `advance()`. Cancelling the task ends its sleep with
/// `CancellationError`. Tolerances are ignored. Any thread may use it.
///
/// A test that awaits a sleeping task before it advances would wait for ever. So if for 10 s of real
/// time (see <doc:WaitingForEvents>) there is no advance and no new sleep, the sleeps end with an error
/// that says so, and the test gets a warning. It also gets one, at the first advance, if nothing has slept on
/// the clock or read its time when it is released, unless a scheduler shares that time.
public final class TestClock: Clock {
  /// A point of virtual time.
  public typealias Instant = VirtualInstant

  let owner: TimelineOwner
  private let tag: TimelineQueue
  private let reporter: Reporter
  /// Whether no scheduler shares its time.
  private let isAlone: Bool

  /// Makes a clock whose time is zero.
  ///
  /// `stepLimit` says how many pieces of work may be scheduled and run on the way, at one instant or
  /// during one ``run(isolation:fileID:filePath:line:column:)``, before the test fails. With
  /// `allowsPendingWork` tasks may be asleep when the test ends.
  public convenience init(
    stepLimit: Int = 100_000, allowsPendingWork: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let scheduler = TestScheduler(
      stepLimit: stepLimit, allowsPendingWork: allowsPendingWork,
      fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(owner: scheduler.owner, reporter: scheduler.owner.reporter, isAlone: true)
  }

  fileprivate init(owner: TimelineOwner, reporter: Reporter, isAlone: Bool = false) {
    self.isAlone = isAlone
    self.owner = owner
    tag = TimelineQueue(nil, on: owner.timeline)
    self.reporter = reporter
  }

  // MARK: Sleeping

  /// The current instant: the clock's time or, in a task that the latest advance has woken, the deadline
  /// of its sleep.
  public var now: VirtualInstant {
    owner.noteUse()
    let present = owner.sleepers.withLock { $0.presentOfCurrentTask }
    return VirtualInstant(offset: (present ?? owner.timeline.now).duration)
  }

  /// Zero, because virtual time is exact.
  public var minimumResolution: Duration { .zero }

  /// Sleeps until the test has moved time to the deadline.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    owner.noteUse()
    try Task.checkCancellation()
    let sleeper = Sleepers.Sleeper(task: currentTaskID())
    let deadline = VirtualTime.Instant(deadline)
    let label = currentTaskName() ?? "sleep"
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        fallAsleep(sleeper, until: deadline, label, continuation)
      }
    } onCancel: {
      let cancelled = owner.sleepers.withLock { $0.cancel(sleeper) }
      cancelled?.token.cancel()
      cancelled?.wake()
    }
  }

  private func fallAsleep(
    _ sleeper: Sleepers.Sleeper, until deadline: VirtualTime.Instant,
    _ label: String, _ continuation: CheckedContinuation<Void, any Error>
  ) {
    let sleepers = owner.sleepers
    let (present, mayPass) = sleepers.withLock {
      ($0.present(of: sleeper.task), $0.mayPass(sleeper, limit: owner.timeline.options.stepLimit))
    }
    func isOver(at now: VirtualTime.Instant) -> Bool {
      mayPass && (deadline < now || (deadline == now && (present ?? now) < now))
    }
    if present != nil {
      let isOver = isOver(at: owner.timeline.now)
      let isPostponed = sleepers.withLock {
        $0.postpone(sleeper, isOver: isOver) {
          self.fallAsleep(sleeper, until: deadline, label, continuation)
        }
      }
      if isPostponed { return }
    }
    let token = tag.schedule(
      .function { sleepers.withLock { $0.wake(sleeper, at: deadline) }?() }, at: deadline,
      label: label, at: reporter.site, unless: isOver)
    guard let token else {
      sleepers.withLock { $0.pass(sleeper, to: deadline) }
      return continuation.resume()
    }
    if !mayPass { reportEndlessPassing(label) }
    let (wake, arrivals) = sleepers.withLock {
      ($0.fallAsleep(sleeper, continuation, token), $0.arrivals())
    }
    if case .throwing = wake { token.cancel() }
    if let wake { wake() } else { owner.watchSleepers() }
    for arrival in arrivals { arrival.resume(returning: .arrived) }
  }

  private func reportEndlessPassing(_ label: String) {
    let limit = owner.timeline.options.stepLimit
    let source = WorkSource(queue: tag, label: label, place: Place(reporter.site))
    reporter.fail(
      """
      A task woken by an advance slept \(limit) times without its time moving on:
        \(ScheduledWork(WorkRecord(source, at: owner.timeline.now)))
      This is usually a loop of sleeps of zero length. It now sleeps until the next advance. Give \
      the loop a delay or an end, or make the clock with a higher stepLimit.
      """)
  }

  /// The tasks that are asleep, in the order in which they will wake.
  public var sleepers: WorkList {
    let asleep = Set(owner.sleepers.withLock { $0.tokens })
    let pending = owner.timeline.pendingWork.filter { asleep.contains($0.token) }
    return WorkList(pending.map(\.record))
  }

  /// Waits until at least that many tasks are asleep on a clock of this time.
  ///
  /// It returns when the last of them has registered its sleep; then an advance can wake it. Otherwise
  /// the test fails after 10 s of real time (see <doc:WaitingForEvents>), with a list of the pending
  /// work. A pass never waits for time.
  public func waitForSleepers(
    _ count: Int = 1,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    guard count > 0 else {
      return reporter.fail("The number of sleepers must be at least 1 (was \(count)).", at: site)
    }
    let waiter = Sleepers.Waiter(count: count)
    let owner = owner
    let timeout = HangTimeout.interval
    let hangTimer = HangTimer(timeout) {
      owner.sleepers.withLock { $0.giveUp(waiter, .timedOut) }?.resume(returning: .timedOut)
    }
    let verdict = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let verdict = owner.sleepers.withLock { $0.wait(waiter, continuation) }
        if let verdict { continuation.resume(returning: verdict) }
      }
    } onCancel: {
      owner.sleepers.withLock { $0.giveUp(waiter, .cancelled) }?.resume(returning: .cancelled)
    }
    hangTimer.cancel()
    owner.sleepers.withLock { $0.forget(waiter) }
    guard verdict != .arrived else { return }
    let reason =
      verdict == .cancelled
      ? "the waiting task was cancelled first"
      : "\(timeout.shortDescription) of real time went by without it"
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

  // MARK: Advancing

  /// Moves time on and wakes every sleeper due up to the target; without an argument, those due
  /// now.
  ///
  /// A negative duration fails the test and wakes no task. Work scheduled in the same time runs too, in
  /// the caller's isolation.
  /// - Returns: The work run and the sleeps ended, in order.
  @discardableResult
  public func advance(
    by duration: Duration = .zero, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    if duration >= .zero { owner.noteAdvance(ofClock: isAlone, at: site) }
    return owner.advance(by: duration, at: site)
  }

  /// Moves time on to an instant and wakes every sleeper due until then.
  ///
  /// An instant in the past fails the test and wakes no task.
  /// - Returns: The work run and the sleeps ended, in order.
  @discardableResult
  public func advance(
    to instant: VirtualInstant, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    if instant.offset >= owner.timeline.now.duration {
      owner.noteAdvance(ofClock: isAlone, at: site)
    }
    return owner.advance(to: instant.offset, at: site)
  }

  /// Moves time to each deadline and wakes the sleepers, until no task is asleep.
  ///
  /// A woken task that sleeps again after this has returned waits for the next advance. To run a loop of
  /// sleeps to its end, advance far enough instead.
  /// - Returns: The work run and the sleeps ended, in order.
  @discardableResult
  public func run(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    owner.noteAdvance(ofClock: isAlone, at: site)
    return owner.advance("run()", at: site) { $0.drive(to: nil) }
  }
}

extension TestScheduler {
  /// A clock in the same time: advancing either advances both.
  public var clock: TestClock { TestClock(owner: owner, reporter: owner.reporter) }
}

extension VirtualTime.Instant {
  fileprivate init(_ instant: VirtualInstant) { self.init(instant.offset) }
}

private func currentTaskName() -> String? {
  if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) { return Task.name }
  return nil
}
