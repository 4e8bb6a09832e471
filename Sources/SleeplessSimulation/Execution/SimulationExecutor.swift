import CSleepless
import Sleepless

/// The deterministic executor: every task of a simulation prefers it, so that each hop to another
/// actor or executor ends a job here and lets another one run in between.
///
/// The thin shell round a `SimulationState`. One driver takes the jobs out, one at a time; anybody
/// may put them in. Tasks hold it, so it lives as long as the last of them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class SimulationExecutor: TaskExecutor, @unchecked Sendable {
  // Unchecked because of `world`, which is written once, by `init`.

  let options: Simulation.Options
  let capture: any Capture
  let timeline: Timeline
  let state: Locked<SimulationState>
  /// The synchronous test that drives it, if there is one.
  let host: HostedDriver?
  /// What other modules keep for as long as the simulation runs.
  let companions = Locked<[any AnyObject & Sendable]>([])
  /// What the C side knows of this.
  let world: UnsafeMutablePointer<sleepless_world>
  let queue: QueueTag

  init(_ options: Simulation.Options, capture: any Capture, host: HostedDriver? = nil) {
    self.options = options
    self.host = host
    self.capture = capture
    timeline = Timeline(Timeline.Options(order: options.order.timelineOrder))
    queue = QueueTag(nil, on: timeline)
    state = Locked(SimulationState(options))
    world = .allocate(capacity: 1)
    let executor = unsafeBitCast(asUnownedTaskExecutor(), to: sleepless_executor.self)
    let simulation = Unmanaged.passUnretained(self).toOpaque()
    world.initialize(to: sleepless_world(executor: executor, simulation: simulation))
  }

  deinit { world.deallocate() }

  /// The one whose jobs this thread runs.
  static var running: SimulationExecutor? {
    sleepless_current().map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  var isRunningHere: Bool { sleepless_current() == world.pointee.simulation }

  // MARK: Jobs

  func enqueue(_ job: consuming ExecutorJob) {
    admit(Job(job: UnownedJob(job), place: .simulation))
  }

  /// Takes in a job that can run now.
  func admit(_ job: Job) {
    let isEscape = !isRunningHere
    let (decision, alarm, driver) = state.withLock { state in
      state.admit(job, isEscape: isEscape)
    }
    switch decision {
    case .kept: alarm?.cancel()
    case .sentOn: capture.sendOn(job)
    case .dropped: break
    }
    driver?.resume()
    host?.wake()
  }

  /// Takes in a job that ends a sleep of the current task in the standard library's clocks.
  func admit(alarm: UnownedJob, after delay: Duration) {
    let sleeper = TaskPointer.current
    let item = timeline.schedule(
      .function { self.wake(sleeper, with: alarm) }, after: delay,
      origin: Origin(queue: queue, label: "sleep", site: CallSite()))
    guard let sleeper else { return }
    let now = timeline.now
    let sleep = TaskLedger.Sleep(item: item, until: now.advanced(by: delay), alarm: alarm)
    state.withLock { $0.tasks.fallAsleep(sleeper, sleep, at: now) }
  }

  private func wake(_ sleeper: TaskPointer?, with alarm: UnownedJob) {
    state.withLock { state in
      if let sleeper { _ = state.tasks.endSleep(of: sleeper) }
      state.ready.append(Job(job: alarm, place: .anywhere))
    }
  }

  /// What a clock of the standard library shows: what it showed when it was first read, and the
  /// virtual time that has passed since.
  func reading(of clock: CInt, real: Duration) -> Duration {
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
  func owns(_ job: Job) -> Bool {
    if sleepless_is_making_task() || !job.isTask { return true }
    return state.withLock { $0.tasks.unfinished[job.task] != nil }
  }

  /// Notes that a task comes to the main actor, where its jobs have to be recognised.
  func noteOnMain(_ job: Job) {
    let isNew = state.withLock { state in
      if sleepless_is_making_task() {
        state.taskMadeOnMain = job.task
        return true
      }
      guard let entry = state.tasks.unfinished[job.task], !entry.isOnMain else { return false }
      state.tasks.update(job.task) { $0.isOnMain = true }
      return true
    }
    if isNew { MainTasks.add(job.task, of: self) }
  }

  func taskWasMade(_ task: TaskPointer, name: String?, code: UnsafeRawPointer?) {
    host?.taskWasMade(task, code)
    let maker = TaskPointer.current
    let now = timeline.now
    state.withLock { state in
      let isBackground =
        state.makesBackground || maker.flatMap { state.tasks.unfinished[$0]?.isBackground } ?? false
      let isOnMain = state.taskMadeOnMain.take() == task
      state.tasks.add(
        task, name: name, isBackground: isBackground, isOnMain: isOnMain, at: now)
    }
  }

  func taskHasEnded(_ task: TaskPointer) {
    let entry = state.withLock { state in
      let entry = state.tasks.remove(task)
      // It cannot end asleep: the sleep was cancelled, within an actor, unseen.
      if let sleep = entry?.sleep { state.ready.append(Job(job: sleep.alarm, place: .anywhere)) }
      return entry
    }
    entry?.sleep?.item.cancel()
    host?.taskHasEnded(task)
    if entry?.isOnMain == true { MainTasks.remove(task) }
  }
}

extension SimulationState {
  enum Decision { case kept, sentOn, dropped }

  /// Takes in a job; returns what becomes of it, the timer of a sleep that it cuts short, and a
  /// driver that waits for it.
  mutating func admit(
    _ job: Job, isEscape: Bool
  ) -> (Decision, ScheduledItem?, UnsafeContinuation<Void, Never>?) {
    switch phase {
    case .closed: return (.sentOn, nil, nil)
    case .dead: return (.dropped, nil, nil)
    case .running, .ending: break
    }
    if isEscape, outsideCalls == 0 {
      let suspension = escapes.wantsTasks ? suspension(of: job.task) : nil
      escapes.add(suspension)
    }
    ready.append(job)
    let sleep = tasks.endSleep(of: job.task)
    if let sleep { ready.append(Job(job: sleep.alarm, place: .anywhere)) }
    return (.kept, sleep?.item, driver.take())
  }
}

extension Simulation.Options.Order {
  fileprivate var timelineOrder: Timeline.Options.Order {
    switch self {
    case .firstCome: .enqueued
    case .shuffled(let seed): .shuffled(seed: seed)
    }
  }
}
