import Sleepless

/// Decides which schedule runs next: explores until one fails, then runs that one again, shrinks it and makes
/// its replay string.
///
/// `Simulation.runSeries` calls `next(after:)` between simulations. The caller runs the failing schedule for
/// the last time, with ``finalOptions``, to report its failures.
///
/// Unchecked because it is called by one thread at a time.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package final class Explorer: @unchecked Sendable {
  enum Phase {
    /// New schedules are run.
    case exploring
    /// A schedule that passed runs again, to see whether it takes the same steps. The number is the hash of the
    /// first run.
    case comparing(details: UInt64)
    /// The two runs differed, and the schedule runs a few times more, to see where. The trace is that of the
    /// latest run.
    case tracing(ScheduleTrace?, runs: Int)
    /// The failing schedule runs again.
    case confirming(Found)
    /// The failing schedule did not fail again. It runs once more, to see where two runs differ.
    case doubting(Found, ScheduleTrace)
    /// The failing schedule failed again. Schedules that passed run again, to see whether they still pass: the first
    /// of the list now, the others then.
    case rechecking(ArraySlice<Passed>, Found, Shrinking.Candidate)
    /// Schedules with fewer switches are run.
    case shrinking(Shrinking)
    /// Nothing is left to run, except for the last run of the failing schedule.
    case done

    /// The failing schedule that runs again.
    var found: Found? {
      switch self {
      case .confirming(let found), .doubting(let found, _), .rechecking(_, let found, _): found
      case .shrinking(let shrinking): shrinking.found
      case .exploring, .comparing, .tracing, .done: nil
      }
    }
  }

  /// A failing schedule as it was found.
  struct Found {
    var failureCause: FailureCause
    let schedule: Int
    let strategy: String
    let timingSeed: UInt32?
    let deviations: [Deviation]
    /// Whether no code outside resumed a task when it was found.
    let isSure: Bool
    var whole = ScheduleTrace()
  }

  /// A schedule that passed and ran twice.
  struct Passed {
    let schedule: Int
    let timingSeed: UInt32?
    let deviations: [Deviation]
  }

  package let plan: ExplorationPlan
  package private(set) var result = ExplorationResult()
  /// Why the exploration has no result, if it has none.
  package private(set) var explorationError: ExplorationError?

  /// How a replayed schedule differs from the recorded one, if it does.
  package private(set) var mismatch: ReplayMismatch?

  let controller: ScheduleController
  private let crashRecord: CrashRecord?
  private let strategy: any Strategy
  private let first: any Strategy = FirstCome()
  private var statistics = ExplorationStatistics()
  private var seen: Set<UInt64> = []
  private var phase = Phase.exploring
  private var schedule = 0
  private var timingSeed: UInt32?
  private var seed: UInt64 = 0
  /// The schedules that were compared with themselves and passed; the last one is the latest.
  private var compared: [Passed] = []
  private var current: any Strategy
  /// How many steps the explored schedules have taken, each counted once. Other runs do not count: those for
  /// comparing, confirming and shrinking, and uncontrolled ones.
  private var steps = 0

  package init(_ plan: ExplorationPlan) {
    self.plan = plan
    crashRecord = CrashRecord(test: plan.name, mark: plan.mark)
    controller = ScheduleController(crashRecord: crashRecord)
    strategy = plan.replay.map { Replaying($0.deviations) } ?? plan.strategy.make()
    current = strategy
    result.planned = plan.schedules
    result.seed = plan.seed
  }

  /// How far the exploration has come.
  package enum Progress: Sendable {
    /// The number of the latest schedule, counted from 1.
    case exploring(schedule: Int, of: Int)
    /// How many schedules were run for shrinking, and how many switches are left.
    case shrinking(run: Int, limit: Int, switches: Int)
  }

  package var progress: Progress {
    guard case .shrinking(let shrinking) = phase else {
      return .exploring(schedule: schedule, of: plan.schedules)
    }
    return .shrinking(
      run: shrinking.runs, limit: Shrinking.runLimit, switches: shrinking.best.deviations.count)
  }

  /// Whether the latest schedule says nothing, because two tasks ran at the same time in it. A
  /// schedule that the user wants replayed counts all the same.
  package var isLatestDiscarded: Bool { controller.isUncontrolled && plan.replay == nil }

  /// Whether the latest run was one of a schedule that has run before, to compare the two.
  package var isComparing: Bool {
    switch phase {
    case .comparing, .tracing: true
    default: false
    }
  }

  /// How often the latest schedule departed from the default.
  package var switches: Int { controller.deviations.count }

  /// The schedules of this test in which earlier processes crashed.
  package static func crashes(of plan: ExplorationPlan) -> [Crash] {
    CrashRecord.takeLeftovers(mark: plan.mark)
  }

  /// The options for the next schedule; nil if there is none. `verdict` is the verdict on the schedule
  /// before, nil at first. `isSure` says that no code outside resumed a task in that schedule; `steps` is
  /// the number of its steps.
  func next(
    after verdict: Verdict?, isSure: Bool = true, steps: Int = 0
  ) -> Simulation.Options? {
    guard var verdict else { return nextSchedule() }
    current.end()
    if isLatestDiscarded, case .exploring = phase {
      // The order of the steps is unknown, so the verdict does not count. The same seed runs again. That
      // ends, because each such run adds code to `ScheduleController.blocking`.
      return begin(
        current, timingSeed: timingSeed, seed: seed, recordsDetails: controller.details != nil)
    }
    if isLatestDiscarded, case .failed = verdict { verdict = .passed }
    switch (phase, verdict) {
    case (_, .stop):
      phase = .done
    case (.exploring, _):
      self.steps += steps
      return exploreOn(verdict, isSure: isSure)
    case (.comparing(let details), .passed):
      return compare(details, isSure: isSure)
    case (.tracing(let trace, let runs), .passed):
      return compare(trace, runs: runs, isSure: isSure)
    case (.comparing, .failed(let failureCause)), (.tracing, .failed(let failureCause)):
      explorationError = .passesOnce(failureCause, schedule: schedule)
      phase = .done
    case (.confirming(var found), .failed(let failureCause)):
      found.failureCause = failureCause
      found.whole = controller.trace ?? ScheduleTrace()
      let candidate = latestCandidate(steps, failureCause)
      return recheck(compared[...], found, candidate)
    case (.rechecking(let passed, let found, _), .failed(let now)) where controller.isComparable:
      explorationError = .leavesState(
        found.failureCause, schedule: found.schedule, earlier: passed.first!.schedule, now)
      phase = .done
    case (.rechecking(let passed, let found, let candidate), _):
      return recheck(passed.dropFirst(), found, candidate)
    case (.confirming(let found), _):
      phase = .doubting(found, controller.trace ?? ScheduleTrace())
      return begin(replaying(found), timingSeed: found.timingSeed, recordsTrace: true)
    case (.doubting(let found, let trace), _):
      explorationError = .notReproduced(
        found.failureCause, schedule: found.schedule,
        controller.trace.flatMap { TraceDifference(trace, $0) })
      phase = .done
    case (.shrinking(var shrinking), _):
      if case .failed(let failureCause) = verdict,
        failureCause.key == shrinking.found.failureCause.key
      {
        shrinking.stillFails(latestCandidate(steps, failureCause))
      } else {
        shrinking.passes(steps: steps)
      }
      return shrinkOn(&shrinking)
    case (.done, _): break
    }
    return nil
  }

  /// The options for the next schedule, after the outcome of the one before; nil if there is none.
  package func next(
    after outcome: Simulation.Outcome<Void>?, _ judge: (Simulation.Outcome<Void>) -> Verdict
  ) -> Simulation.Options? {
    let options = options(after: outcome, judge)
    // The caller will run the failing schedule for the last time.
    if options == nil, final == nil { crashRecord?.close() }
    return options
  }

  private func options(
    after outcome: Simulation.Outcome<Void>?, _ judge: (Simulation.Outcome<Void>) -> Verdict
  ) -> Simulation.Options? {
    guard let outcome else { return next(after: nil) }
    let verdict = judge(outcome)
    if outcome.report.preventsNextSchedule, case .failed(let failureCause) = verdict {
      giveUp(failureCause)
      return nil
    }
    return next(
      after: verdict, isSure: outcome.report.externalResumptionCount == 0,
      steps: outcome.report.steps)
  }

  // MARK: Exploring

  private func exploreOn(_ verdict: Verdict, isSure: Bool) -> Simulation.Options? {
    result.run += 1
    if seen.count < 1 << 20, seen.insert(controller.fingerprint).inserted { result.distinct += 1 }
    statistics.choices = max(statistics.choices, controller.choices)
    if result.run <= 20 { statistics.work.merge(controller.work) { $1 } }
    if case .failed(let failureCause) = verdict {
      result.failed += 1
      let found = Found(
        failureCause: failureCause, schedule: schedule, strategy: current.name,
        timingSeed: timingSeed,
        deviations: Array(controller.deviations), isSure: isSure,
        whole: controller.trace ?? ScheduleTrace())
      if plan.replay != nil {
        mismatch = foundMismatch
        phase = .done
        final = (found, Shrinking.Candidate(deviations: found.deviations, timingSeed: timingSeed))
        return nil
      }
      phase = .confirming(found)
      return begin(
        replaying(found), timingSeed: found.timingSeed, recordsTurns: true, recordsTrace: true)
    }
    if plan.replay != nil {
      mismatch = foundMismatch
      phase = .done
      return nil
    }
    if isSure, controller.isComparable, let details = controller.details {
      phase = .comparing(details: details)
      let passed = Passed(
        schedule: schedule, timingSeed: timingSeed, deviations: Array(controller.deviations))
      compared.append(passed)
      return begin(Replaying(passed.deviations), timingSeed: timingSeed, recordsDetails: true)
    }
    return nextSchedule()
  }

  private func nextSchedule() -> Simulation.Options? {
    if let replay = plan.replay {
      schedule = 1
      return begin(strategy, timingSeed: replay.timingSeed, recordsTrace: true)
    }
    guard strategy.hasMore else {
      result.isComplete = true
      return nil
    }
    repeat {
      schedule += 1
    } while (schedule - 1) % plan.shard.count != plan.shard.index
      && !plan.strategy.isExhaustive
    guard schedule <= plan.schedules, plan.stepBudget.map({ steps < $0 }) ?? true else {
      return nil
    }
    if plan.strategy.isExhaustive {
      return begin(strategy, timingSeed: nil, recordsDetails: isNextCompared)
    }
    // The first schedule is that of a simulation without exploration.
    if result.run == 0 { return begin(first, timingSeed: nil, recordsDetails: true) }
    let seed = mixed(plan.seed, UInt64(schedule))
    return begin(
      strategy, timingSeed: schedule % 2 == 1 ? UInt32(seed % 0x3FFF_FFFF) : nil, seed: seed,
      recordsDetails: isNextCompared)
  }

  /// Whether the next schedule runs twice, and the two runs are compared: the 1st, 2nd, 4th, 8th and so on, so that
  /// a thousand schedules need ten more runs.
  private var isNextCompared: Bool {
    let number = result.run + 1
    return number & (number - 1) == 0
  }

  private func begin(
    _ strategy: any Strategy, timingSeed: UInt32?, seed: UInt64 = 0, recordsTurns: Bool = false,
    recordsDetails: Bool = false, recordsTrace: Bool = false
  ) -> Simulation.Options {
    current = strategy
    (self.timingSeed, self.seed) = (timingSeed, seed)
    crashRecord?.begin(schedule: schedule, timingSeed: timingSeed)
    controller.begin(
      strategy, seed: seed, statistics: statistics, recordsTurns: recordsTurns,
      recordsDetails: recordsDetails, recordsTrace: recordsTrace)
    var options = plan.options
    options.controller = controller
    options.timingSeed = timingSeed.map { UInt64($0) }
    return options
  }

  private func replaying(_ found: Found) -> Replaying {
    Replaying(found.deviations)
  }

  private func compare(_ details: UInt64, isSure: Bool) -> Simulation.Options? {
    guard isSure, isLatestComparable, controller.details != details else { return exploreOn() }
    return trace(nil, runs: 0)
  }

  /// Compares a run with the one before. Values that are made once per process make a run differ from those
  /// after it, so the first two do not count.
  private func compare(
    _ previous: ScheduleTrace?, runs: Int, isSure: Bool
  ) -> Simulation.Options? {
    guard isSure, isLatestComparable, let latest = controller.trace else { return exploreOn() }
    if let previous, let difference = TraceDifference(previous, latest) {
      explorationError = .notDeterministic(difference)
      phase = .done
      return nil
    }
    return runs < Self.tracedRuns ? trace(latest, runs: runs) : exploreOn()
  }

  private var isLatestComparable: Bool { controller.isComparable && !isLatestDiscarded }

  /// How often a schedule whose runs differed is run once more. A test that draws one fair coin takes the same
  /// side in all four with a probability of one eighth.
  private static let tracedRuns = 4

  private func trace(_ previous: ScheduleTrace?, runs: Int) -> Simulation.Options {
    phase = .tracing(previous, runs: runs + 1)
    return begin(
      Replaying(compared.last!.deviations), timingSeed: timingSeed, recordsTrace: true)
  }

  private func exploreOn() -> Simulation.Options? {
    phase = .exploring
    return nextSchedule()
  }

  // MARK: The failing schedule

  private func recheck(
    _ passed: ArraySlice<Passed>, _ found: Found, _ candidate: Shrinking.Candidate
  ) -> Simulation.Options? {
    guard let next = passed.first else { return shrink(found, candidate) }
    phase = .rechecking(passed, found, candidate)
    return begin(Replaying(next.deviations), timingSeed: next.timingSeed)
  }

  private func shrink(
    _ found: Found, _ candidate: Shrinking.Candidate
  ) -> Simulation.Options? {
    var shrinking = Shrinking(found, candidate)
    return shrinkOn(&shrinking)
  }

  private func shrinkOn(_ shrinking: inout Shrinking) -> Simulation.Options? {
    guard let next = shrinking.next() else { return finish(shrinking.found, shrinking) }
    phase = .shrinking(shrinking)
    var options = begin(next.strategy, timingSeed: next.timingSeed, recordsTurns: true)
    // Nothing outside resumed a task when the schedule was found, so a long wait is unlikely to help.
    if shrinking.found.isSure { options.deadlockTimeout = .milliseconds(5) }
    return options
  }

  private func latestCandidate(
    _ steps: Int, _ failureCause: FailureCause
  ) -> Shrinking.Candidate {
    Shrinking.Candidate(
      deviations: Array(controller.deviations), timingSeed: timingSeed,
      turns: controller.turns ?? [], withinSteps: controller.withinSteps, steps: steps,
      failureCause: failureCause)
  }

  private func finish(_ found: Found, _ shrinking: Shrinking) -> Simulation.Options? {
    phase = .done
    final = (found, shrinking.best)
    return nil
  }

  private var final: (found: Found, best: Shrinking.Candidate)?

  /// Ends with the latest run. Its job blocks its thread or keeps the main actor, so no other schedule can run. If that
  /// run repeats a schedule that failed, the first failure is the cause.
  private func giveUp(_ failureCause: FailureCause) {
    current.end()
    let found = phase.found
    switch phase {
    case .comparing, .tracing:
      explorationError = .passesOnce(failureCause, schedule: schedule)
    case .rechecking(let passed, let failing, _) where isLatestComparable:
      explorationError = .leavesState(
        failing.failureCause, schedule: failing.schedule, earlier: passed.first!.schedule,
        failureCause)
    case .exploring:
      result.run += 1
      result.failed += 1
    case .confirming, .rechecking, .doubting, .shrinking, .done: break
    }
    phase = .done
    guard explorationError == nil else { return }
    if plan.replay != nil { mismatch = foundMismatch }
    let replay = ReplayString(
      test: plan.mark, timingSeed: found.map(\.timingSeed) ?? timingSeed,
      deviations: found?.deviations ?? Array(controller.deviations),
      fingerprint: found == nil ? UInt16(truncatingIfNeeded: controller.fingerprint) : nil)
    let reported = found?.failureCause ?? failureCause
    result.failure = ExplorationFailure(
      cause: reported.cause, text: reported.text, schedule: found?.schedule ?? schedule,
      strategy: found?.strategy ?? current.name,
      whole: ScheduleTrace(), shrunk: ScheduleTrace(), replay: replay.text)
  }

  /// The options for running the failing schedule for the last time, to report its failures; nil if none
  /// failed.
  package func finalOptions() -> Simulation.Options? {
    guard let best = final?.best else { return nil }
    return begin(
      Replaying(best.deviations), timingSeed: best.timingSeed, recordsTrace: true)
  }

  /// Makes the report of the last run.
  package func finishFinal() {
    guard let (found, best) = final else { return }
    current.end()
    crashRecord?.close()
    let replay = ReplayString(
      test: plan.mark, timingSeed: best.timingSeed, deviations: best.deviations,
      fingerprint: UInt16(truncatingIfNeeded: controller.fingerprint))
    let failureCause = best.failureCause ?? found.failureCause
    result.failure = ExplorationFailure(
      cause: failureCause.cause, text: failureCause.text, schedule: found.schedule,
      strategy: found.strategy,
      whole: found.whole, shrunk: controller.trace ?? ScheduleTrace(), replay: replay.text)
  }

  private var foundMismatch: ReplayMismatch? {
    if let mismatch = (strategy as? Replaying)?.mismatch { return .choice(mismatch) }
    if (strategy as? Replaying)?.lacksChance == true { return .steps }
    guard let fingerprint = plan.replay?.fingerprint,
      fingerprint != UInt16(truncatingIfNeeded: controller.fingerprint)
    else { return nil }
    return .steps
  }
}

/// How a replayed schedule differs from the recorded one.
package enum ReplayMismatch: Sendable, Equatable {
  case choice(Replaying.Mismatch)
  /// The schedule took other steps.
  case steps
}

/// Why an exploration of a test has no result.
package enum ExplorationError: Sendable {
  /// Two runs of a schedule took different steps.
  case notDeterministic(TraceDifference)
  /// A schedule passed, and then failed.
  case passesOnce(FailureCause, schedule: Int)
  /// A schedule failed, and then an earlier one failed too, which had passed.
  case leavesState(FailureCause, schedule: Int, earlier: Int, FailureCause)
  /// A schedule failed, and then passed.
  case notReproduced(FailureCause, schedule: Int, TraceDifference?)
}
