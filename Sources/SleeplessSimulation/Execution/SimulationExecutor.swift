import CSleepless
import Sleepless

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
  let companions = Locked<[any AnyObject & Sendable]>([])
  let queue: QueueTag
  /// Who enters actors for its tasks.
  let visitor: UnsafeMutablePointer<sleepless_visitor>

  init(_ options: Simulation.Options, capture: any Capture, host: HostedDriver? = nil) {
    self.options = options
    self.host = host
    self.capture = capture
    let state = Locked(SimulationState(options, isBlind: !capture.isWholeProcess))
    self.state = state
    timeline = Timeline(options.timelineOptions) { now in state.withLock { $0.now = now } }
    queue = QueueTag(nil, on: timeline)
    visitor = .allocate(capacity: 1)
    super.init(captures: capture.isWholeProcess, hasClocks: true)
    visitor.initialize(to: sleepless_visitor())
    visitor.pointee.world = UnsafePointer(world)
    visitor.pointee.visit = { owner in
      Unmanaged<SimulationExecutor>.fromOpaque(owner!).takeUnretainedValue().runVisit()
    }
    Self.all.withLock { _ = $0.insert(Unmanaged.passUnretained(self).toOpaque()) }
  }

  deinit {
    Self.all.withLock { _ = $0.remove(Unmanaged.passUnretained(self).toOpaque()) }
    visitor.deallocate()
  }

  /// The one that the calling code belongs to, as far as can be known.
  static var running: SimulationExecutor? {
    if let captor = sleepless_captor() {
      return captor.pointee.has_clocks
        ? Unmanaged.fromOpaque(captor.pointee.owner).takeUnretainedValue() : nil
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
          $0.state.withLock { $0.tasks.unfinished[task] != nil }
        }
        if isOwner { return Unmanaged.fromOpaque(pointer).takeUnretainedValue() }
      }
      return nil
    }
  }

  // MARK: Jobs

  /// Takes in a job that can run now.
  override func admit(_ job: Job) { _ = admit(job) { _ in true } }

  /// Takes in a job that can run now, if it belongs here; see `owns`.
  func admitIfOwn(_ job: Job) -> Bool {
    let isTask = job.isTask
    return admit(job) { !isTask || $0.tasks.isUnfinished(job.task) }
  }

  private func admit(_ job: Job, if isOwn: (inout SimulationState) -> Bool) -> Bool {
    let isEscape = !isRunningHere
    // The driver may run it at once, and with its end let go of this for good.
    let hold = isEscape ? Unmanaged.passRetained(self) : nil
    defer { hold?.release() }
    let (decision, alarm, driver) = state.withLock { state in
      isOwn(&state) ? state.admit(job, isEscape: isEscape) : (.foreign, nil, nil)
    }
    switch decision {
    case .foreign: return false
    case .kept: alarm?.cancel()
    case .sentOn: capture.sendOn(job)
    case .dropped: break
    }
    driver?.resume()
    host?.wake()
    return true
  }

  /// Takes in a job that ends a sleep of the current task in the standard library's clocks.
  override func admit(alarm: UnownedJob, after delay: Duration) {
    let sleeper = TaskPointer.current
    let token = queue.schedule(
      .function { self.wake(sleeper, with: alarm) }, after: delay, label: "sleep", at: CallSite())
    guard let sleeper else { return }
    let now = timeline.now
    let sleep = TaskLedger.Sleep(token: token, until: now.advanced(by: delay), alarm: alarm)
    state.withLock { state in
      state.tasks.fallAsleep(sleeper, sleep, at: now)
      if let steering = state.steering, let number = state.tasks.unfinished[sleeper]?.number {
        steering.note(.fellAsleep(number, until: sleep.until.duration))
      }
    }
  }

  private func wake(_ sleeper: TaskPointer?, with alarm: UnownedJob) {
    state.withLock { state in
      let number = sleeper.flatMap {
        state.steering == nil ? nil : state.tasks.unfinished[$0]?.number
      }
      if let sleeper { _ = state.tasks.endSleep(of: sleeper) }
      state.makeReady(alarm: alarm, of: number)
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
      guard let entry = state.tasks.unfinished[job.task], !entry.isOnMain else { return false }
      state.tasks.update(job.task) { $0.isOnMain = true }
      return true
    }
    if isNew { MainTasks.add(job.task, of: self) }
  }

  override func taskWasMade(
    _ task: TaskPointer, name: String?, code: UnsafeRawPointer?, comesHere: Bool
  ) {
    host?.taskWasMade(task, code)
    let maker = TaskPointer.current
    state.withLock { state in
      let number = state.tasks.madeCount
      let isBackground =
        state.makesBackground || maker.flatMap { state.tasks.unfinished[$0]?.isBackground } ?? false
      if let steering = state.steering {
        steering.made(
          number, by: maker.flatMap { state.tasks.unfinished[$0]?.number },
          name: name, code: UInt(bitPattern: code), at: state.now)
      }
      state.tasks.add(task, name: name, isBackground: isBackground, at: state.now)
      if !comesHere, capture.isWholeProcess { state.away.insert(task) }
    }
  }

  override func taskHasEnded(_ task: TaskPointer) {
    let entry = state.withLock { state in
      let entry = state.tasks.remove(task)
      state.away.remove(task)
      // It cannot end asleep: the sleep was cancelled, within an actor, unseen.
      if let sleep = entry?.sleep { state.makeReady(alarm: sleep.alarm, of: entry?.number) }
      if let steering = state.steering, let entry { steering.note(.ended(entry.number)) }
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
    var jobs = Array(ready.takeAll())
    while let job = services.popFirst() { jobs.append(job) }
    return jobs + doors.takeAll()
  }

  /// Notes that a task has been suspended in an actor, unless it has gone elsewhere, unseen, or ended.
  mutating func stay(_ task: TaskPointer, in actor: ActorPointer) {
    guard tasks.unfinished[task] != nil, !sleepless_can_run(task.address) else { return }
    tasks.stay(task, in: actor)
  }

  /// Has a task that was suspended in an actor go on there: it would go back there at once, maybe by
  /// ways of the runtime's own that nobody sees. Until its turn comes others may overtake it.
  private mutating func placed(_ job: Job, isEscape: Bool) -> Job {
    guard job.isTask else { return job }
    if !away.isEmpty { away.remove(job.task) }
    if job.task == running { runningIsReady = true }
    if let visit, job.task == visit.task, !isEscape {
      // The runtime's own functions come back.
      if case .simulation = job.place, !sleepless_leaves_actor() {
        tasks.stay(job.task, in: visit.actor!)
      }
      visitorLeaves = true
    }
    guard let actor = tasks.endStay(of: job.task) else { return job }
    guard case .simulation = job.place else {
      sleepless_release(actor.address)
      return job
    }
    return Job(job, inHeldActorAt: .wayBack(to: actor))
  }

  enum Decision { case kept, sentOn, dropped, foreign }

  /// Takes in a job; returns what becomes of it, the timer of a sleep that it cuts short, and a
  /// driver that waits for it.
  mutating func admit(
    _ job: Job, isEscape: Bool
  ) -> (Decision, WorkToken?, UnsafeContinuation<Void, Never>?) {
    switch phase {
    case .closed: return (.sentOn, nil, nil)
    case .dead: return (.dropped, nil, nil)
    case .running, .ending: break
    }
    let job = placed(job, isEscape: isEscape)
    if isEscape, outsideCalls == 0 {
      let suspension = escapes.wantsTasks ? suspension(of: job.task) : nil
      escapes.add(suspension)
    }
    makeReady(job, isFromOutside: isEscape)
    let sleep = tasks.endSleep(of: job.task)
    if let sleep { makeReady(alarm: sleep.alarm, of: tasks.unfinished[job.task]?.number) }
    return (.kept, sleep?.token, driver.take())
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension Simulation.Options {
  fileprivate var timelineOptions: Timeline.Options {
    if let chance {
      return Timeline.Options(order: .shuffled(seed: chance), jitter: .seeded(chance))
    }
    guard let seed = order.seed else { return Timeline.Options() }
    return Timeline.Options(order: .shuffled(seed: seed))
  }
}
