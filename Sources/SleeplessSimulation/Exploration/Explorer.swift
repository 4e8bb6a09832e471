import Dispatch
import Sleepless

/// Leads from one schedule to the next: explores, and when one fails, runs it again, shrinks it and
/// says how to replay it.
///
/// `next(after:)` is what `Simulation.runSeries` calls between simulations. The last run of a failing
/// schedule is left to the caller, who may want its failures to be seen: ``finalOptions``.
///
/// Unchecked because it is called by one thread at a time.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package final class Explorer: @unchecked Sendable {
  enum Phase {
    case exploring
    /// The usual schedule is run again, to see whether it takes the same steps.
    case comparing(ScheduleTrace, again: Bool)
    /// The failing schedule is run again.
    case confirming(Found)
    /// It did not fail again; once more, to see where two runs differ.
    case doubting(Found, ScheduleTrace)
    case shrinking(Shrinking)
    case done
  }

  /// A failing schedule as found.
  struct Found {
    var fault: Fault
    let schedule: Int
    let strategy: String
    let chance: UInt32?
    let deviations: [Deviation]
    /// Whether nothing from outside had a hand in it.
    let isSure: Bool
    var whole = ScheduleTrace()
  }

  package let plan: ExplorationPlan
  package private(set) var result = ExplorationResult()
  /// Why the exploration can say nothing of the test, if so.
  package private(set) var flaw: ExplorationFlaw?

  /// What shows that a replayed schedule is not the one that was recorded.
  package private(set) var misfit: ReplayMisfit?

  let steering: Steering
  private let crashRecord: CrashRecord?
  private let strategy: any Strategy
  private let first: any Strategy = FirstCome()
  private var experience = Experience()
  private var seen: Set<UInt64> = []
  private var phase = Phase.exploring
  private var schedule = 0
  private var chance: UInt32?
  private var current: any Strategy
  private let start = DispatchTime.now()

  package init(_ plan: ExplorationPlan) {
    self.plan = plan
    crashRecord = CrashRecord(test: plan.name, mark: plan.mark)
    steering = Steering(crashRecord: crashRecord)
    strategy = plan.replay.map { Replaying($0.deviations, isStrict: true) } ?? plan.strategy.make()
    current = strategy
    result.planned = plan.schedules
    result.seed = plan.seed
  }

  /// How often the latest schedule has left the usual rule.
  package var switches: Int { steering.deviations.count }

  /// Replay strings of explorations of this test in which an earlier process died.
  package static func crashes(of plan: ExplorationPlan) -> [String] {
    CrashRecord.takeLeftovers(mark: plan.mark)
  }

  /// How to run the next schedule, nil if there is none; gets what came of the one before, nil at
  /// first. `isSure` says that nothing from outside had a hand in it.
  func next(after verdict: Verdict?, isSure: Bool = true) -> Simulation.Options? {
    guard let verdict else { return nextSchedule() }
    current.end()
    switch (phase, verdict) {
    case (_, .stop):
      phase = .done
    case (.exploring, _): return exploreOn(verdict, isSure: isSure)
    case (.comparing(let trace, let again), .passed):
      return compare(trace, again: again, isSure: isSure)
    case (.comparing, .failed(let fault)):
      flaw = .passesOnce(fault)
      phase = .done
    case (.confirming(var found), .failed(let fault)):
      found.fault = fault
      found.whole = steering.trace ?? ScheduleTrace()
      var shrinking = Shrinking(found)
      return shrinkOn(&shrinking)
    case (.confirming(let found), _):
      phase = .doubting(found, steering.trace ?? ScheduleTrace())
      return begin(replaying(found), chance: found.chance, recordsTrace: true)
    case (.doubting(let found, let trace), _):
      flaw = .notReproduced(
        found.fault, schedule: found.schedule,
        steering.trace.flatMap { TraceDifference(trace, $0) })
      phase = .done
    case (.shrinking(var shrinking), _):
      if case .failed(let fault) = verdict, fault.key == shrinking.found.fault.key {
        shrinking.stillFails(Array(steering.deviations), chance: chance)
      } else {
        shrinking.passes()
      }
      return shrinkOn(&shrinking)
    case (.done, _): break
    }
    return nil
  }

  func next(
    after outcome: Simulation.Outcome<Void>?, _ judge: (Simulation.Outcome<Void>) -> Verdict
  ) -> Simulation.Options? {
    let options = options(after: outcome, judge)
    // The last run of a failing schedule is still to come.
    if options == nil, final == nil { crashRecord?.close() }
    return options
  }

  private func options(
    after outcome: Simulation.Outcome<Void>?, _ judge: (Simulation.Outcome<Void>) -> Verdict
  ) -> Simulation.Options? {
    guard let outcome else { return next(after: nil) }
    let verdict = judge(outcome)
    switch (outcome.report.ending, verdict) {
    // It keeps its thread, so there is no going on.
    case (.threadBlocked, .failed(let fault)), (.mainActorBlocked, .failed(let fault)):
      giveUp(fault)
      return nil
    default: return next(after: verdict, isSure: outcome.report.escapeCount == 0)
    }
  }

  // MARK: Exploring

  private func exploreOn(_ verdict: Verdict, isSure: Bool) -> Simulation.Options? {
    result.run += 1
    if seen.count < 1 << 20, seen.insert(steering.fingerprint).inserted { result.distinct += 1 }
    experience.choices = max(experience.choices, steering.choices)
    if result.run <= 20 { experience.work.merge(steering.work) { $1 } }
    if case .failed(let fault) = verdict {
      result.failed += 1
      let found = Found(
        fault: fault, schedule: schedule, strategy: current.name, chance: chance,
        deviations: Array(steering.deviations), isSure: isSure,
        whole: steering.trace ?? ScheduleTrace())
      if plan.replay != nil {
        misfit = foundMisfit
        phase = .done
        final = (found, Shrinking.Candidate(deviations: found.deviations, chance: chance))
        return nil
      }
      phase = .confirming(found)
      return begin(replaying(found), chance: found.chance, recordsTrace: true)
    }
    if plan.replay != nil {
      misfit = foundMisfit
      phase = .done
      return nil
    }
    if result.run == 1, isSure, !plan.strategy.isExhaustive, let trace = steering.trace {
      phase = .comparing(trace, again: false)
      return begin(first, chance: nil, recordsTrace: true)
    }
    return nextSchedule()
  }

  private func nextSchedule() -> Simulation.Options? {
    if let replay = plan.replay {
      schedule = 1
      return begin(strategy, chance: replay.chance, recordsTrace: true)
    }
    guard strategy.hasMore else {
      result.isComplete = true
      return nil
    }
    repeat {
      schedule += 1
    } while (schedule - 1) % plan.shard.count != plan.shard.index
      && !plan.strategy.isExhaustive
    guard schedule <= plan.schedules, !isTimeUp else { return nil }
    if plan.strategy.isExhaustive { return begin(strategy, chance: nil) }
    // The first is the one that runs without exploration.
    if result.run == 0 { return begin(first, chance: nil, recordsTrace: true) }
    let seed = mixed(plan.seed, UInt64(schedule))
    return begin(
      strategy, chance: schedule % 2 == 1 ? UInt32(seed & 0x3FFF_FFFF) : nil, seed: seed)
  }

  private var isTimeUp: Bool {
    guard let budget = plan.timeBudget, result.run > 0 else { return false }
    let spent = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
    return Duration.nanoseconds(Int64(spent)) >= budget
  }

  private func begin(
    _ strategy: any Strategy, chance: UInt32?, seed: UInt64 = 0, recordsTrace: Bool = false
  ) -> Simulation.Options {
    current = strategy
    self.chance = chance
    crashRecord?.begin(chance: chance)
    steering.begin(strategy, seed: seed, experience: experience, recordsTrace: recordsTrace)
    var options = plan.options
    options.steering = steering
    options.chance = chance.map { UInt64($0) }
    return options
  }

  private func replaying(_ found: Found) -> Replaying {
    Replaying(found.deviations, isStrict: true)
  }

  private func compare(
    _ trace: ScheduleTrace, again: Bool, isSure: Bool
  ) -> Simulation.Options? {
    let latest = steering.trace ?? ScheduleTrace()
    if isSure, let difference = TraceDifference(trace, latest) {
      // What is made once per process makes the first run differ, and nothing else.
      guard again else {
        phase = .comparing(latest, again: true)
        return begin(first, chance: nil, recordsTrace: true)
      }
      flaw = .notDeterministic(difference)
      phase = .done
      return nil
    }
    phase = .exploring
    return nextSchedule()
  }

  // MARK: The failing schedule

  private func shrinkOn(_ shrinking: inout Shrinking) -> Simulation.Options? {
    guard let next = shrinking.next() else { return finish(shrinking.found, shrinking) }
    phase = .shrinking(shrinking)
    var options = begin(next.strategy, chance: next.chance)
    // Nothing comes from outside, as the schedule has shown twice at full length.
    if shrinking.found.isSure { options.standstillPatience = .milliseconds(5) }
    return options
  }

  private func finish(_ found: Found, _ shrinking: Shrinking) -> Simulation.Options? {
    phase = .done
    final = (found, shrinking.best)
    return nil
  }

  private var final: (found: Found, best: Shrinking.Candidate)?

  /// The series has ended with a job that keeps its thread: what is known of its schedule.
  private func giveUp(_ fault: Fault) {
    phase = .done
    result.run += 1
    result.failed += 1
    let replay = ReplayString(
      test: plan.mark, chance: chance, deviations: Array(steering.deviations), fingerprint: nil)
    result.failure = ExplorationFailure(
      cause: fault.cause, schedule: schedule, strategy: current.name,
      whole: ScheduleTrace(), shrunk: ScheduleTrace(), replay: replay.text)
  }

  /// How to run the failing schedule for the last time, for its failures to be seen; nil if none
  /// failed.
  package func finalOptions() -> Simulation.Options? {
    guard let best = final?.best else { return nil }
    return begin(
      Replaying(best.deviations, isStrict: true), chance: best.chance, recordsTrace: true)
  }

  /// Takes the last run for the report.
  package func finishFinal() {
    guard let (found, best) = final else { return }
    current.end()
    crashRecord?.close()
    let replay = ReplayString(
      test: plan.mark, chance: best.chance, deviations: best.deviations,
      fingerprint: UInt16(truncatingIfNeeded: steering.fingerprint))
    result.failure = ExplorationFailure(
      cause: found.fault.cause, schedule: found.schedule, strategy: found.strategy,
      whole: found.whole, shrunk: steering.trace ?? ScheduleTrace(), replay: replay.text)
  }

  private var foundMisfit: ReplayMisfit? {
    if let misfit = (strategy as? Replaying)?.misfit { return .choice(misfit) }
    guard let fingerprint = plan.replay?.fingerprint,
      fingerprint != UInt16(truncatingIfNeeded: steering.fingerprint)
    else { return nil }
    return .steps
  }
}

/// How a replayed schedule differs from the one that was recorded.
package enum ReplayMisfit: Sendable, Equatable {
  case choice(Replaying.Misfit)
  /// It took other steps.
  case steps
}

/// Why schedules of a test cannot be told from each other.
package enum ExplorationFlaw: Sendable {
  /// Two runs of the usual schedule took different steps.
  case notDeterministic(TraceDifference)
  /// The usual schedule passed, and then failed.
  case passesOnce(Fault)
  /// A schedule failed, and then did not.
  case notReproduced(Fault, schedule: Int, TraceDifference?)
}
