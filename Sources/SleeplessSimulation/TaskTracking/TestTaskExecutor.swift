import CRuntimeHooks
import Dispatch
import Sleepless
import VirtualTime

/// Tracks the unstructured tasks that a test has started outside simulations, and the tasks that those
/// started: whether any of them runs or sleeps.
///
/// The tasks run in real time, on Dispatch's global queues and its main queue, as they would without this
/// executor. A task that waits for something other than time counts as at rest, because it is unknown
/// whether its wait ends.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class TestTaskExecutor: CapturingExecutor, @unchecked Sendable {
  // Unchecked because its superclass is.

  fileprivate struct State: ~Copyable {
    var tasks = TaskTable()
    /// How many jobs are enqueued or run.
    var jobs = 0
    var waiters: [Waiter] = []

    private var isAnyAsleep: Bool { tasks.foregroundSleeps + tasks.backgroundSleeps > 0 }

    /// Takes the waiters for which everything is at rest.
    mutating func takeWaiters() -> [Waiter] {
      guard jobs == 0, !waiters.isEmpty else { return [] }
      let asleep = isAnyAsleep ? tasks.unfinished.filter { $0.sleep != nil } : []
      let due = waiters.filter { waiter in asleep.allSatisfy(waiter.ignores) }
      if !due.isEmpty { waiters.removeAll { waiter in due.contains { $0 === waiter } } }
      return due
    }
  }

  /// One wait for rest.
  final class Waiter: Sendable {
    /// Whether everything is at rest; resumed once that is known.
    let isAtRest = OneShotContinuation<Bool>()
    let timers = Locked<[HangTimer]>([])
    /// Sleeps that end later are not waited for; nil if all are.
    private let deadline: Instant?
    /// How often each task had fallen asleep when the wait began.
    private let sleepCounts: [Int: Int]
    /// Whether the wait ignores loops from now on.
    let ignoresLoops = Locked(false)

    init(deadline: Instant?, sleepCounts: [Int: Int]) {
      self.deadline = deadline
      self.sleepCounts = sleepCounts
    }

    /// Whether the wait ignores a task that sleeps. It does if the sleep is too long, or if the task is a
    /// loop: it has fallen asleep twice since the wait began.
    func ignores(_ sleeper: TaskTable.Entry) -> Bool {
      guard let deadline, let sleep = sleeper.sleep else { return false }
      let rounds = sleeper.sleepCount - sleepCounts[sleeper.number, default: 0]
      return sleep.until > deadline || (rounds > 1 && ignoresLoops.withLock { $0 })
    }

    func end(_ isAtRest: Bool) {
      let timers = timers.withLock { timers in
        defer { timers = [] }
        return timers
      }
      for timer in timers { timer.cancel() }
      self.isAtRest.resume(returning: isAtRest)
    }
  }

  fileprivate let state = Locked(State())

  init() { super.init(captures: true, hasClocks: false) }

  // MARK: Jobs

  @discardableResult
  override func admit(_ job: Job, onlyIfOwn: Bool) -> Bool {
    let isAdmitted = state.withLock { state in
      let entry = state.tasks.find(job.task)
      if onlyIfOwn, entry == nil { return false }
      state.jobs += 1
      // The alarm of the sleep runs when its time comes, and frees its memory then.
      if let entry { _ = state.tasks.endSleep(of: entry) }
      return true
    }
    if isAdmitted {
      if sleepless_measures_waits() { sleepless_job_is_enqueued(job.task.address) }
      run(job)
    }
    return isAdmitted
  }

  private func run(_ job: Job) {
    let queue =
      job.isOnMain ? DispatchQueue.main : .global(qos: job.job.priority.qosClass)
    let task = job.isTask ? taskID(of: job.job) : nil
    // A simulation's thread may run this, when it leaves an actor for which the task waits.
    outsideSimulations {
      queue.async { [self] in
        CaptureKind.process?.run(for: self) {
          switch job.place {
          case .simulation: job.job.runSynchronously(on: asUnownedTaskExecutor())
          case .main:
            job.job.runSynchronously(
              isolatedTo: MainActor.sharedUnownedExecutor, taskExecutor: asUnownedTaskExecutor())
          case .actor, .returning, .anywhere: job.job.runSynchronously(on: .generic)
          case .blockedThread, .targetingMain: break  // only simulations have such jobs
          }
        }
        finish(task)
      }
    }
  }

  private func finish(_ task: UInt64?) {
    let waiters = state.withLock { state in
      state.jobs -= 1
      return state.takeWaiters()
    }
    for waiter in waiters { waiter.end(true) }
    ChangeNotifier.hasRun(task)
  }

  override func admit(alarm: UnownedJob, after delay: Duration) {
    if sleepless_measures_waits() {
      sleepless_task_begins_wait(sleepless_wait_task_sleep, delay.clampedNanoseconds)
    }
    let sleeper = TaskPointer.current
    let until = Self.now.advanced(by: delay)
    if let sleeper {
      let sleep = TaskTable.Sleep(token: nil, until: until, alarm: alarm)
      state.withLock { state in
        if let entry = state.tasks.find(sleeper) {
          state.tasks.fallAsleep(entry, sleep, at: .start)
        }
      }
    }
    // real time: the sleep is outside simulations
    DispatchQueue.global().schedule(after: delay) { [self] in
      state.withLock { state in
        state.jobs += 1
        if let entry = sleeper.flatMap({ state.tasks.find($0) }),
          state.tasks.isAsleep(entry, with: alarm)
        {
          _ = state.tasks.endSleep(of: entry)
        }
      }
      run(Job(alarm, place: .anywhere))
    }
  }

  // MARK: Tasks

  override func owns(_ job: Job) -> Bool {
    state.withLock { $0.tasks.isUnfinished(job.task) }
  }

  override func noteOnMain(_ job: Job) {
    state.withLock { $0.tasks.update(job.task) { $0.isOnMain = true } }
    MainTasks.add(job.task, of: self)
  }

  override func taskWasMade(
    _ task: TaskPointer, name: String?, code: UnsafeRawPointer?, context: UnsafeRawPointer?,
    startsHere: Bool
  ) {
    state.withLock { _ = $0.tasks.add(task, name: name, isBackground: false, at: .start) }
  }

  override func taskHasEnded(_ task: TaskPointer, byError: Bool) {
    let entry = state.withLock { $0.tasks.remove(task) }
    if entry?.isOnMain == true { MainTasks.remove(task) }
  }

  // MARK: Rest

  /// The real time, in the form in which the instants of sleeps are stored.
  private static var now: Instant {
    outsideSimulations { Instant(.nanoseconds(Int64(DispatchTime.now().uptimeNanoseconds))) }
  }

  /// Returns when no task runs, even if some sleep; false if that does not happen in time. Goes on if the calling
  /// task is cancelled.
  func settleAtThisInstant(
    _ timeout: Duration, isolation: isolated (any Actor)?
  ) async -> Bool {
    await startWaiting(TestTasks.Timeout(timeout, ignoresSleeps: true)).isAtRest.wait()
  }

  /// Returns when no task runs or sleeps; false if that does not happen in time, or if the calling task is
  /// cancelled.
  func settle(_ timeout: TestTasks.Timeout) async -> Bool {
    let waiter = startWaiting(timeout)
    return await withTaskCancellationHandler {
      await waiter.isAtRest.wait()
    } onCancel: {
      waiter.end(false)
    }
  }

  /// The same for synchronous code. On the main thread it runs the run loop meanwhile, so that the main
  /// actor's jobs can run.
  func settleHere(_ timeout: TestTasks.Timeout) -> Bool {
    startWaiting(timeout).isAtRest.waitHere()
  }

  private func startWaiting(_ timeout: TestTasks.Timeout) -> Waiter {
    let sleepCounts = state.withLock { state in
      timeout.withLoops == nil
        ? [:]
        : Dictionary(
          uniqueKeysWithValues: state.tasks.unfinished.map { ($0.number, $0.sleepCount) })
    }
    let waiter = Waiter(deadline: deadline(of: timeout), sleepCounts: sleepCounts)
    let due = state.withLock { state in
      state.waiters.append(waiter)
      return state.takeWaiters()
    }
    for waiter in due { waiter.end(true) }
    if due.contains(where: { $0 === waiter }) { return waiter }
    start(HangTimer(timeout.whole) { waiter.end(false) }, of: waiter)
    guard let timeout = timeout.withLoops else { return waiter }
    let timer = HangTimer(timeout) { [weak self] in
      waiter.ignoresLoops.withLock { $0 = true }
      for waiter in self?.state.withLock({ $0.takeWaiters() }) ?? [] { waiter.end(true) }
    }
    start(timer, of: waiter)
    return waiter
  }

  private func deadline(of timeout: TestTasks.Timeout) -> Instant? {
    if timeout.ignoresSleeps { return .start }
    return timeout.withLoops == nil ? nil : Self.now.advanced(by: timeout.whole)
  }

  private func start(_ timer: HangTimer, of waiter: Waiter) {
    waiter.timers.withLock { $0.append(timer) }
    // The wait may have ended meanwhile.
    if waiter.isAtRest.isResumed { timer.cancel() }
  }

  /// The tasks that have not ended, in the order of creation, without the calling task.
  var unfinishedTasks: [Simulation.TaskReport] {
    let asking = TaskPointer.current
    return state.withLock { state in
      state.tasks.unfinished.filter { $0.task != asking }
    }
    .map { entry in
      Simulation.TaskReport(
        number: entry.number + 1, name: entry.name,
        state: entry.sleep.map { .sleeping(until: $0.until.duration) } ?? .suspended,
        since: .zero, frames: [], initializer: 0, blocksThread: false, steps: entry.steps)
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension TestTaskExecutor {
  /// The tasks that have not ended, with their addresses; see ``TestTasks/tasksInMemory``.
  var tasksInMemory: [UnfinishedTask] {
    state.withLock { $0.tasks.unfinished.map(UnfinishedTask.init) }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension JobPriority {
  /// The raw values are the same.
  fileprivate var qosClass: DispatchQoS.QoSClass {
    switch rawValue {
    case 0x21...: .userInteractive
    case 0x19...: .userInitiated
    case 0x15...: .default
    case 0x11...: .utility
    default: .background
    }
  }
}
