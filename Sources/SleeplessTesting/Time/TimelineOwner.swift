import VirtualTime

/// Ends a timeline when its last scheduler or clock is released, and fails the test if work is pending.
final class TimelineOwner: Sendable {
  let timeline: Timeline
  let allowsPendingWork: Bool
  let reporter: Reporter
  /// The tasks asleep on any clock of this time.
  let sleepers: Locked<Sleepers>
  private let isSimulated: Bool
  private let hasFailed = Locked(false)
  /// Runs while a task sleeps.
  private let hangTimer = Locked<HangTimer?>(nil)

  /// In a simulation a woken task runs before time moves on, so woken tasks need no `now` of their own.
  init(
    _ timeline: Timeline, isSimulated: Bool = false, allowsPendingWork: Bool, reporter: Reporter
  ) {
    self.timeline = timeline
    self.isSimulated = isSimulated
    sleepers = Locked(Sleepers(remembersPresents: !isSimulated))
    self.allowsPendingWork = allowsPendingWork
    self.reporter = reporter
    guard !allowsPendingWork else { return }
    reporter.atEndOfTest(afterLastChange: { [weak self] in
      guard let self else { return }
      let text = leftover(self.timeline.pending, "The test ended, and a scheduler has work")
      if let text { self.reporter.tellLeftover(text) }
    })
  }

  deinit {
    hangTimer.withLock { $0.take() }?.cancel()
    let (left, reporter) = (timeline.close(), reporter)
    guard let text = leftover(left, "A scheduler was released with work") else { return }
    // The test may be about to throw, which is known only at its end.
    if !reporter.afterLastEvents({ reporter.tellLeftover(text) }) { reporter.tellLeftover(text) }
  }

  /// The text about pending work, once and if the test must be told.
  private func leftover(_ left: [WorkRecord], _ what: String) -> String? {
    // The test could not have run work that is never due.
    let left = left.filter { $0.instant != .never }
    guard !left.isEmpty, !allowsPendingWork else { return nil }
    // Work left over after a failed advance is that failure's consequence, not a second one.
    let hasFailed = hasFailed.withLock { hasFailed in
      defer { hasFailed = true }
      return hasFailed
    }
    guard !hasFailed else { return nil }
    return """
      \(what) pending that will now never run (now: \(timeline.now.duration.shortDescription)):
      \(WorkList(left))
      Run it with run() or advance(by:), cancel it, or make the scheduler or clock with \
      allowsPendingWork: true if the test does not care.
      """
  }

  /// Moves time on, reports problems at the caller's line, and returns the work that ran.
  func advance(
    _ call: @autoclosure () -> String, at site: CallSite,
    _ drive: (Timeline) -> (ran: WorkLog, end: Timeline.End)
  ) -> WorkList {
    sleepers.withLock { $0.beginAdvance() }
    let (ran, end) = drive(timeline)
    for fallAsleep in sleepers.withLock({ $0.endAdvance() }) { fallAsleep() }
    if let problem = problem(with: end, of: call()) {
      hasFailed.withLock { $0 = true }
      reporter.fail(problem, at: site)
    }
    return WorkList(ran)
  }

  private func problem(
    with end: Timeline.End, of call: @autoclosure () -> String
  ) -> String? {
    if case .reached = end { return nil }
    let call = call()
    switch end {
    case .reached, .interrupted: return nil
    case .exceeded(let source):
      let limit = timeline.options.stepLimit
      let here = call == "run()" ? "" : " at one instant"
      let advice =
        call == "run()"
        ? "Cancel it first, or go a certain way with advance(by:)"
        : "Give it a delay or an end"
      return """
        \(call) did not come to an end: \(limit) pieces of work that were scheduled on the way \
        have run\(here), and more keep coming. Next would be:
          \(ScheduledWork(WorkRecord(source, at: timeline.now)))
        This is usually a timer that is never cancelled, or work that schedules itself again. \
        \(advice), or make the scheduler with a higher stepLimit (is \(limit)).
        """
    case .tooDeep:
      return """
        \(call) was called from work of an advance that was itself called from work, and so on, \
        200 levels deep. Nothing was run.
        Work need not advance time itself: what it schedules runs in the advance under way.
        """
    case .occupied(let source):
      let work =
        source.map { "It is running\n  \(ScheduledWork(WorkRecord($0, at: timeline.now)))\n" } ?? ""
      return """
        \(call) waited \(timeline.options.timeout.shortDescription) for another thread that is advancing \
        the same time, and gave up. \(work)\
        If that work waits for this thread, neither can go on. Advance from one thread.
        """
    }
  }

  // MARK: Sleeps that never end

  /// Starts the guard of sleeping tasks. A simulation needs none: it detects deadlocks itself.
  func watchSleepers() {
    guard !isSimulated else { return }
    hangTimer.withLock { hangTimer in
      if hangTimer == nil { hangTimer = startGuard() }
    }
  }

  private func startGuard() -> HangTimer {
    let seen = sleepers.withLock { $0.changes }
    let timeout = HangTimeout.interval
    return HangTimer(timeout) { [weak self] in self?.guardRanOut(seen: seen, timeout) }
  }

  private func guardRanOut(seen: Int, _ timeout: Duration) {
    let isSilent = sleepers.withLock { $0.changes == seen }
    hangTimer.withLock { hangTimer in
      hangTimer = !isSilent && sleepers.withLock({ $0.count > 0 }) ? startGuard() : nil
    }
    guard isSilent else { return }
    let error = ForgottenSleep(
      timeout: timeout, site: reporter.site, now: timeline.now, sleeps: WorkList(timeline.pending)
    )
    let sleeps = sleepers.withLock { $0.changes == seen ? $0.cancelAll(error) : [] }
    guard !sleeps.isEmpty else { return }
    reporter.warn(error.description)
    for (token, wake) in sleeps {
      token.cancel()
      wake()
    }
  }
}

/// The error of a sleep that no advance has ended.
private struct ForgottenSleep: Error, CustomStringConvertible {
  let timeout: Duration
  let site: CallSite
  let now: Instant
  let sleeps: WorkList

  var description: String {
    """
    For \(timeout.shortDescription) of real time nothing has advanced the clock made at \(site), and \
    tasks are asleep on it (now: \(now.duration.shortDescription)):
    \(sleeps)
    Their sleeps end with this error, so that a test which awaits them can end. Advance first: \
    waitForSleepers(), then advance(by:).
    """
  }
}
