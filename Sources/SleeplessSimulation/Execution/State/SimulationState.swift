import CRuntimeHooks
import Sleepless
import VirtualTime

/// The state of a simulation, and its decisions: where a job goes, and what the driver does next.
///
/// `SimulationExecutor` holds the lock and carries the decisions out after unlocking. Jobs are queued in
/// `SimulationState+Admission`; `next()`, `takeWoken(_:)` and `takeJob(before:)` take them out of the
/// queue.
///
/// The functions that each step calls are `@_transparent`, here and in the types of the properties, for
/// the sake of debug builds; `.github/CONTRIBUTING.md` says what that gains.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct SimulationState: ~Copyable {
  /// How far the simulation has come.
  enum Phase {
    /// The tasks run, and none has been cancelled by the simulation: from the start until nothing can
    /// go on, or the body has ended and nothing else can run at that instant.
    case running
    /// All tasks have been cancelled and run to their ends, however much virtual time that takes. No step
    /// follows the one with the number `stepLimit`.
    case ending(stepLimit: Int)
    /// The simulation is over. A job that arrives goes to the executor that would have run it without
    /// the simulation.
    case closed
    /// The simulation is over, and a job that arrives must never run: the body was only lent, so that objects
    /// which its tasks retain may have been freed, or too many threads are blocked.
    case dead

    @_transparent
    var isDead: Bool { if case .dead = self { true } else { false } }

    /// Whether the simulation is closed or dead.
    @_transparent
    var isOver: Bool {
      switch self {
      case .running, .ending: false
      case .closed, .dead: true
      }
    }
  }

  /// What the driver does next.
  enum Step: Sendable {
    case run(Job)
    /// Runs a job that is no step of its own: it empties an actor's own queue, or ends a sleep of zero.
    case runUncounted(Job)
    /// Moves time to the next deadline.
    case moveTime
    /// Moves time to the target of a request, at which nothing is due, and meets the request: resumes
    /// the continuation or, if that is nil, returns to the synchronous test.
    case reach(Instant, UnsafeContinuation<Void, Never>?)
    case resume([UnsafeContinuation<Void, Never>])
    /// Tells the watchers of the latest step.
    case tellWatchers
    /// Lets a wait of the test framework, which has been decided, return.
    case endWait(FrameworkWait)
    /// Evaluates the conditions of the framework's waits, before time moves.
    case evaluate([FrameworkWait])
    /// Waits until a task that runs on a thread of another executor, or is about to, has been suspended
    /// or has been enqueued in the simulation.
    case waitForOtherThreads
    /// Waits until code outside resumes a task, as nothing else can run; `isExpected` if that is likely.
    case waitForOutside(isExpected: Bool)
    /// Tries again what threads and blocks wait for, as nothing else can run.
    case tryWaitsAgain
    /// Gives the turn back to the simulation's own driver; see `BlockedThreads`.
    case giveTurnBack
    /// Nothing: the chosen job cannot run yet.
    case goOn
    case end(Ending)
  }

  enum Ending {
    case finished
    case deadlock
    case tooManySteps
    case tooLate
    case givenUp(because: String)
    case tooManyBlockedThreads
    /// A job, or the main actor, did not return for as long as the timeout allows.
    case blocked

    var isFinished: Bool { if case .finished = self { true } else { false } }
    var isDeadlock: Bool { if case .deadlock = self { true } else { false } }
  }

  let options: Simulation.Options
  /// Whether the capture misses tasks; see `Capture.isWholeProcess`.
  let missesTasks: Bool
  /// Whether blocks on queues of Dispatch run in the simulation.
  let followsQueues: Bool
  /// Whether code of the simulation has used such a queue. If not, no block can be left at the end.
  var hasUsedQueues = false
  /// Chooses which job runs next, if the order does not; nil once the simulation is over.
  var controller: ScheduleController? { didSet { isExplored = controller != nil } }
  /// Whether there is a controller. To look at this one retains nothing.
  private(set) var isExplored: Bool
  /// Whether the next job is chosen among those that can run. Otherwise they run first come, first served.
  let isOrderChosen: Bool

  var phase = Phase.running
  var bodyHasEnded = false
  var steps = 0
  /// No step follows the one with this number, unless the simulation is about to end.
  private(set) var stepLimit: Int
  /// The end, if the simulation is given up before its limit of steps.
  private var earlyEnding: Ending?
  /// The timeline's time after its latest move.
  var now = Instant.start
  /// How often time has moved.
  private(set) var moves = 0

  // MARK: Jobs, from the queue for an actor to the running one

  var actorWaitQueues = ActorWaitQueues()
  var ready: ReadyJobs
  /// The jobs that empty an actor's own queue. They run at once and uncounted.
  var drainJobs = JobQueue()
  var dueAlarms = DueAlarms()
  var running = RunningJob()
  var inActor = JobInActor()
  /// The task within whose step the running job runs; see `JobWithinStep`.
  var heldTask: TaskPointer?
  /// How many calls are under way whose real time the watchdog does not count; see `Simulation.unwatched`.
  var unwatchedCalls = 0

  // MARK: Tasks

  var tasks = TaskTable()
  /// Whether code that runs in no task is creating background tasks.
  var createsBackgroundTasks = false
  var driver = DriverState.driving

  // MARK: Waits

  var requests = TimeRequests()
  var helpers = HelperWaits()
  var waits = FrameworkWaits()
  var blocked = BlockedThreads()
  /// How many steps there had been when the waits of blocked threads were tried again.
  private var stepOfLatestTry = 0
  var dispatchQueues = DispatchQueues()
  var outside: OutsideWork

  /// What the executor keeps for the code of others; nil before the first use.
  var kept: Locked<KeptObjects>?
  /// How the simulation was when it ended first, before its tasks were cancelled.
  var firstEnd: EndState?
  /// The tasks that were left when the simulation was closed, as they were then; nil before. They run outside it since,
  /// on any thread, so nothing of the simulation may read their memory.
  var tasksLeft: [Simulation.TaskReport]?

  // MARK: Clocks and records

  var clocks = ClockReadings()
  var watchers: StepWatchers
  /// Which task took which step, if the options ask for it.
  var trace: [StepRecord] = []

  init(_ options: Simulation.Options, missesTasks: Bool, followsQueues: Bool) {
    self.options = options
    self.missesTasks = missesTasks
    self.followsQueues = followsQueues
    stepLimit = options.stepLimit
    controller = options.controller
    isExplored = options.controller != nil
    isOrderChosen = isExplored || options.order.seed != nil
    outside = OutsideWork(
      millisecondsLeft: missesTasks ? 0 : Int(options.timeout / .milliseconds(1)))
    ready = ReadyJobs(seed: options.order.seed, areChosen: options.controller != nil)
    watchers = StepWatchers(options.afterStep)
  }

  // MARK: The next step

  /// Decides what the driver does next; nil if that depends on the timeline.
  @_transparent
  mutating func next() -> Step? {
    if blocked.driverWaitsForTurn { return .giveTurnBack }
    switch phase {
    case .running, .ending: break
    case .closed, .dead: return .end(.blocked)
    }
    if drainJobs.count > 0 {
      running.isOnMain = false
      return .runUncounted(drainJobs.takeFirst())
    }
    guard inActor.job == nil else {
      return outside.millisecondsLeft > 0 ? .waitForOtherThreads : .end(.blocked)
    }
    if dueAlarms.count > 0, let alarm = dueAlarms.takeOfSuspended() { return .runUncounted(alarm) }
    if watchers.isAny, watchers.hasPending { return .tellWatchers }
    endRunningJob()
    if waits.isAnyDecided { return .endWait(waits.takeDecided()) }
    if helpers.isAnyWaiting {
      let outdated = helpers.takeOutdated()
      if !outdated.isEmpty { return .resume(outdated) }
    }
    if !ready.isEmpty {
      guard takeStep() else { return .end(endingWithoutStep) }
      // No `map`: it is generic code, which is slow in a debug build.
      if let job = takeJob() { return .run(job) }
      return .goOn
    }
    if outside.millisecondsLeft > 0, tasks.isAnyRunningElsewhere { return .waitForOtherThreads }
    if dueAlarms.count > 0 { return .runUncounted(dueAlarms.takeFirst()) }
    if stepOfLatestTry != steps, sleepless_is_any_waiter() {
      stepOfLatestTry = steps
      return .tryWaitsAgain
    }
    if waits.isAny {
      let unevaluated = waits.takeUnevaluated(at: steps)
      if !unevaluated.isEmpty { return .evaluate(unevaluated) }
    }
    if !requests.settlesAtThisInstant.isEmpty {
      return .resume(requests.takeSettlesAtThisInstant())
    }
    if case .settleAtThisInstant = requests.host { return .end(.finished) }
    if bodyHasEnded, case .running = phase { return .end(.finished) }
    if outside.calls > 0 { return .waitForOutside(isExpected: true) }
    if outside.isAnyTaskWaiting {
      return .waitForOutside(isExpected: options.controller?.hasWaitedInVain != true)
    }
    return nil
  }

  /// Decides what the driver does next if no job can run.
  ///
  /// `due` is the instant at which something is due next, and `count` how much is pending.
  mutating func next(due: Instant?, of count: Int) -> Step {
    if case .ending = phase { return nextOfEnding(due: due) }
    var target = requests.target
    if let instant = helpers.target { target = min(target ?? instant, instant) }
    let isManual = options.time == .manual
    // Calls of `settle` wait neither for background tasks that sleep nor for work that is never due.
    let isAtRest =
      isManual
      || (target == nil
        && (due == nil || count == backgroundDelays))
    if isAtRest, !requests.settles.isEmpty { return .resume(requests.takeSettles()) }
    if isAtRest, case .settle = requests.host { return .end(.finished) }
    if !requests.settles.isEmpty {
      let over = requests.takeSettles(after: moves)
      if !over.isEmpty { return .resume(over) }
    }
    if case .settle(let lastMove) = requests.host, lastMove <= moves {
      requests.isHostRestless = true
      return .end(.finished)
    }
    // A helper's limit stops time that moves anyway, and moves no time itself.
    if !isManual, due != nil, let instant = helpers.limit {
      target = min(target ?? instant, instant)
    }
    // What is due by the limit of a test that waits may come although no time has to be reached.
    let isWithinLimit = isManual && requests.limit.map { (due ?? .last) <= $0 } ?? false
    if let due, isWithinLimit || due <= target ?? (isManual ? .start : .last),
      isWithinLimit || !isManual || target != nil
    {
      if target == nil, waits.isPatient(with: count) { return .waitForOutside(isExpected: false) }
      if let limit = options.timeLimit, due > Instant(limit) { return .end(.tooLate) }
      return moveTime()
    }
    if let target {
      // If the target is the synchronous test's, both functions return nil.
      return .reach(target, requests.takeAdvance(to: target) ?? helpers.takeWait(until: target))
    }
    return .waitForOutside(isExpected: missesTasks || outside.resumptions.count > 0)
  }

  /// How much of what is pending only background tasks have begun.
  private var backgroundDelays: Int {
    tasks.backgroundSleeps + blocked.backgroundSleeps + dispatchQueues.backgroundDelays
  }

  /// When all tasks have been cancelled, requests and waits end at once.
  private mutating func nextOfEnding(due: Instant?) -> Step {
    let waiting =
      requests.takeAll() + helpers.takeWaits { _ in true }.map { $0.ending(.cancelled) }
    if !waiting.isEmpty { return .resume(waiting) }
    if due != nil { return moveTime() }
    let mayBeResumed = !tasks.isEmpty && outside.resumptions.count > 0
    return mayBeResumed ? .waitForOutside(isExpected: false) : .end(.finished)
  }

  private mutating func moveTime() -> Step {
    guard takeStep() else { return .end(endingWithoutStep) }
    helpers.lastChange = steps
    moves += 1
    return .moveTime
  }

  /// The number of moves after which a call may let time move no more.
  func lastMove(of moves: Int) -> Int {
    let (last, isTooLarge) = self.moves.addingReportingOverflow(moves)
    return isTooLarge ? .max : last
  }

  /// Counts a step; false if there have been too many.
  @_transparent
  private mutating func takeStep() -> Bool {
    steps += 1
    if case .ending(let limit) = phase { return steps <= limit }
    return steps <= stepLimit
  }

  /// Lets the waits of blocked threads be tried again before time moves, although no step has been taken since the
  /// latest try: code outside the simulation's steps has run.
  mutating func noteCodeBetweenSteps() { stepOfLatestTry = -1 }

  /// Lets no further step be taken. By a lower limit, so that a step need not ask for more than its number.
  mutating func giveUp(with ending: Ending) {
    guard case .running = phase else { return }
    stepLimit = steps
    earlyEnding = ending
  }

  private var endingWithoutStep: Ending { earlyEnding ?? .tooManySteps }

  // MARK: The running job

  /// Takes the next job to run from the queue; nil if another job blocks the thread in its place.
  @_transparent
  private mutating func takeJob() -> Job? {
    let job = isExplored ? takeChosenJob() : ready.takeNext()
    if blocked.isAnyPlace, blocked.holdsBack(job) { return nil }
    if let actor = job.actor {
      if let next = actorWaitQueues.dequeue(to: actor) { append(next, isFromOutside: false) }
      inActor.begin(job, in: steps)
    } else if let actor = job.actorWithLine, let next = actorWaitQueues.dequeue(to: actor) {
      append(next, isFromOutside: false)
    }
    if !helpers.isAnyRunning || !helpers.isOwn(job) { helpers.lastChange = steps }
    if watchers.isAny { noteStep(of: job) }
    let entry = job.isTask ? tasks.find(job.task) : nil
    running.begin(job.task, entry, isOnMain: job.isOnMain)
    if let entry { entry.pointee.run(at: now) }
    if options.recordsSteps {
      trace.append(StepRecord(task: entry?.pointee.number, instant: now))
    }
    return job
  }

  @inline(never)
  private mutating func takeChosenJob() -> Job {
    let controller = controller!
    controller.prepare(at: now)
    let job = ready.take(at: controller.choose())
    controller.located { number in
      if let thread = blocked[job.task] { return thread.frames }
      if job.isTask { return suspendedFrames(of: job.task) }
      // For an actor's job: the task that the actor will run next.
      let task = tasks.unfinished.first { $0.number == number }?.task
      return task.map(suspendedFrames) ?? []
    }
    return job
  }

  private mutating func noteStep(of job: Job) {
    let report = job.isTask ? suspension(of: job.task)?.report : nil
    watchers.note(
      StepNote(
        step: steps, instant: now.duration, task: report?.number ?? controller?.served,
        report: report))
  }

  /// Notes that the latest job has ended. Its task runs on another executor now, unless it has been
  /// suspended, has been enqueued here or has ended.
  @_transparent
  mutating func endRunningJob() {
    if blocked.isAnyPlace { freePlaces() }
    if let entry = running.entry, !running.isReadyAgain, !missesTasks,
      sleepless_can_run(entry.pointee.task.address)
    {
      tasks.moveElsewhere(entry)
    }
    running.end()
    running.isReadyAgain = false
  }

  private mutating func freePlaces() {
    guard let task = running.task else { return }
    for job in blocked.freePlaces(of: task) { append(job, isFromOutside: false) }
  }
}
