import Sleepless
import VirtualTime

/// Connects the simulations of an exploration with its strategy: it knows which jobs can run, asks the
/// strategy for a choice, and records the choice.
///
/// Unchecked because one simulation at a time uses it, under its lock, and the exploration between
/// simulations.
package final class ScheduleController: @unchecked Sendable {
  private var strategy: any Strategy = FirstCome()
  private var fallback = SeededGenerator(seed: 0)
  private var runnable: ContiguousArray<Runnable> = []
  private var admitted: Int32 = 0
  /// The numbers of tasks whose creation the capture misses, by address.
  private var unregisteredTasks: [TaskPointer: Int] = [:]
  private var context = ChoiceContext()
  private var running: Int32 = -1
  /// The kind of the job that was chosen last.
  private var latestKind = ScheduleTrace.Kind.task
  private var streak = 0
  private var steps = 0
  private var fairAfter = Int.max
  private var isEnding = false
  private let crashRecord: CrashRecord?
  /// The task that is held while another one runs within its step.
  private var held: Int32 = -1
  /// How many calls before which others may run the running task has made in this step.
  private var calls = 0
  /// The code that has blocked its thread within a step. It is kept for all schedules of the exploration.
  private var blocking = BlockingCode()
  /// Whether a task blocked its thread within the step of another one in this schedule, so that the held task went on.
  /// Usually the blocked task waits for a lock of the held one. From then on the two run at the same time.
  private(set) var isUncontrolled = false
  /// Whether a wait for code outside took its whole timeout, in any schedule of the exploration.
  var hasWaitedInVain = false

  /// The choices of the schedule that departed from the default.
  private(set) var deviations: ContiguousArray<Deviation> = []
  /// A hash of the schedule: of the chosen task at each step, and of how many jobs could run.
  private(set) var fingerprint: UInt64 = 0
  /// A hash of everything by which two runs in the same order are compared, if that is wanted: the steps, their
  /// virtual times, the functions in which their tasks were suspended, and the jobs that became able to run.
  /// Addresses of code make it differ from process to process.
  private(set) var details: UInt64?
  /// Whether the schedule can be compared with another run in the same order. Code outside the simulation does not
  /// take the same time in both.
  private(set) var isComparable = true
  /// The turns of the schedule, if they are recorded.
  private(set) var turns: [Turn]?
  /// The places of the tasks that ran within the steps of others, if turns are recorded.
  private(set) var withinSteps: [PlaceWithinStep] = []
  /// The whole schedule, if it is recorded.
  private(set) var trace: ScheduleTrace?

  var choices: Int { context.choices }
  /// The number of the record of a crash; 0 if there is none.
  var crashRecordNumber: CInt { crashRecord?.number ?? 0 }
  var work: [UInt64: Int] { context.tasks.work }

  /// Whether the schedule is a recorded one.
  var isReplaying: Bool { strategy is Replaying }

  /// The task that the latest step was taken for.
  var served: Int? { running < 0 ? nil : Int(running) }

  init(crashRecord: CrashRecord?) { self.crashRecord = crashRecord }

  /// A task may be polling if it runs this often in a row while other jobs can run.
  private static let longestStreak = 100

  func begin(
    _ strategy: any Strategy, seed: UInt64, statistics: ExplorationStatistics,
    recordsTurns: Bool = false, recordsDetails: Bool = false, recordsTrace: Bool
  ) {
    self.strategy = strategy
    fallback = SeededGenerator(seed: ~seed)
    runnable.removeAll(keepingCapacity: true)
    deviations.removeAll(keepingCapacity: true)
    context.tasks.removeAll()
    unregisteredTasks.removeAll(keepingCapacity: true)
    (context.choices, context.chances, calls, isUncontrolled) = (0, 0, 0, false)
    (admitted, running, streak, steps, fingerprint, isEnding) = (0, -1, 0, 0, 0, false)
    // A schedule that is much longer than all schedules before may starve a task that others poll for.
    fairAfter = strategy.isFixed ? .max : 2_000 + 20 * statistics.choices
    turns = recordsTurns ? [] : nil
    details = recordsDetails ? 0 : nil
    isComparable = true
    withinSteps = []
    trace = recordsTrace ? ScheduleTrace() : nil
    strategy.begin(seed: seed, statistics: statistics)
  }

  func end() { strategy.end() }

  // MARK: While the simulation runs

  /// The number of a task whose creation the capture missed. For traces it begins with its first job.
  func number(ofUnregistered task: TaskPointer, at now: Instant) -> Int {
    if let number = unregisteredTasks[task] { return number }
    let number = unregisteredTasks.count
    unregisteredTasks[task] = number
    context.tasks.add(creator: -1)
    strategy.made(Int32(number), by: -1, in: context)
    trace?.tasks.append(
      ScheduleTrace.Participant(
        number: number, name: nil, creator: nil, instant: now.duration, code: 0))
    return number
  }

  /// Notes that the simulation has begun to cancel everything that is left. From now on the order is not
  /// explored.
  func beginEnding() { isEnding = true }

  func made(
    _ task: Int, by creator: Int?, name: String?, code: UInt, isBlock: Bool = false,
    isInStep: Bool = true, at now: Instant
  ) {
    let creator = Int32(creator ?? -1)
    context.tasks.add(creator: creator)
    strategy.made(Int32(task), by: creator, in: context)
    crashRecord?.noteTask(creator: creator, name: name)
    guard trace != nil else { return }
    var participant = ScheduleTrace.Participant(
      number: task, name: name, creator: creator < 0 ? nil : Int(creator), instant: now.duration,
      code: code)
    participant.isBlock = isBlock
    trace!.tasks.append(participant)
    if isInStep { note(.made(task)) }
  }

  /// Adds a job that can run. The task that an actor will run may be unknown. Most likely it is the task
  /// that ran last, which has just entered the actor.
  func admit(_ kind: ScheduleTrace.Kind, _ task: Int?, isFromOutside: Bool) {
    if isFromOutside { noteWorkOutside() }
    let likelyTask = isFromOutside ? -1 : running
    let task = task.map { Int32($0) } ?? (kind == .actor ? likelyTask : -1)
    let job = Runnable(task: task, number: admitted, kind: kind)
    runnable.append(job)
    admitted += 1
    noteDetails(of: job)
    context.tasks.addJob(of: task)
    strategy.added(job, in: context)
  }

  /// Whether the whole schedule is recorded.
  var recordsTrace: Bool { trace != nil }

  func note(_ effect: ScheduleTrace.Effect) {
    guard trace != nil, !isEnding, !trace!.steps.isEmpty else { return }
    trace!.steps[trace!.steps.count - 1].effects.append(effect)
  }

  /// Chooses the job that runs next, and removes it from those that can run.
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
    context.isStarving = streak >= Self.longestStreak
    let index =
      steps < fairAfter
      ? strategy.choose(among: runnable, in: context) : fallback.next(below: runnable.count)
    if index != context.defaultIndex {
      deviations.append(
        Deviation(choice: context.choices, index: Int32(index), width: Int32(runnable.count)))
    }
    crashRecord?.append(index)
    context.choices += 1
    context.chances = 0
    take(index, defaultIndex: context.defaultIndex)
    return index
  }

  /// Notes that the schedule depends on code outside the simulation.
  func noteWorkOutside() { isComparable = false }

  // MARK: Tasks that run within steps

  /// The function in which a task is suspended that runs within a step; 0 if unknown.
  typealias Function = UInt

  /// Takes the job that was added last, if the strategy runs it before the running task goes on, which has just woken or
  /// created its task. Returns the function in which that task is suspended; nil if the job is not taken.
  func takeWoken(_ task: Int, at now: Instant, functionOfTask: () -> Function) -> Function? {
    guard !isEnding, let last = runnable.last, last.task == Int32(task), last.kind == .task else {
      return nil
    }
    context.call = nil
    return takeWithinStep(runnable.count - 1, at: now, stack: [], functionOfTask: functionOfTask)
  }

  /// Notes that the running task has come to a call before which others may run. Returns nil if none does.
  func noteCall() -> CallPlace? {
    guard !isEnding, let task = context.tasks.place(of: running) else { return nil }
    calls += 1
    guard strategy.mayRunWithinSteps, !runnable.isEmpty, !isUncontrolled else { return nil }
    return CallPlace(caller: task, number: calls - 1)
  }

  /// Takes a job that runs before a call of the running task, if the strategy runs one there. Returns its index, and the
  /// function in which its task is suspended. `mayRun` returns whether the job at an index may run there.
  func takeJob(
    before call: inout HeldCall, at now: Instant, where mayRun: (Int) -> Bool,
    functionAt: (Int) -> Function
  ) -> (index: Int, function: Function)? {
    guard !isEnding, !runnable.isEmpty else { return nil }
    context.call = call.place
    // `index(ofNumber:)` returns the last job if none has such a number.
    for index in runnable.index(ofNumber: call.latestJob + 1)..<runnable.count {
      let job = runnable[index]
      // A task with two jobs has been cancelled in a sleep; the second one ends that.
      guard job.number > call.latestJob, job.kind == .task, context.tasks.contains(job.task),
        context.tasks.jobs(of: job.task) == 1, mayRun(index)
      else { continue }
      call.latestJob = job.number
      let taken = takeWithinStep(index, at: now, stack: call.stack) { functionAt(index) }
      if let taken { return (index, taken) }
    }
    return nil
  }

  private func takeWithinStep(
    _ index: Int, at now: Instant, stack: [UInt], functionOfTask: () -> Function
  ) -> Function? {
    let job = runnable[index]
    let chance = context.chances
    guard strategy.mayRunWithinSteps, !isUncontrolled, chance < Deviation.mostChances else {
      return nil
    }
    let isWanted = strategy.runsWithinStep(job.task, in: context)
    context.chances += 1
    guard isWanted else { return nil }
    let function = functionOfTask()
    // A recorded schedule is run as it was recorded.
    guard !blocking.contains(function, at: stack) || isReplaying else { return nil }
    deviations.append(Deviation(withinStep: chance, after: context.choices))
    crashRecord?.append(withinStep: chance)
    crashRecord?.noteStep(of: job.task, before: running, at: now.duration)
    runnable.remove(at: index)
    strategy.removed(job)
    // The bit that is always set tells this from a step: no number of jobs has it.
    let call = 1 << 31 | (context.call.map { UInt64($0.number) + 1 } ?? 0)
    if details != nil {
      noteDetails(of: job)
      noteDetails(at: now.duration)
      noteDetails(UInt64(function))
      noteDetails(call)
    }
    if turns != nil, let place = context.placeWithinStep(of: job.task) { withinSteps.append(place) }
    steps += 1
    context.tasks.step(job.task)
    fingerprint = mixed(fingerprint, UInt64(UInt32(bitPattern: job.task)) << 32 | call)
    trace?.steps.append(
      ScheduleTrace.Step(
        instant: now.duration,
        runnable: [
          ScheduleTrace.Candidate(kind: .task, task: served),
          ScheduleTrace.Candidate(kind: .task, task: Int(job.task)),
        ], chosen: 1, defaultIndex: 0, frames: [function], heldTask: served))
    held = running
    running = job.task
    return function
  }

  /// Notes that the held task goes on, because the other one has been suspended.
  func endWithinStep() { running = held }

  /// Notes that the held task goes on, because the other one has resumed in a function and blocks its thread. This
  /// schedule is no longer controlled then. In the rest of the exploration a task that is suspended in that function
  /// does not run while a task is held in a call with that stack.
  func endWithinStep(_ reason: BlockingCode.Reason, in function: Function, at stack: [UInt]) {
    endWithinStep()
    blocking.insert(function, at: stack, reason)
    isUncontrolled = true
  }

  private func take(_ index: Int, defaultIndex: Int) {
    let next = runnable[index]
    steps += 1
    calls = 0
    streak = next.task == running && runnable.count > 1 ? streak + 1 : 0
    running = next.task
    latestKind = next.kind
    crashRecord?.noteStep(of: next.task, at: nextStep.instant)
    context.tasks.step(next.task)
    if turns != nil { noteTurn(isSwitch: index != defaultIndex) }
    let width = UInt64(runnable.count)
    fingerprint = mixed(fingerprint, UInt64(UInt32(bitPattern: next.task)) << 32 | width)
    noteDetails(of: next)
    if trace != nil { record(index, defaultIndex: defaultIndex) }
    if index == runnable.count - 1 { runnable.removeLast() } else { runnable.remove(at: index) }
    strategy.removed(next)
  }

  private func noteTurn(isSwitch: Bool) {
    let place = context.tasks.place(of: running) ?? .unknown
    let last = turns!.count - 1
    if !isSwitch, last >= 0, turns![last].task == place.task {
      turns![last].end.steps = place.steps
    } else {
      if isSwitch, last >= 0 { turns![last].isCut = true }
      turns!.append(Turn(end: place))
    }
  }

  /// The index of a job of the task that ran last, unless that task may be polling; else of the first job.
  private var defaultIndex: Int {
    guard running >= 0 else { return 0 }
    if streak >= Self.longestStreak {
      return runnable.firstIndex { $0.task != running } ?? 0
    }
    // Mostly it has one job, and that came last. Looking at all jobs at each choice would cost the
    // square of their number.
    let jobs = context.tasks.contains(running) ? context.tasks.jobs(of: running) : runnable.count
    if jobs == 0 { return 0 }
    if jobs > 1 { return runnable.firstIndex { $0.task == running } ?? 0 }
    var index = runnable.count - 1
    while runnable[index].task != running { index -= 1 }
    return index
  }

  // MARK: Traces

  private var nextStep: (instant: Duration, frames: [UInt]) = (.zero, [])

  /// Notes the instant of the next step.
  func prepare(at now: Instant) {
    nextStep.instant = now.duration
    if details != nil { noteDetails(at: now.duration) }
  }

  private func record(_ index: Int, defaultIndex: Int) {
    trace!.steps.append(
      ScheduleTrace.Step(
        instant: nextStep.instant,
        runnable: runnable.map {
          ScheduleTrace.Candidate(kind: $0.kind, task: $0.task < 0 ? nil : Int($0.task))
        }, chosen: index, defaultIndex: defaultIndex))
  }

  /// Notes the functions in which the task of the chosen job is suspended, for traces and comparisons.
  func located(at frames: (_ task: Int) -> [UInt]) {
    guard trace != nil || details != nil, !isEnding, latestKind != .alarm, let task = served else {
      return
    }
    let frames = frames(task)
    for frame in frames { noteDetails(UInt64(frame)) }
    if trace != nil { trace!.steps[trace!.steps.count - 1].frames = frames }
  }

  // MARK: Comparisons

  private func noteDetails(_ value: UInt64) {
    guard let details, !isEnding else { return }
    self.details = mixed(details, value)
  }

  private func noteDetails(of job: Runnable) {
    guard details != nil else { return }
    let kind: UInt64 =
      switch job.kind {
      case .task: 0
      case .actor: 1
      case .alarm: 2
      }
    noteDetails(UInt64(UInt32(bitPattern: job.task)) << 2 | kind)
  }

  private func noteDetails(at instant: Duration) {
    let (seconds, attoseconds) = instant.components
    noteDetails(UInt64(bitPattern: seconds))
    noteDetails(UInt64(bitPattern: attoseconds))
  }
}
