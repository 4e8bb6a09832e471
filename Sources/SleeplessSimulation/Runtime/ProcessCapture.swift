#if SLEEPLESS_CAPTURES_PROCESS
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
  import CRuntimeHooks
  import Sleepless

  /// A capture of the whole process: its executors are replaced by routers, once, before other code runs. They
  /// are not if the probe finds a runtime of another kind.
  ///
  /// The routers pass on every job that is no simulation's. Tasks that a simulation's jobs create prefer
  /// the simulation, and its jobs read virtual time from the standard library's clocks. For both, this
  /// library defines functions of the runtime and of libc; see `Tasks.c` and `Clocks.c`.
  struct ProcessCapture: Capture {
    /// Whether the process is captured. The loader's thread alone writes it, before other code runs.
    nonisolated(unsafe) fileprivate(set) static var isInstalled = false

    let isWholeProcess = true

    func run(for executor: CapturingExecutor, _ body: () -> Void) {
      let previous = sleepless_enter(executor.context)
      defer { sleepless_return_to(previous) }
      body()
    }

    func explainLimits() {
      _ = WaitingFramework.isUsable
      RuntimeProbe.explainBlockingCallsAndDates
    }

    func sendOn(_ job: Job) {
      switch job.place {
      case .main: MainRouter.shared.real.enqueue(ExecutorJob(job.job))
      case .targetingMain(let block):
        let job = job.job
        block.call { job.runSynchronously(on: MainActor.sharedUnownedExecutor) }
      case .actor(let actor):
        sleepless_enqueue_in_actor(job.task.address, actor.address)
        if job.retainsActor { sleepless_release(actor.address) }
      case .returning(let actor):
        GlobalRouter.shared.real.enqueue(ExecutorJob(job.job))
        sleepless_release(actor.address)
      case .blockedThread: break  // `SimulationExecutor.close` lets the thread go on.
      case .simulation, .anywhere: GlobalRouter.shared.real.enqueue(ExecutorJob(job.job))
      }
    }
  }

  extension CapturingExecutor: SchedulingExecutor {
    /// Sleeps in clocks other than the standard library's are not captured; where the process is not
    /// captured, sleeps are real.
    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      guard sleepless_captures(context), let delay = delay as? Duration else {
        return GlobalRouter.shared.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
      }
      admit(alarm: UnownedJob(job), after: delay)
    }
  }

  /// An executor that stands in for a real one, and passes on the sleeps that are no simulation's.
  private protocol Router: SchedulingExecutor {
    var realTimer: any SchedulingExecutor { get }
  }

  extension Router {
    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      if let executor = CapturingExecutor.current, let delay = delay as? Duration {
        return executor.admit(alarm: UnownedJob(job), after: delay)
      }
      if sleepless_measures_waits() {
        let nanoseconds = (delay as? Duration)?.clampedNanoseconds ?? -1
        sleepless_task_begins_wait(sleepless_wait_task_sleep, nanoseconds)
      }
      let job = UnownedJob(job)
      ProcessActivity.noteSleep {
        realTimer.enqueue(ExecutorJob(job), after: delay, tolerance: tolerance, clock: clock)
      }
    }

    // The standard library's clocks call this one. Outside simulations the instant is passed on as it is: a
    // conversion to a delay would read the clock, and the real executor would read it once more.
    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      guard CapturingExecutor.current == nil else {
        let delay = clock.now.duration(to: instant)
        return enqueue(job, after: delay, tolerance: tolerance, clock: clock)
      }
      if sleepless_measures_waits() {
        let delay = clock.now.duration(to: instant) as? Duration
        sleepless_task_begins_wait(sleepless_wait_task_sleep, delay?.clampedNanoseconds ?? -1)
      }
      let job = UnownedJob(job)
      ProcessActivity.noteSleep {
        realTimer.enqueue(ExecutorJob(job), at: instant, tolerance: tolerance, clock: clock)
      }
    }
  }

  /// Stands in for the default executor, which runs jobs that prefer no executor.
  final class GlobalRouter: TaskExecutor, Router {
    static let shared = GlobalRouter()
    let real = Task<Never, Never>.defaultExecutor
    fileprivate let realTimer = Task<Never, Never>.defaultExecutor as! any SchedulingExecutor

    func enqueue(_ job: consuming ExecutorJob) {
      // Yields come here although their tasks prefer the simulation, and so do jobs that are no tasks.
      let job = Job(UnownedJob(job), place: .simulation)
      if sleepless_takes_kept_job(job.task.address) { return }
      if let executor = CapturingExecutor.current, executor.admit(job, onlyIfOwn: true) { return }
      if sleepless_measures_waits() { sleepless_job_is_enqueued(job.task.address) }
      sleepless_note_job()
      real.enqueue(ExecutorJob(job.job))
    }
  }

  /// Stands in for the main actor's executor.
  final class MainRouter: MainExecutor, Router {
    static let shared = MainRouter()
    let real = MainActor.executor
    fileprivate let realTimer = MainActor.executor as! any SchedulingExecutor

    func run() throws { try real.run() }
    func stop() { real.stop() }

    func checkIsolated() { real.checkIsolated() }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = Job(UnownedJob(job), place: .main)
      if sleepless_takes_kept_job(job.task.address) { return }
      if let executor = CapturingExecutor.current, executor.owns(job) {
        executor.noteOnMain(job)
        executor.admit(job, onlyIfOwn: false)
      } else if let executor = MainTasks.owner(of: job.task) {
        executor.admit(job, onlyIfOwn: false)
      } else {
        if sleepless_measures_waits() { sleepless_job_is_enqueued(job.task.address) }
        real.enqueue(ExecutorJob(job.job))
      }
    }
  }

  /// Runs tasks that are no simulation's after they leave an actor on a simulation's thread.
  private final class ExitExecutor: SerialExecutor {
    static let shared = ExitExecutor()

    func enqueue(_ job: consuming ExecutorJob) { GlobalRouter.shared.real.enqueue(job) }
  }

  /// Makes the routers the process's executors.
  private enum Routers: ExecutorFactory {
    static var mainExecutor: any MainExecutor { MainRouter.shared }
    static var defaultExecutor: any TaskExecutor { GlobalRouter.shared }

    static func installAndReport() {
      installIfPossible()
      if sleepless_wants_report() { RuntimeVerdict.report() }
    }

    /// Replaces the process's executors, if all facts hold that this relies on.
    private static func installIfPossible() {
      guard !sleepless_wants_public_runtime() else { return }
      // The runtime asks an executor at each sleep whether it is a `SchedulingExecutor`.
      sleepless_register_conformances()
      guard RuntimeProbe.sampleBeforeInstalling() else { return }
      // The routers are made first, as each asks the runtime for the executor that it stands in for.
      _ = (GlobalRouter.shared, MainRouter.shared)
      _createExecutors(factory: Routers.self)
      installHooks()
      guard RuntimeProbe.sampleAfterInstalling() else {
        sleepless_uninstall()
        return _createExecutors(factory: RuntimeExecutors.self)
      }
      ProcessCapture.isInstalled = true
      sleepless_measure_tasks()
      RuntimeProbe.sampleBlockingCalls()
      RuntimeProbe.sampleDates()
      RuntimeProbe.sampleQueues()
      RuntimeProbe.sampleConditions()
      RuntimeProbe.sampleOperations()
      RuntimeProbe.sampleRunLoops()
      RuntimeProbe.sampleProgramClocks()
      RuntimeProbe.sampleActivity()
      _ = sleepless_begin_direct_calls()
    }

    private static func installHooks() {
      sleepless_install(
        sleepless_hooks(
          task_was_made: { owner, task, name, code, context, startsHere in
            let executor = CapturingExecutor.from(owner!)
            executor.taskWasMade(
              TaskPointer(task!), name: name.map { String(cString: $0) }, code: code,
              context: context, startsHere: startsHere)
          },
          makes_detached: { owner, make, creation in
            // The record is not moved or freed until this returns.
            nonisolated(unsafe) let creation = creation
            return CapturingExecutor.from(owner!).makeDetached { make!(creation) }
          },
          task_has_ended: { owner, task, byError in
            let task = TaskPointer(task!)
            let executor = owner.map(CapturingExecutor.from) ?? SimulationExecutor.owner(of: task)
            executor?.taskHasEnded(task, byError: byError)
          },
          task_is_cancelled: { owner, task in
            CapturingExecutor.from(owner!).taskIsCancelled(TaskPointer(task!))
          },
          clock_is_read: { owner, clock, seconds, nanoseconds in
            guard let time = CapturingExecutor.from(owner!).reading(of: clock) else { return }
            seconds!.pointee = time.components.seconds
            nanoseconds!.pointee = time.components.attoseconds / 1_000_000_000
          },
          context_of: {
            UnsafePointer(CapturingExecutor.from(UnsafeMutableRawPointer(mutating: $0!)).context)
          }))
      ActorExecutorHook.install(exitExecutor: ExitExecutor.shared)
    }
  }

  /// Gives the process the runtime's own executors again.
  private enum RuntimeExecutors: ExecutorFactory {
    static var mainExecutor: any MainExecutor { MainRouter.shared.real }
    static var defaultExecutor: any TaskExecutor { GlobalRouter.shared.real }
  }

  // The runtime keeps each executor in two plain variables, for the object and for its table of functions.
  // A thread that enqueues a job while they are replaced could read one of each executor. So the loader
  // replaces them before it runs any other code of the program, which could start threads. The number in
  // the section's name ensures that; code of users must not have a lower one. `Benchmarks/starts` tests it.
  @section(".init_array.00099") @used
  private let installAtLoad: @convention(c) () -> Void = { Routers.installAndReport() }
#endif
