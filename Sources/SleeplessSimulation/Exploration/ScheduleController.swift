import Sleepless
import VirtualTime

/// What stands between the simulations of an exploration and its strategy: it knows who can run, asks
/// the strategy, and writes down what it chose.
///
/// Unchecked because it belongs to one simulation at a time, which touches it under its lock; between
/// simulations the exploration has it.
package final class ScheduleController: @unchecked Sendable {
  private var strategy: any Strategy = FirstCome()
  private var fallback = SeededGenerator(seed: 0)
  private var runnable: ContiguousArray<Runnable> = []
  private var admitted: Int32 = 0
  /// Where tasks are not seen to be made they are known by their addresses.
  private var unregisteredTasks: [TaskPointer: Int] = [:]
  private var context = ChoiceContext()
  private var running: Int32 = -1
  private var streak = 0
  private var steps = 0
  private var fairAfter = Int.max
  private var isEnding = false
  private let crashRecord: CrashRecord?

  /// The choices of the schedule that differed from the usual ones.
  private(set) var deviations: ContiguousArray<Deviation> = []
  /// Tells schedules apart: made of who ran, step by step, where others could have.
  private(set) var fingerprint: UInt64 = 0
  /// The whole schedule, if it is wanted.
  private(set) var trace: ScheduleTrace?

  var choices: Int { context.choices }
  var work: [UInt64: Int] { context.tasks.work }

  /// The task that the latest step was taken for.
  var served: Int? { running < 0 ? nil : Int(running) }

  init(crashRecord: CrashRecord?) { self.crashRecord = crashRecord }

  /// A task that could go on as often as this while others wait may be polling.
  private static let timeout = 100

  func begin(
    _ strategy: any Strategy, seed: UInt64, statistics: ExplorationStatistics, recordsTrace: Bool
  ) {
    self.strategy = strategy
    fallback = SeededGenerator(seed: ~seed)
    runnable.removeAll(keepingCapacity: true)
    deviations.removeAll(keepingCapacity: true)
    context.tasks.removeAll()
    unregisteredTasks.removeAll(keepingCapacity: true)
    context.choices = 0
    (admitted, running, streak, steps, fingerprint, isEnding) = (0, -1, 0, 0, 0, false)
    // What runs so much longer than ever before may be waiting for somebody unlucky.
    fairAfter =
      strategy is Exhaustive || strategy is Replaying
      ? .max : 2_000 + 20 * statistics.choices
    trace = recordsTrace ? ScheduleTrace() : nil
    strategy.begin(seed: seed, statistics: statistics)
  }

  func end() { strategy.end() }

  // MARK: While the simulation runs

  /// A number for a task that nobody saw being made.
  func number(ofUnregistered task: TaskPointer) -> Int {
    if let number = unregisteredTasks[task] { return number }
    unregisteredTasks[task] = unregisteredTasks.count
    return unregisteredTasks.count - 1
  }

  /// The simulation has begun to cancel what is left; the order of that is not explored.
  func beginEnding() { isEnding = true }

  func made(_ task: Int, by creator: Int?, name: String?, code: UInt, at now: Instant) {
    let creator = Int32(creator ?? -1)
    context.tasks.add(creator: creator)
    strategy.made(Int32(task), by: creator, in: context)
    guard trace != nil else { return }
    trace!.tasks.append(
      ScheduleTrace.Participant(
        number: task, name: name, creator: creator < 0 ? nil : Int(creator),
        instant: now.duration, code: code))
    note(.made(task))
  }

  /// Somebody can run. Whom an actor serves may not be known; who has just gone there, most likely.
  func admit(_ kind: ScheduleTrace.Kind, _ task: Int?, isFromOutside: Bool) {
    let actorsGuest = isFromOutside ? -1 : running
    let task = task.map { Int32($0) } ?? (kind == .actor ? actorsGuest : -1)
    runnable.append(Runnable(task: task, number: admitted, kind: kind))
    admitted += 1
  }

  /// A task can go on, if only behind others; `waker` tells who is the current one, and is asked for
  /// traces alone.
  func woken(_ task: Int, by waker: () -> Int?) {
    if trace != nil { note(.woke(task, by: waker())) }
  }

  func note(_ effect: ScheduleTrace.Effect) {
    guard trace != nil, !isEnding, !trace!.steps.isEmpty else { return }
    trace!.steps[trace!.steps.count - 1].effects.append(effect)
  }

  /// Chooses who goes next, and takes it out of those who can run.
  func choose() -> Int {
    guard !isEnding else {
      runnable.removeFirst()
      return 0
    }
    if runnable.count == 1 {
      take(0, defaultIndex: 0)
      return 0
    }
    context.defaultIndex = defaultIndex
    context.latest = running
    context.isStarving = streak >= Self.timeout
    let index =
      steps < fairAfter
      ? strategy.choose(among: runnable, in: context) : fallback.next(below: runnable.count)
    if index != context.defaultIndex {
      deviations.append(
        Deviation(choice: context.choices, index: Int32(index), width: Int32(runnable.count)))
    }
    crashRecord?.append(index)
    context.choices += 1
    take(index, defaultIndex: context.defaultIndex)
    return index
  }

  private func take(_ index: Int, defaultIndex: Int) {
    let next = runnable[index]
    steps += 1
    streak = next.task == running && runnable.count > 1 ? streak + 1 : 0
    running = next.task
    context.tasks.step(next.task)
    let width = UInt64(runnable.count)
    fingerprint = mixed(fingerprint, UInt64(UInt32(bitPattern: next.task)) << 32 | width)
    if trace != nil { record(index, defaultIndex: defaultIndex) }
    if index == runnable.count - 1 { runnable.removeLast() } else { runnable.remove(at: index) }
  }

  /// Who ran last goes on, unless that has been so for very long; else first come, first served.
  private var defaultIndex: Int {
    guard running >= 0 else { return 0 }
    if streak >= Self.timeout {
      return runnable.firstIndex { $0.task != running } ?? 0
    }
    return runnable.firstIndex { $0.task == running } ?? 0
  }

  // MARK: Traces

  private var nextStep: (instant: Duration, frames: [UInt]) = (.zero, [])

  /// Says when and where the next step begins; only a trace wants to know.
  func prepare(at now: Instant) { nextStep.instant = now.duration }

  private func record(_ index: Int, defaultIndex: Int) {
    trace!.steps.append(
      ScheduleTrace.Step(
        instant: nextStep.instant,
        runnable: runnable.map {
          ScheduleTrace.Candidate(kind: $0.kind, task: $0.task < 0 ? nil : Int($0.task))
        }, chosen: index, defaultIndex: defaultIndex))
  }

  /// Says where the task that has just been chosen goes on.
  func located(at frames: (_ task: Int) -> [UInt]) {
    guard trace != nil, !isEnding, let last = trace!.steps.last, last.candidate.kind != .alarm,
      let task = last.candidate.task
    else { return }
    trace!.steps[trace!.steps.count - 1].frames = frames(task)
  }
}
