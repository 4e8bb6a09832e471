import CRuntimeHooks
import Sleepless
import VirtualTime

/// The deterministic executor: every task of a simulation prefers it, so that each hop to another
/// actor or executor ends a job here and lets another one run in between.
///
/// The thin shell round a `SimulationState`. One driver takes the jobs out, one at a time; anybody
/// may put them in.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class SimulationExecutor: CapturingExecutor, @unchecked Sendable {
  // Unchecked because its superclass is.

  let options: Simulation.Options
  let capture: any Capture
  let timeline: Timeline
  let state: Locked<SimulationState>
  /// The synchronous test that drives it, if there is one.
  let host: HostedDriver?
  /// What other modules keep for as long as the simulation runs.
  let associatedObjects = Locked<[any AnyObject & Sendable]>([])
  let queue: TimelineQueue
  /// Who enters actors for its tasks.
  let actorEntry: UnsafeMutablePointer<sleepless_actor_entry>

  init(_ options: Simulation.Options, capture: any Capture, host: HostedDriver? = nil) {
    self.options = options
    self.host = host
    self.capture = capture
    let state = Locked(SimulationState(options, isBlind: !capture.isWholeProcess))
    self.state = state
    timeline = Timeline(options.timelineOptions) { now in state.withLock { $0.now = now } }
    queue = TimelineQueue(nil, on: timeline)
    actorEntry = .allocate(capacity: 1)
    super.init(captures: capture.isWholeProcess, hasClocks: true)
    actorEntry.initialize(to: sleepless_actor_entry())
    actorEntry.pointee.executor_context = UnsafePointer(context)
    actorEntry.pointee.run = { owner in
      Unmanaged<SimulationExecutor>.fromOpaque(owner!).takeUnretainedValue().runJobInActor()
    }
    Self.all.withLock { _ = $0.insert(Unmanaged.passUnretained(self).toOpaque()) }
  }

  deinit {
    Self.all.withLock { _ = $0.remove(Unmanaged.passUnretained(self).toOpaque()) }
    actorEntry.deallocate()
  }

  /// The one that the calling code belongs to, as far as can be known.
  static var running: SimulationExecutor? {
    if let current = sleepless_current_context() {
      return current.pointee.has_clocks
        ? Unmanaged.fromOpaque(current.pointee.owner).takeUnretainedValue() : nil
    }
    // Without a capture of the process all there is to go by is the thread.
    guard let driven = sleepless_driven(), !driven.pointee.captures else { return nil }
    return Unmanaged.fromOpaque(driven.pointee.owner).takeUnretainedValue()
  }

  /// All that there are; none of them is kept alive by it.
  private static let all = Locked<Set<UnsafeMutableRawPointer>>([])

  /// The one that a task belongs to, which has not ended.
  static func owner(of task: TaskPointer) -> SimulationExecutor? {
    // A task keeps its own alive; of the others, which may be about to go, nothing is kept.
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

  // MARK: Jobs

  /// Takes in a job that can run now.
  override func admit(_ job: Job) { _ = admit(job, ifOwn: false) }

  /// Takes in a job that can run now, if it belongs here; see `owns`.
  func admitIfOwn(_ job: Job) -> Bool { admit(job, ifOwn: true) }

  private func admit(_ job: Job, ifOwn isConditional: Bool) -> Bool {
    let isExternal = !isRunningHere
    // The driver may run it at once, and with its end let go of this for good.
    let hold = isExternal ? Unmanaged.passRetained(self) : nil
    let locked = state
    let state = locked.lock()
    let entry = job.isTask ? state.pointee.tasks.find(job.task) : nil
    if isConditional, job.isTask, entry == nil {
      locked.unlock()
      hold?.release()
      return false
    }
    let decision = state.pointee.admit(job, of: entry, isExternal: isExternal)
    var alarm: WorkToken?
    var driver: UnsafeContinuation<Void, Never>?
    if case .kept = decision {
      if let entry { alarm = state.pointee.cutSleepShort(entry) }
      driver = state.pointee.takeDriver()
    }
    locked.unlock()
    switch decision {
    case .kept: alarm?.cancel()
    case .sentOn: capture.sendOn(job)
    case .dropped: break
    }
    driver?.resume()
    host?.wake()
    hold?.release()
    return true
  }

  /// Takes in a job that ends a sleep of the current task in the standard library's clocks.
  override func admit(alarm: UnownedJob, after delay: Duration) {
    let sleeper = TaskPointer.current
    guard delay > .zero else { return admit(dueAlarm: alarm, of: sleeper) }
    let token = queue.schedule(
      .function { self.wake(sleeper, with: alarm) }, after: delay, label: "sleep", at: CallSite())
    guard let sleeper else { return }
    let now = timeline.now
    let sleep = TaskTable.Sleep(token: token, until: now.advanced(by: delay), alarm: alarm)
    state.withLock { state in
      guard let entry = state.tasks.find(sleeper) else { return }
      state.tasks.fallAsleep(entry, sleep, at: now)
      state.controller?.note(.fellAsleep(entry.pointee.number, until: sleep.until.duration))
    }
  }

  /// Takes in one that ends a sleep of no time.
  private func admit(dueAlarm alarm: UnownedJob, of sleeper: TaskPointer?) {
    // As in `admit(_:ifOwn:)`.
    let hold = isRunningHere ? nil : Unmanaged.passRetained(self)
    var driver: UnsafeContinuation<Void, Never>?
    let decision = state.withLock { state in
      let decision = state.decision
      guard case .kept = decision else { return decision }
      state.dueAlarms.add(alarm, of: sleeper)
      driver = state.takeDriver()
      return decision
    }
    if case .sentOn = decision { capture.sendOn(Job(alarm, place: .anywhere)) }
    driver?.resume()
    host?.wake()
    hold?.release()
  }

  private func wake(_ sleeper: TaskPointer?, with alarm: UnownedJob) {
    state.withLock { state in
      let entry = sleeper.flatMap { state.tasks.find($0) }
      if let entry { _ = state.tasks.endSleep(of: entry) }
      state.makeReady(alarm: alarm, of: entry?.pointee.number)
    }
  }

  /// What a clock of the standard library shows: what it showed when it was first read, and the
  /// virtual time that has passed since.
  override func reading(of clock: CInt, real: Duration) -> Duration {
    let now = timeline.now.duration
    return state.withLock { state in
      let start = state.clockStarts[clock] ?? real - now
      state.clockStarts[clock] = start
      return start + now
    }
  }

  // MARK: Tasks

  /// Whether the job belongs here: one of its tasks, or a job of an actor or the runtime, of which
  /// nothing tells whose it is.
  override func owns(_ job: Job) -> Bool {
    if !job.isTask { return true }
    return state.withLock { $0.tasks.isUnfinished(job.task) }
  }

  /// Notes that a task comes to the main actor, where its jobs have to be recognised.
  override func noteOnMain(_ job: Job) {
    let isNew = state.withLock { state in
      guard let entry = state.tasks.find(job.task), !entry.pointee.isOnMain else { return false }
      entry.pointee.isOnMain = true
      return true
    }
    if isNew { MainTasks.add(job.task, of: self) }
  }

  override func taskWasMade(
    _ task: TaskPointer, name: String?, code: UnsafeRawPointer?, context: UnsafeRawPointer?,
    comesHere: Bool
  ) {
    host?.taskWasMade(task, code: code, context: context)
    let maker = TaskPointer.current
    state.withLock { state in
      let number = state.tasks.madeCount
      let makersEntry = maker.flatMap { state.tasks.find($0) }
      if let controller = state.controller {
        controller.made(
          number, by: makersEntry?.pointee.number, name: name, code: UInt(bitPattern: code),
          at: state.now)
      }
      let isBackground = state.makesBackground || makersEntry?.pointee.isBackground ?? false
      let entry = state.tasks.add(task, name: name, isBackground: isBackground, at: state.now)
      if !comesHere, capture.isWholeProcess { state.tasks.leave(entry) }
    }
  }

  override func makeDetached(_ make: @escaping @Sendable () -> Void) -> Bool {
    options.makesDetached?(make) ?? false
  }

  override func taskHasEnded(_ task: TaskPointer) {
    let entry = state.withLock { state in
      let entry = state.remove(task)
      // It cannot end asleep: the sleep was cancelled, within an actor, unseen.
      if let sleep = entry?.sleep { state.makeReady(alarm: sleep.alarm, of: entry?.number) }
      if let controller = state.controller, let entry { controller.note(.ended(entry.number)) }
      return entry
    }
    entry?.sleep?.token?.cancel()
    host?.taskHasEnded(task)
    if entry?.isOnMain == true { MainTasks.remove(task) }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationState {
  /// Takes all jobs that can run or wait for an actor.
  mutating func takeAllJobs() -> [Job] {
    if ready.isEmpty, drainJobs.count == 0, dueAlarms.count == 0, actorWaitQueues.isEmpty {
      return []
    }
    return ready.takeAll() + drainJobs.takeAll() + dueAlarms.takeAll() + actorWaitQueues.takeAll()
  }

  @_transparent
  mutating func takeDriver() -> UnsafeContinuation<Void, Never>? {
    guard let driver else { return nil }
    self.driver = nil
    return driver
  }

  /// Notes that the task that runs has been suspended in the actor of its visit, unless it has gone
  /// elsewhere, unseen, or ended.
  @_transparent
  mutating func endJobInActor() {
    if !taskLeavesActor, let entry = runningEntry, let actor = jobInActor!.actor,
      !sleepless_can_run(entry.pointee.task.address)
    {
      tasks.resumptionActor(entry, in: actor)
    }
    jobInActor = nil
  }

  /// Has a task that was suspended in an actor go on there: it would go back there at once, maybe by
  /// ways of the runtime's own that nobody sees. Until its turn comes others may overtake it.
  @_transparent
  private mutating func placed(
    _ job: Job, of entry: TaskTable.EntryPointer?, isExternal: Bool
  ) -> Job {
    guard job.isTask else { return job }
    if let entry { tasks.comeBack(entry) }
    if job.task == running { runningIsReady = true }
    if let jobInActor, job.task == jobInActor.task, !isExternal {
      // The runtime's own functions come back.
      if let entry, case .simulation = job.place, !sleepless_leaves_actor() {
        tasks.resumptionActor(entry, in: jobInActor.actor!)
      }
      taskLeavesActor = true
    }
    guard let entry, let actor = tasks.takeResumptionActor(of: entry) else { return job }
    guard case .simulation = job.place else {
      sleepless_release(actor.address)
      return job
    }
    return Job(job, inHeldActorAt: .wayBack(to: actor))
  }

  enum Decision { case kept, sentOn, dropped }

  /// What becomes of jobs that come now.
  @_transparent
  var decision: Decision {
    switch phase {
    case .closed: .sentOn
    case .dead: .dropped
    case .running, .ending: .kept
    }
  }

  /// Takes in a job of one of the tasks, or of an actor or the runtime; returns what becomes of it.
  @_transparent
  mutating func admit(
    _ job: Job, of entry: TaskTable.EntryPointer?, isExternal: Bool
  ) -> Decision {
    let decision = decision
    guard case .kept = decision else { return decision }
    let job = placed(job, of: entry, isExternal: isExternal)
    if isExternal, outsideCalls == 0, !waitingForOutside.contains(job.task) {
      let suspension = externalResumptions.wantsTasks ? suspension(of: job.task) : nil
      externalResumptions.add(suspension)
    }
    makeReady(job, isFromOutside: isExternal)
    return .kept
  }

  /// Ends the sleep of a task that can run, if it is asleep, and returns what would have ended it.
  @_transparent
  mutating func cutSleepShort(_ entry: TaskTable.EntryPointer) -> WorkToken? {
    guard let sleep = tasks.endSleep(of: entry) else { return nil }
    makeReady(alarm: sleep.alarm, of: entry.pointee.number)
    return sleep.token
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
