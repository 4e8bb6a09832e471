import CRuntimeHooks
import Sleepless
import VirtualTime

/// What a simulation knows and decides; the executor round it holds the lock and does what comes out.
///
/// What each step does is `@_transparent`, here and in the types it is made of, for the sake of debug
/// builds; `.github/CONTRIBUTING.md` says what that brings.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct SimulationState: ~Copyable {
  enum Phase {
    /// The body and what it started run.
    case running
    /// Everything has been cancelled and may run to its end; how long that takes does not count.
    case ending
    /// Over. Jobs that come all the same are somebody else's.
    case closed
    /// Over, and what its tasks hold may be gone: jobs that come all the same must never run.
    case dead
  }

  /// What the driver is to do next.
  enum Step {
    case run(Job)
    /// Serves those who are in an actor's own queue, or ends a sleep of no time.
    case serve(Job)
    /// Moves time to the next deadline.
    case moveTime
    /// Moves time to where an `advance` wanted it, at which nothing is due, and ends that; nil if it
    /// is the host's.
    case reach(Instant, UnsafeContinuation<Void, Never>?)
    case resume([UnsafeContinuation<Void, Never>])
    /// Tells of the step that has been taken.
    case tellWatchers
    /// A task is at work on somebody else's thread, or about to be: nothing may happen until it has
    /// come to rest or back.
    case letOthersWork
    /// Nothing can run until something comes from outside; `isExpected` if that is likely.
    case wait(isExpected: Bool)
    case end(Ending)
  }

  enum Ending {
    case finished
    case deadlock
    case tooManySteps
    case tooLate
    /// Its time was over.
    case blocked
  }

  let options: Simulation.Options
  /// Who decides which job goes next, instead of the order; nil once it is over.
  var controller: ScheduleController?
  /// Whether code of the program may be at work where nobody sees it.
  let isBlind: Bool
  var ready: ReadyJobs
  var tasks = TaskTable()
  var phase = Phase.running
  var bodyHasEnded = false
  /// The timeline's time, after the latest drive.
  var now = Instant.start
  var steps = 0
  var stepLimit: Int
  var externalResumptions = ExternalResumptions()
  /// How often, a millisecond each, the simulation still waits for tasks at work elsewhere; after
  /// that it goes on without them.
  var waitsForOthers: Int
  /// The tasks that wait in `outside` for work that is none of the simulation's.
  var outsideCalls = 0
  /// The tasks that wait for what only code outside can do, see `Simulation.waitForOutside`.
  var waitingForOutside: Set<TaskPointer> = []
  /// Whether code that is no task is making background tasks.
  var makesBackground = false
  var settlers: [UnsafeContinuation<Void, Never>] = []
  /// Those that wait until nothing can run before time moves.
  var settlersAtThisInstant: [UnsafeContinuation<Void, Never>] = []
  var advances: [(target: Instant, continuation: UnsafeContinuation<Void, Never>)] = []
  /// What a synchronous test drives the simulation for; it takes the end for the answer.
  var request: HostRequest?
  /// What is done, once each, before a deadlock is declared.
  var deadlockHandlers: [@Sendable () -> Void] = []
  /// Helpers of ours that wait for a change, see `SimulationWatch`.
  var waits: [SimulationWatch.Wait] = [] {
    didSet { isAnybodyWaiting = !waits.isEmpty }
  }
  /// The tasks they run in.
  var watchingTasks: Set<TaskPointer> = [] {
    didSet { isAnybodyWatching = !watchingTasks.isEmpty }
  }
  // Each step asks for these, and a collection is asked by generic code.
  private var isAnybodyWaiting = false
  private var isAnybodyWatching = false
  /// How many of them are looking just now.
  var evaluations = 0
  /// The number of the latest step that may have changed something that a helper looks at.
  private(set) var lastEvent = 0
  var actorWaitQueues = ActorWaitQueues()
  /// The job that is in an actor, or about to be, maybe on somebody else's thread.
  var jobInActor: Job?
  /// Whether the task whose job is in an actor is on its way to somewhere else.
  var taskLeavesActor = false
  /// What actors have to do for those that have come to them unseen; it keeps nobody waiting.
  var drainJobs = JobQueue()
  /// What ends the sleeps that take no time.
  var dueAlarms = DueAlarms()
  /// What the driver has taken to run, and what is known of it until it ends.
  private(set) var running: TaskPointer?
  private(set) var runningEntry: TaskTable.EntryPointer?
  /// Whether that can run again by now.
  var runningIsReady = false
  /// Whether what runs is not the main actor's, though it runs on the main thread.
  var borrowsMain = false
  /// Whether the driver waits for the main actor to let it in.
  var waitsForMain = false
  /// The driver, when it waits for something from outside.
  var driver: UnsafeContinuation<Void, Never>?
  /// What each clock of the standard library would have shown at the start.
  var clockStarts: [CInt: Duration] = [:]
  /// Who wants to know of each step.
  var watchers: [@Sendable (Simulation, StepNote) -> Void] = []
  var isWatched = false
  /// The step that was taken last, if somebody wants to know.
  var latest: StepNote?
  /// Which task took which step, if the options ask for it.
  var trace: [StepRecord] = []

  init(_ options: Simulation.Options, isBlind: Bool) {
    self.options = options
    controller = options.controller
    self.isBlind = isBlind
    stepLimit = options.stepLimit
    waitsForOthers = isBlind ? 0 : Int(options.timeout / .milliseconds(1))
    ready = ReadyJobs(seed: options.order.seed)
    if let watcher = options.afterStep { watch(watcher) }
  }

  /// Whether what its tasks hold may be gone.
  @_transparent
  var isDead: Bool { if case .dead = phase { true } else { false } }

  mutating func watch(_ watcher: @escaping @Sendable (Simulation, StepNote) -> Void) {
    watchers.append(watcher)
    isWatched = true
  }

  /// Decides what comes next, if that does not depend on what is due.
  @_transparent
  mutating func next() -> Step? {
    switch phase {
    case .running, .ending: break
    case .closed, .dead: return .end(.blocked)
    }
    if drainJobs.count > 0 { return .serve(drainJobs.takeFirst()) }
    guard jobInActor == nil else { return waitsForOthers > 0 ? .letOthersWork : .end(.blocked) }
    if dueAlarms.count > 0, let alarm = dueAlarms.takeOfSuspended() { return .serve(alarm) }
    if isWatched, latest != nil { return .tellWatchers }
    noteLeaving()
    if isAnybodyWaiting {
      let news = takeNews()
      if !news.isEmpty { return .resume(news) }
    }
    if !ready.isEmpty { return takeStep() ? .run(takeJob()) : .end(.tooManySteps) }
    if waitsForOthers > 0, tasks.isAnyAtWork { return .letOthersWork }
    if dueAlarms.count > 0 { return .serve(dueAlarms.takeFirst()) }
    if !settlersAtThisInstant.isEmpty {
      defer { settlersAtThisInstant = [] }
      return .resume(settlersAtThisInstant)
    }
    if case .settleAtThisInstant = request { return .end(.finished) }
    if phase == .running, bodyHasEnded { return .end(.finished) }
    if outsideCalls > 0 { return .wait(isExpected: true) }
    if !waitingForOutside.isEmpty { return .wait(isExpected: options.controller == nil) }
    return nil
  }

  /// Decides what comes next if nothing can run; `due` is when something is, and `count` how much is to
  /// come.
  mutating func next(due: Instant?, of count: Int) -> Step {
    if phase == .ending { return nextOfEnding(due: due) }
    var target = advances.min { $0.target < $1.target }?.target
    if case .advance(let instant) = request { target = min(target ?? instant, instant) }
    if let instant = watchedUntil { target = min(target ?? instant, instant) }
    let isManual = options.time == .manual
    // Others' sleeps keep nobody waiting who waits for rest, nor does work that is never due.
    let isAtRest =
      isManual || (target == nil && (due == nil || count == tasks.backgroundSleeps))
    if isAtRest, !settlers.isEmpty {
      defer { settlers = [] }
      return .resume(settlers)
    }
    if isAtRest, case .settle = request { return .end(.finished) }
    // Who waits for what may never come goes no further than that, and nowhere if nothing is due.
    if !isManual, due != nil, let instant = watchesGiveUpAt {
      target = min(target ?? instant, instant)
    }
    if let due, due <= target ?? (isManual ? .start : .last), !isManual || target != nil {
      if let limit = options.timeLimit, due > Instant(limit) { return .end(.tooLate) }
      return moveTime()
    }
    if let target { return .reach(target, takeAdvance(to: target)) }
    return .wait(isExpected: isBlind || externalResumptions.count > 0)
  }

  /// Notes where the task is that ran last, if it has neither been suspended nor come back nor ended.
  @_transparent
  private mutating func noteLeaving() {
    if let entry = runningEntry, !runningIsReady, !isBlind,
      sleepless_can_run(entry.pointee.task.address)
    {
      tasks.leave(entry)
    }
    forgetRunning()
    runningIsReady = false
  }

  /// Notes that what the driver took to run last does not run any more.
  @_transparent
  mutating func forgetRunning() {
    running = nil
    runningEntry = nil
  }

  /// Forgets a task that has ended, and returns what was known of it.
  mutating func remove(_ task: TaskPointer) -> TaskTable.Entry? {
    if task == running { runningEntry = nil }
    return tasks.remove(task)
  }

  /// When everything has been cancelled, nobody waits any more for rest or for a certain time.
  private mutating func nextOfEnding(due: Instant?) -> Step {
    let waits = takeWaits { _ in true }.map { $0.ending(.cancelled) }
    let waiting = settlers + settlersAtThisInstant + advances.map(\.continuation) + waits
    if !waiting.isEmpty {
      settlers = []
      settlersAtThisInstant = []
      advances = []
      return .resume(waiting)
    }
    if due != nil { return moveTime() }
    let mayComeBack = !tasks.isEmpty && externalResumptions.count > 0
    return mayComeBack ? .wait(isExpected: false) : .end(.finished)
  }

  /// Whether a job is part of what a watch does itself: certainly, or maybe, if it is an actor's,
  /// of which nothing tells for whom it is. What is missed so is noticed when nothing else happens.
  @_transparent
  private func isWatching(_ job: Job) -> Bool {
    guard isAnybodyWatching else { return false }
    return job.isTask ? watchingTasks.contains(job.task) : evaluations > 0
  }

  private mutating func moveTime() -> Step {
    guard takeStep() else { return .end(.tooManySteps) }
    lastEvent = steps
    return .moveTime
  }

  /// Who wanted time to move there; nil if it was the host.
  private mutating func takeAdvance(to target: Instant) -> UnsafeContinuation<Void, Never>? {
    if let index = advances.firstIndex(where: { $0.target == target }) {
      return advances.remove(at: index).continuation
    }
    guard let index = waits.firstIndex(where: { $0.deadline == target }) else { return nil }
    return waits.remove(at: index).ending(.reached)
  }

  mutating func takeDeadlockHandlers() -> [@Sendable () -> Void] {
    defer { deadlockHandlers = [] }
    let waits = takeWaits { _ in true }
    return deadlockHandlers + waits.map { wait in { wait.end(.nothingMore) } }
  }

  /// Takes the job that goes next, and notes that it runs.
  @_transparent
  private mutating func takeJob() -> Job {
    let job = controller == nil ? ready.takeNext() : takeChosen()
    if let actor = job.actor {
      if let next = actorWaitQueues.dequeue(to: actor) { append(next, isFromOutside: false) }
      jobInActor = job
      taskLeavesActor = false
    }
    if !isWatching(job) { lastEvent = steps }
    if isWatched { latest = note(of: job) }
    running = job.task
    runningEntry = job.isTask ? tasks.find(job.task) : nil
    if let entry = runningEntry { entry.pointee.run(at: now) }
    if options.recordsSteps {
      trace.append(StepRecord(task: runningEntry?.pointee.number, instant: now))
    }
    return job
  }

  @inline(never)
  private mutating func takeChosen() -> Job {
    let controller = controller!
    controller.prepare(at: now)
    let job = ready.take(at: controller.choose())
    controller.located { waiter in
      if job.isTask { return suspendedFrames(of: job.task) }
      // The actor is about to let its guest go on.
      let task = tasks.unfinished.first { $0.number == waiter }?.task
      return task.map(suspendedFrames) ?? []
    }
    return job
  }

  private func note(of job: Job) -> StepNote {
    let report = job.isTask ? suspension(of: job.task)?.report : nil
    return StepNote(
      step: steps, instant: now.duration, task: report?.number ?? controller?.served, report: report
    )
  }

  /// Takes in a job that can run now.
  @_transparent
  mutating func makeReady(_ job: Job, isFromOutside: Bool = false) {
    if !isBlind, !job.isTask, sleepless_is_drain_job(job.task.address) {
      return drainJobs.append(job)
    }
    if controller != nil, !isFromOutside { tellController(waking: job) }
    if let actor = job.actor, !actorWaitQueues.bring(job, to: actor) { return }
    append(job, isFromOutside: isFromOutside)
  }

  @_transparent
  private mutating func append(_ job: Job, isFromOutside: Bool) {
    ready.append(job)
    if controller != nil { tellController(of: job, isFromOutside: isFromOutside) }
  }

  @inline(never)
  private func tellController(of job: Job, isFromOutside: Bool) {
    let task = number(of: job)
    controller!.admit(task == nil ? .actor : .task, task, isFromOutside: isFromOutside)
  }

  @inline(never)
  private func tellController(waking job: Job) {
    guard let task = number(of: job) else { return }
    controller!.woken(task) { TaskPointer.current.flatMap { tasks[$0]?.number } }
  }

  private func number(of job: Job) -> Int? {
    guard job.isTask else { return nil }
    return tasks[job.task]?.number
      ?? (isBlind ? controller!.number(ofUnregistered: job.task) : nil)
  }

  /// Whether there is anything to do at once.
  var hasJobs: Bool { !ready.isEmpty || dueAlarms.count > 0 }

  /// Takes in the job that ends a task's sleep.
  mutating func makeReady(alarm: UnownedJob, of sleeper: Int?) {
    ready.append(Job(alarm, place: .anywhere))
    controller?.admit(.alarm, sleeper, isFromOutside: false)
  }

  @_transparent
  private mutating func takeStep() -> Bool {
    steps += 1
    return steps <= stepLimit
  }
}

/// What a synchronous test can drive its simulation for.
enum HostRequest {
  case settle
  case settleAtThisInstant
  case advance(to: Instant)
}

/// How often something outside made a task able to run, and which tasks.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct ExternalResumptions {
  private(set) var count = 0
  private(set) var tasks: [Suspension] = []

  var wantsTasks: Bool { tasks.count < 10 }

  mutating func add(_ task: Suspension?) {
    count += 1
    if let task { tasks.append(task) }
  }
}

/// The step that a simulation has just taken, for whoever watches it.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
package struct StepNote: Sendable {
  /// Counted from 1.
  package let step: Int
  package let instant: Duration
  /// The task that ran, or that an actor served first; nil if unknown.
  package let task: Int?
  /// The task as it was before the step; nil if an actor ran, or the runtime.
  package let report: Simulation.TaskReport?
}

/// One step of a simulation: which task ran, nil for an actor's or the runtime's own job, and when.
package struct StepRecord: Equatable, Sendable {
  package let task: Int?
  package let instant: Instant
}
