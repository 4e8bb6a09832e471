import Sleepless
import SleeplessSimulation
import VirtualTime

/// The order of advances: each begins when the one before has returned.
struct AdvanceTurns {
  private var isTaken = false
  private var waiting: [OneShotContinuation<Void>] = []

  /// Takes the turn; if another advance has it, returns what to wait for.
  mutating func take() -> OneShotContinuation<Void>? {
    guard isTaken else {
      isTaken = true
      return nil
    }
    let turn = OneShotContinuation<Void>()
    waiting.append(turn)
    return turn
  }

  /// Returns the next advance, which has the turn now.
  mutating func pass() -> OneShotContinuation<Void>? {
    isTaken = !waiting.isEmpty
    return isTaken ? waiting.removeFirst() : nil
  }
}

extension TimelineOwner {
  /// Moves time on from one instant at which something is due to the next. Before the first and after each,
  /// everything that can run comes to rest.
  ///
  /// `willAdvance` is called when the first rest is reached. With `expectsSleepers` the advance waits for a first
  /// sleeper where tasks cannot be followed.
  func advance(
    _ call: AdvanceCall, expectsSleepers: Bool = false, at site: CallSite,
    isolation: isolated (any Actor)?, willAdvance: () -> Void = {}
  ) async -> WorkList {
    if let turn = turns.withLock({ $0.take() }) { await turn.wait() }
    defer { turns.withLock { $0.pass() }?.resume() }
    var rest = RestOfAdvance(owner: self, call: call.text, site: site)
    await rest.reach(expectsSleepers: expectsSleepers)
    if let misuse = call.misuse(at: timeline.now.duration) {
      reporter.fail(misuse, at: site)
      return WorkList([])
    }
    willAdvance()
    sleepers.withLock { $0.noteUseByTest() }
    var steps = call.steps(on: timeline)
    while true {
      if let end = timeline.drive(&steps) {
        report(end, of: call, at: site)
        return WorkList(steps.ran)
      }
      await rest.reach()
    }
  }

  /// Returns when nothing can run any more, for another call than an advance.
  func reachRest(
    of call: String, at site: CallSite, isolation: isolated (any Actor)? = #isolation
  ) async {
    var rest = RestOfAdvance(owner: self, call: call, site: site)
    await rest.reach()
  }

  /// Waits for tasks to fall asleep, in real time. `endsAtRest` says whether the wait ends early if nothing in the
  /// process can put a task to sleep.
  func waitForSleepers(
    _ goal: Sleepers.Goal, _ timeout: Duration, endsAtRest: Bool = false
  ) async -> Sleepers.Verdict {
    let waiter = Sleepers.Waiter(goal)
    guard sleepers.withLock({ $0.add(waiter) }) else { return .arrived }
    let hangTimer = HangTimer(timeout) { waiter.verdict.resume(returning: .timedOut) }
    let restTimer =
      endsAtRest && !isSimulated
      ? RestTimer(timeout: timeout) { waiter.verdict.resume(returning: .atRest($0)) } : nil
    defer {
      hangTimer.cancel()
      restTimer?.cancel()
      sleepers.withLock { $0.remove(waiter) }
    }
    return await withTaskCancellationHandler {
      await waiter.verdict.wait()
    } onCancel: {
      waiter.verdict.resume(returning: .cancelled)
    }
  }
}

/// Tasks that cannot be followed until they come to rest.
package enum UnfollowedTasks {
  /// How much real time without a change among the sleepers counts as rest. Tests set another one.
  @TaskLocal package static var pause = Duration.milliseconds(10)
}

/// Lets everything that can run come to rest, between the steps of one advance.
private struct RestOfAdvance {
  let owner: TimelineOwner
  /// The name of the call in a failure.
  let call: () -> String
  let site: CallSite
  private var hasGivenUp = false

  init(owner: TimelineOwner, call: @autoclosure @escaping () -> String, site: CallSite) {
    self.owner = owner
    self.call = call
    self.site = site
  }

  /// Returns when nothing can run any more.
  ///
  /// Tasks that are not followed may have work for those that are, so these come to rest again after them.
  mutating func reach(
    expectsSleepers: Bool = false, isolation: isolated (any Actor)? = #isolation
  ) async {
    repeat { await reachFollowed() } while await reachUnfollowed(expectsSleepers)
  }

  private mutating func reachFollowed(isolation: isolated (any Actor)? = #isolation) async {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return }
    if let simulation = Simulation.current { return await simulation.settleAtThisInstant() }
    guard !hasGivenUp, let tasks = TestTasks.ofCurrentTest else { return }
    let timeout = HangTimeout.interval
    guard await !tasks.settleAtThisInstant(timeout), !tasks.haveJustEnded else { return }
    hasGivenUp = true
    owner.reporter.fail(
      """
      \(call()) waited \(timeout.shortDescription) of real time for the test's tasks to come to rest. \
      Unfinished:
      \(tasks.unrest)
      The test goes on without them. This is usually a task that blocks its thread or never stops computing. Let it \
      suspend, or end it before.
      """, at: site)
  }

  /// Waits until tasks that are not followed sleep again, or until it is unlikely that they will. False if there
  /// was nothing to wait for.
  private func reachUnfollowed(
    _ expectsSleepers: Bool, isolation: isolated (any Actor)? = #isolation
  ) async -> Bool {
    let isAnyAwake = owner.sleepers.withLock { !$0.awake.isEmpty }
    let goal: Sleepers.Goal = isAnyAwake ? .noneAwake : .count(1)
    guard
      isAnyAwake || (expectsSleepers && !canFollow && owner.sleepers.withLock({ $0.count == 0 }))
    else { return false }
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current {
      // Virtual time must not move meanwhile.
      try? await simulation.outside { [owner] in await owner.waitWhileChanging(for: goal) }
    } else {
      await owner.waitWhileChanging(for: goal)
    }
    owner.sleepers.withLock { $0.forgetAwake() }
    return isAnyAwake
  }

  /// Whether a task that the test has just started is waited for anyway.
  private var canFollow: Bool {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return false }
    return TestTasks.canBeFollowed
  }
}

extension TimelineOwner {
  /// Waits for sleeping tasks until for some milliseconds of real time none has fallen asleep or woken.
  fileprivate func waitWhileChanging(for goal: Sleepers.Goal) async {
    while true {
      let changes = sleepers.withLock { $0.changes }
      let verdict = await waitForSleepers(goal, UnfollowedTasks.pause)
      if verdict != .timedOut || sleepers.withLock({ $0.changes }) == changes { return }
    }
  }
}
