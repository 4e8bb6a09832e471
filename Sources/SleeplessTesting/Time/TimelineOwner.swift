import VirtualTime

/// Ends a timeline when its last scheduler or clock is released, and fails the test if work is pending.
final class TimelineOwner: Sendable {
  let timeline: Timeline
  let allowsPendingWork: Bool
  let reporter: Reporter
  /// The tasks asleep on any clock of this time.
  let sleepers = Locked(Sleepers())
  let turns = Locked(AdvanceTurns())
  let isSimulated: Bool
  /// Whether a failure has been reported. Work left over after it is its consequence, not a second failure.
  private let hasFailed = Locked(false)
  /// Runs while a task sleeps.
  private let hangTimer = Locked<HangTimer?>(nil)

  init(
    _ timeline: Timeline, isSimulated: Bool = false, allowsPendingWork: Bool, reporter: Reporter
  ) {
    self.timeline = timeline
    self.isSimulated = isSimulated
    self.allowsPendingWork = allowsPendingWork
    self.reporter = reporter
    guard !allowsPendingWork else { return }
    reporter.atEndOfTest(afterLastChange: { [weak self] in
      guard let self, !self.hasFailed.withLock({ $0 }) else { return }
      let what = "The test ended, and a scheduler has work"
      guard let text = self.timeline.leftover(self.timeline.pending, what) else { return }
      self.hasFailed.withLock { $0 = true }
      self.reporter.tellLeftover(text)
    })
  }

  deinit {
    hangTimer.withLock { $0.take() }?.cancel()
    warnIfNeverUsed()
    let (timeline, reporter) = (timeline, reporter)
    guard !allowsPendingWork, !hasFailed.withLock({ $0 }), timeline.nextInstant != nil else {
      _ = timeline.close()
      return
    }
    // Judged at the end of the test. An object that the test releases later may still cancel the work, and a test
    // that is about to throw has leftovers as a consequence.
    let judge: @Sendable () -> Void = {
      let text = timeline.leftover(timeline.close(), "A scheduler was released with work")
      if let text { reporter.tellLeftover(text) }
    }
    if !reporter.afterLastEvents(judge) { judge() }
  }

  /// Moves time on without stops, reports problems at the caller's line, and returns the work that ran.
  func advance(_ call: AdvanceCall, at site: CallSite) -> WorkList {
    if let misuse = call.misuse(at: timeline.now.duration) {
      reporter.fail(misuse, at: site)
      return WorkList([])
    }
    sleepers.withLock { $0.noteUseByTest() }
    let (ran, end) = call.drive(timeline)
    report(end, of: call, at: site)
    return WorkList(ran)
  }

  /// Fails the test if an advance has not reached its target.
  func report(_ end: Timeline.End, of call: AdvanceCall, at site: CallSite) {
    guard case .isPast(let now) = end else { return report(end, of: call.text, at: site) }
    // Another thread has moved time while this call waited for its turn.
    if let misuse = call.misuse(at: now.duration) { reporter.fail(misuse, at: site) }
  }

  /// Fails the test if a call that drives time has not come to its end.
  func report(_ end: Timeline.End, of call: @autoclosure () -> String, at site: CallSite) {
    guard let problem = problem(with: end, of: call()) else { return }
    hasFailed.withLock { $0 = true }
    reporter.fail(problem, at: site)
  }

  private func problem(
    with end: Timeline.End, of call: @autoclosure () -> String
  ) -> String? {
    if case .reached = end { return nil }
    let call = call()
    switch end {
    case .reached, .isPast, .interrupted: return nil
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
        This is usually a timer or a loop of sleeps that is never cancelled, or work that schedules itself again. \
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

  /// Starts the hang timer of sleeping tasks. A simulation needs none: it detects deadlocks itself.
  func watchSleepers() {
    guard !isSimulated else { return }
    hangTimer.withLock { hangTimer in
      if hangTimer == nil { hangTimer = startHangTimer() }
    }
  }

  private func startHangTimer() -> HangTimer {
    let seen = sleepers.withLock { $0.changes }
    let timeout = HangTimeout.interval
    return HangTimer(timeout) { [weak self] in self?.timeoutRanOut(seen: seen, timeout) }
  }

  private func timeoutRanOut(seen: Int, _ timeout: Duration) {
    // Made first: if nothing has changed by the decision, it is still right.
    let text = forgottenSleepText(timeout)
    let error = ForgottenSleep(site: reporter.site)
    // All under the lock of the timer: a task that falls asleep meanwhile finds no timer, and starts one.
    let sleeps = hangTimer.withLock { hangTimer in
      let (sleeps, isAnyAsleep) = sleepers.withLock { sleepers in
        (sleepers.changes == seen ? sleepers.cancelAll(error) : [], sleepers.count > 0)
      }
      hangTimer = isAnyAsleep ? startHangTimer() : nil
      return sleeps
    }
    guard !sleeps.isEmpty else { return }
    reporter.warn(text)
    for (token, wake) in sleeps {
      token.cancel()
      wake()
    }
  }

  private func forgottenSleepText(_ timeout: Duration) -> String {
    let idle = advances.withLock { $0.latestIdle }
    let idleText = idle.map { "The latest advance, at \($0), found no task asleep.\n" } ?? ""
    return """
      For \(timeout.shortDescription) of real time nothing has advanced the clock made at \(reporter.site), and \
      tasks are asleep on it (now: \(timeline.now.duration.shortDescription)):
      \(WorkList(timeline.pending))
      \(idleText)Their sleeps end with an error, so that a test which awaits them can end. Advance first: \
      waitForSleepers(), then advance(by:).
      """
  }

  // MARK: Advances that find no task asleep

  private struct Advances {
    /// The latest advance of a clock, if it found no task asleep.
    var latestIdle: CallSite?
    /// The first advance of a clock that shares its time with no scheduler.
    var firstAlone: CallSite?
  }

  private let advances = Locked(Advances())

  /// 1 when something has read the clock or slept on it. Each reading of the time sets it, so it has no lock.
  private let isUsed = SharedNumber(0)

  func noteUse() { isUsed.set(1) }

  /// Notes an advance of a clock. `isAlone` says that the time is only the clock's, and not a scheduler's.
  func noteAdvance(ofClock isAlone: Bool, at site: CallSite) {
    let isIdle = sleepers.withLock { $0.count == 0 }
    advances.withLock { advances in
      advances.latestIdle = isIdle ? site : nil
      if isAlone, advances.firstAlone == nil { advances.firstAlone = site }
    }
  }

  /// Warns of a clock that was advanced and never used. One advance that finds no task asleep is no mistake: a
  /// test may show that nothing happens any more.
  private func warnIfNeverUsed() {
    guard isUsed.value == 0, let first = advances.withLock({ $0.firstAlone }) else { return }
    reporter.warn(
      """
      The clock was advanced, but nothing has slept on it or read its time.
      If the code under test has to use it, pass it this clock and call waitForSleepers() before the advance. If \
      it must not, an UnimplementedClock proves that.
      """, at: first)
  }
}

extension Timeline {
  /// The text about work that is left; nil if there is none that the test could have run.
  fileprivate func leftover(_ left: [WorkRecord], _ what: String) -> String? {
    let left = left.filter { $0.instant != .never }
    guard !left.isEmpty else { return nil }
    return """
      \(what) pending that will now never run (now: \(now.duration.shortDescription)):
      \(WorkList(left))
      Run it with run() or advance(by:), cancel it, or make the scheduler or clock with \
      allowsPendingWork: true if the test does not care.
      """
  }
}

/// The error of a sleep that no advance has ended. The test's warning has the details: the test may report the
/// error as well, and one cause should not be told twice.
private struct ForgottenSleep: Error, CustomStringConvertible {
  let site: CallSite

  var description: String {
    "The sleep ended because nothing has advanced the clock made at \(site): see the warning there."
  }
}
