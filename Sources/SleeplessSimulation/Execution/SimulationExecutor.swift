import CRuntimeHooks
import Sleepless
import VirtualTime

/// The deterministic executor: every task of a simulation prefers it, so that each hop to another
/// actor or executor ends a job here and lets another one run in between.
///
/// It is a thin shell around a `SimulationState`: it locks, asks for a decision, unlocks and carries the
/// decision out. Any thread may enqueue a job; one driver takes the jobs out and runs them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class SimulationExecutor: CapturingExecutor, @unchecked Sendable {
  // Unchecked because its superclass is.

  let options: Simulation.Options
  let capture: any Capture
  let timeline: Timeline
  let state: Locked<SimulationState>
  /// The driver on the main thread, if a test hosts the simulation there.
  let host: HostedDriver?
  /// Is told if the simulation ends while a job blocks its driver's thread, perhaps for ever.
  let watch: Watchdog.Watch?
  /// The source of the tasks' sleeps on the timeline.
  let queue: TimelineQueue
  /// The runtime's job that enters an actor. The job in `SimulationState.inActor` runs there.
  let actorEntry: UnsafeMutablePointer<sleepless_actor_entry>

  init(
    _ options: Simulation.Options, capture: any Capture, host: HostedDriver? = nil,
    watch: Watchdog.Watch? = nil
  ) {
    self.options = options
    self.watch = watch
    self.host = host
    self.capture = capture
    let followsQueues =
      capture.isWholeProcess && options.dispatch == .inside
      && !sleepless_fact_fails(sleepless_fact_queues)
    let state = Locked(
      SimulationState(
        options, missesTasks: !capture.isWholeProcess, followsQueues: followsQueues))
    self.state = state
    timeline = Timeline(options.timelineOptions) { now in state.withLock { $0.now = now } }
    queue = TimelineQueue(nil, on: timeline)
    actorEntry = .allocate(capacity: 1)
    super.init(captures: capture.isWholeProcess, hasClocks: true)
    context.pointee.follows_queues = followsQueues
    context.pointee.crash_record = options.controller?.crashRecordNumber ?? 0
    capture.explainLimits()
    actorEntry.initialize(to: sleepless_actor_entry())
    actorEntry.pointee.executor_context = UnsafePointer(context)
    actorEntry.pointee.argument = context.pointee.owner
    actorEntry.pointee.run = { executor in
      Unmanaged<SimulationExecutor>.fromOpaque(executor!).takeUnretainedValue().runJobInActor()
    }
    Self.all.withLock { _ = $0.insert(Unmanaged.passUnretained(self).toOpaque()) }
  }

  deinit {
    Self.all.withLock { _ = $0.remove(Unmanaged.passUnretained(self).toOpaque()) }
    actorEntry.deallocate()
  }

  /// How many sources the main run loop has handled: jobs of the main actor and blocks of the main queue, but no timers
  /// and no blocks of the run loop's own.
  var mainRunLoopSources: Int {
    host?.turns.mainRunLoopSources.withLock { $0 }
      ?? sleepless_add_main_run_loop_sources(context, 0)
  }

  func addMainRunLoopSources(_ change: Int) {
    guard let host else { return _ = sleepless_add_main_run_loop_sources(context, change) }
    host.turns.mainRunLoopSources.withLock { $0 += change }
  }

  /// What it keeps for the code of others. Most simulations keep nothing, so the first use makes the object.
  var kept: Locked<KeptObjects> {
    state.withLock { state in
      if let kept = state.kept { return kept }
      let kept = Locked(KeptObjects())
      state.kept = kept
      return kept
    }
  }

  /// The executor of the simulation that the calling code belongs to, as far as that can be known.
  static var running: SimulationExecutor? {
    if let current = sleepless_current_context() {
      return current.pointee.has_clocks
        ? Unmanaged.fromOpaque(current.pointee.owner).takeUnretainedValue() : nil
    }
    // Without a capture of the process, the thread shows which simulation the code belongs to.
    guard let driven = sleepless_driven() else { return preferred }
    guard !sleepless_captures(driven) else { return nil }
    let executor = Unmanaged<SimulationExecutor>.fromOpaque(driven.pointee.owner)
      .takeUnretainedValue()
    // A job that has kept its thread may go on after its simulation was given up.
    return executor.state.withLock { $0.phase.isOver } ? nil : executor
  }

  /// The executor that the current task prefers, if it is one of a simulation that is not over. Without a capture of
  /// the process, only that shows the simulation on the main actor, whose code runs on a thread of its own.
  private static var preferred: SimulationExecutor? {
    let task = withUnsafeCurrentTask { $0?.unownedTaskExecutor }
    guard let task, let object = unsafeBitCast(task, to: sleepless_executor.self).identity else {
      return nil
    }
    let address = Int(bitPattern: object)
    guard all.withLock({ $0.contains { Int(bitPattern: $0) == address } }) else { return nil }
    // The task keeps it alive.
    let executor = Unmanaged<SimulationExecutor>.fromOpaque(object).takeUnretainedValue()
    return executor.state.withLock { $0.phase.isOver } ? nil : executor
  }

  /// All executors of simulations, unretained.
  private static let all = Locked<Set<UnsafeMutableRawPointer>>([])

  /// The executor of the simulation that an unfinished task belongs to.
  static func owner(of task: TaskPointer) -> SimulationExecutor? {
    // The task keeps its own executor alive. The others may be in `deinit`, so they are not retained.
    all.withLock { all in
      for pointer in all {
        let isOwner = Unmanaged<SimulationExecutor>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
          $0.state.withLock { $0.tasks.isUnfinished(task) }
        }
        if isOwner { return Unmanaged.fromOpaque(pointer).takeUnretainedValue() }
      }
      return nil
    }
  }

  // MARK: Tasks

  override func taskWasMade(
    _ task: TaskPointer, name: String?, code: UnsafeRawPointer?, context: UnsafeRawPointer?,
    startsHere: Bool
  ) {
    host?.taskWasMade(task, code: code, context: context)
    let current = TaskPointer.current
    let work = Self.workOfTask
    let initializer = UInt(bitPattern: sleepless_running_initializer())
    let locked = state.lock()
    let creator = if let work { work.creator } else { locked.pointee.creator(in: current) }
    locked.pointee.addTask(
      task, name: name, code: UInt(bitPattern: code), creator: creator, initializer: initializer,
      startsHere: startsHere, isBlock: work != nil)
    if let work, work.path.isMain, !work.belongsInLine {
      locked.pointee.tasks.find(task)?.pointee.isOutsideLine = true
    }
    if let work, work.path.targetsMain {
      locked.pointee.tasks.find(task)?.pointee.blockOnMain = BlockOnMain(
        of: work.queue, isBarrier: work.isBarrier)
    }
    state.unlock()
  }

  /// The block for which this thread makes a task, if it does.
  private static var workOfTask: QueueWork? {
    guard let work = sleepless_work_of_task() else { return nil }
    return Unmanaged.fromOpaque(work).takeUnretainedValue()
  }

  override func makeDetached(_ make: @escaping @Sendable () -> Void) -> Bool {
    options.makesDetached?(make) ?? false
  }

  override func taskHasEnded(_ task: TaskPointer, byError: Bool) {
    let entry = state.withLock { $0.removeTask(task, byError: byError) }
    entry?.sleep?.token?.cancel()
    host?.taskHasEnded(task)
    if entry?.isOnMain == true { MainTasks.remove(task) }
  }

  override func taskIsCancelled(_ task: TaskPointer) {
    let current = TaskPointer.current
    state.withLock { $0.noteCancellation(of: task, by: current) }
  }

  /// Notes that a task uses the main actor, so that the main executor recognises its jobs.
  override func noteOnMain(_ job: Job) {
    let isNew = state.withLock { state in
      guard let entry = state.tasks.find(job.task), !entry.pointee.isOnMain else { return false }
      entry.pointee.isOnMain = true
      return true
    }
    if isNew { MainTasks.add(job.task, of: self) }
  }

  // MARK: Jobs

  /// Whether a job belongs to this simulation. Jobs of actors and of the runtime do not show which task
  /// they are for, so they always count.
  override func owns(_ job: Job) -> Bool {
    if !job.isTask { return true }
    return state.withLock { $0.tasks.isUnfinished(job.task) }
  }

  @discardableResult
  override func admit(_ job: Job, onlyIfOwn: Bool) -> Bool {
    let isExternal = !isRunningHere
    // After the unlock the driver may run the job, and may then release this executor for the last time.
    let hold = isExternal ? Unmanaged.passRetained(self) : nil
    let locked = state
    let state = locked.lock()
    let admission = state.pointee.admit(job, onlyIfOwn: onlyIfOwn, isExternal: isExternal)
    if state.pointee.isExplored, !isExternal {
      let woken = state.pointee.takeWoken(job.task)
      locked.unlock()
      defer { if let woken { runWoken(woken) } }
      return carryOut(admission, job)
    }
    locked.unlock()
    let isAdmitted = carryOut(admission, job)
    hold?.release()
    return isAdmitted
  }

  private func carryOut(_ admission: SimulationState.Admission, _ job: Job) -> Bool {
    switch admission {
    case .notOwn: return false
    case .kept(let alarm, let driver):
      alarm?.cancel()
      driver?.resume()
    case .sentOn: capture.sendOn(job)
    case .dropped: break
    }
    host?.wake()
    return true
  }

  // MARK: Sleeps and clocks

  /// The label of tasks' sleeps on the timeline.
  static let sleepLabel = "sleep"

  override func admit(alarm: UnownedJob, after delay: Duration) {
    let sleeper = TaskPointer.current
    guard delay > .zero else { return admit(dueAlarm: alarm, of: sleeper) }
    let token = queue.schedule(
      .function { self.state.withLock { $0.endSleep(of: sleeper, alarm) } }, after: delay,
      label: Self.sleepLabel, at: CallSite())
    guard let sleeper else { return }
    let now = timeline.now
    let sleep = TaskTable.Sleep(token: token, until: now.advanced(by: delay), alarm: alarm)
    state.withLock { $0.beginSleep(sleep, of: sleeper, at: now) }
  }

  /// Admits the job that ends a sleep of zero.
  private func admit(dueAlarm alarm: UnownedJob, of sleeper: TaskPointer?) {
    // As in `admit(_:onlyIfOwn:)`.
    let hold = isRunningHere ? nil : Unmanaged.passRetained(self)
    let admission = state.withLock { $0.admit(dueAlarm: alarm, of: sleeper) }
    _ = carryOut(admission, Job(alarm, place: .anywhere))
    hold?.release()
  }

  override func reading(of clock: CInt) -> Duration? {
    let now = timeline.now.duration
    return state.withLock { $0.clocks.reading(of: clock, at: now) }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Options {
  fileprivate var timelineOptions: Timeline.Options {
    if let timingSeed {
      return Timeline.Options(order: .shuffled(seed: timingSeed), jitter: .seeded(timingSeed))
    }
    guard let seed = order.seed else { return Timeline.Options() }
    return Timeline.Options(order: .shuffled(seed: seed))
  }
}
