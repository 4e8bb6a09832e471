#if os(Linux) && compiler(>=6.3) && !SLEEPLESS_PUBLIC_EXECUTORS
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
  import CRuntimeHooks
  import Sleepless

  /// The whole process: its executors are replaced by routers, once, before anything runs.
  ///
  /// The routers pass on everything that is no simulation's. Tasks made by a simulation's jobs are
  /// made to prefer it, and its jobs read virtual time from the standard library's clocks; both by
  /// standing in front of a function of the runtime, see `Tasks.c` and `Clocks.c`.
  struct ProcessCapture: Capture {
    /// Whether it has taken place: not if the runtime is linked into the program.
    static let isPossible = sleepless_can_capture()

    let isWholeProcess = true

    func run(for executor: CapturingExecutor, _ body: () -> Void) {
      let previous = sleepless_enter(executor.context)
      defer { _ = sleepless_enter(previous) }
      body()
    }

    func sendOn(_ job: Job) {
      switch job.place {
      case .main: MainRouter.shared.real.enqueue(ExecutorJob(job.job))
      case .actor(let actor):
        sleepless_leave_to_actor(job.task.address, actor.address)
        if job.holdsActor { sleepless_release(actor.address) }
      case .wayBack(let actor):
        GlobalRouter.shared.real.enqueue(ExecutorJob(job.job))
        sleepless_release(actor.address)
      case .simulation, .anywhere: GlobalRouter.shared.real.enqueue(ExecutorJob(job.job))
      }
    }
  }

  extension CapturingExecutor: SchedulingExecutor {
    /// Clocks other than the standard library's have their own means, and where the process is not
    /// captured its clocks are real.
    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      guard context.pointee.captures, let delay = delay as? Duration else {
        return GlobalRouter.shared.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
      }
      admit(alarm: UnownedJob(job), after: delay)
    }
  }

  /// Stands in for the executor of everything that prefers none.
  final class GlobalRouter: TaskExecutor, SchedulingExecutor {
    static let shared = GlobalRouter()
    let real = Task<Never, Never>.defaultExecutor
    private let realTimer = Task<Never, Never>.defaultExecutor as! any SchedulingExecutor

    func enqueue(_ job: consuming ExecutorJob) {
      // Yields come here though their task prefers the simulation, and jobs that are no tasks.
      let job = Job(UnownedJob(job), place: .simulation)
      if sleepless_takes_drain_job(job.task.address) { return }
      guard let executor = CapturingExecutor.current else {
        return real.enqueue(ExecutorJob(job.job))
      }
      if executor.owns(job) { executor.admit(job) } else { real.enqueue(ExecutorJob(job.job)) }
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      if let executor = CapturingExecutor.current, let delay = delay as? Duration {
        return executor.admit(alarm: UnownedJob(job), after: delay)
      }
      realTimer.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
    }

    // The clocks' own sleeps come here. Outside they go on as they are: a delay would have to read
    // the clock, and the real executor would read it once more.
    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      guard CapturingExecutor.current == nil else {
        let delay = clock.now.duration(to: instant)
        return enqueue(job, after: delay, tolerance: tolerance, clock: clock)
      }
      realTimer.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
    }
  }

  /// Stands in for the main actor's executor.
  final class MainRouter: MainExecutor, SchedulingExecutor {
    static let shared = MainRouter()
    let real = MainActor.executor
    private let realTimer = MainActor.executor as! any SchedulingExecutor

    func run() throws { try real.run() }
    func stop() { real.stop() }

    func checkIsolated() {
      let borrowsMain = SimulationExecutor.running?.state.withLock { $0.borrowsMain } ?? false
      guard !borrowsMain else {
        fatalError("Incorrect actor executor assumption: this code is not the main actor's.")
      }
      real.checkIsolated()
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = Job(UnownedJob(job), place: .main)
      if let executor = CapturingExecutor.current, executor.owns(job) {
        executor.noteOnMain(job)
        executor.admit(job)
      } else if let executor = MainTasks.owner(of: job.task) {
        executor.admit(job)
      } else {
        real.enqueue(ExecutorJob(job.job))
      }
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      if let executor = CapturingExecutor.current, let delay = delay as? Duration {
        return executor.admit(alarm: UnownedJob(job), after: delay)
      }
      realTimer.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
    }

    // The clocks' own sleeps come here. Outside they go on as they are: a delay would have to read
    // the clock, and the real executor would read it once more.
    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
      guard CapturingExecutor.current == nil else {
        let delay = clock.now.duration(to: instant)
        return enqueue(job, after: delay, tolerance: tolerance, clock: clock)
      }
      realTimer.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
    }
  }

  /// Where tasks that are no simulation's go when they leave an actor on a simulation's thread.
  private final class ExitExecutor: SerialExecutor {
    static let shared = ExitExecutor()

    func enqueue(_ job: consuming ExecutorJob) { GlobalRouter.shared.real.enqueue(job) }
  }

  /// Makes the routers the process's executors.
  private enum Routers: ExecutorFactory {
    static var mainExecutor: any MainExecutor { MainRouter.shared }
    static var defaultExecutor: any TaskExecutor { GlobalRouter.shared }

    static func install() {
      // The runtime asks an executor at each sleep whether it is a `SchedulingExecutor`.
      sleepless_register_conformances()
      // Made first: each asks the runtime for what it stands in for.
      _ = (GlobalRouter.shared, MainRouter.shared)
      _createExecutors(factory: Routers.self)
      sleepless_install(
        sleepless_hooks(
          task_was_made: { owner, task, name, code, context, comesHere in
            let executor = CapturingExecutor.from(owner!)
            executor.taskWasMade(
              TaskPointer(task!), name: name.map { String(cString: $0) }, code: code,
              context: context, comesHere: comesHere)
          },
          makes_detached: { owner, make, making in
            // It stays where it is until this returns.
            nonisolated(unsafe) let making = making
            return CapturingExecutor.from(owner!).makeDetached { make!(making) }
          },
          task_has_ended: { owner, task in
            let task = TaskPointer(task!)
            let executor = owner.map(CapturingExecutor.from) ?? SimulationExecutor.owner(of: task)
            executor?.taskHasEnded(task)
          },
          clock_is_read: { owner, clock, seconds, nanoseconds in
            let real = Duration(
              secondsComponent: seconds!.pointee,
              attosecondsComponent: nanoseconds!.pointee * 1_000_000_000)
            let time = CapturingExecutor.from(owner!).reading(of: clock, real: real)
            seconds!.pointee = time.components.seconds
            nanoseconds!.pointee = time.components.attoseconds / 1_000_000_000
          },
          context_of: {
            UnsafePointer(CapturingExecutor.from(UnsafeMutableRawPointer(mutating: $0!)).context)
          }))
      ActorExecutorHook.open(exitExecutor: ExitExecutor.shared)
    }
  }

  // The runtime keeps each executor in two plain variables, the object and the table of its
  // functions: whoever enqueues while they are replaced may find one of each. So the loader replaces
  // them before it runs anything else of the program's, which could start threads: the number says
  // so, and no code of users may have a lower one. `Benchmarks/starts` tries it.
  @section(".init_array.00099") @used
  private let installAtLoad: @convention(c) () -> Void = { Routers.install() }
#endif
