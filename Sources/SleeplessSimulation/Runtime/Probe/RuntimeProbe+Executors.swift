#if SLEEPLESS_CAPTURES_PROCESS
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
  import CRuntimeHooks
  import Sleepless

  // The process's executors, and the jobs that their replacements get.
  extension RuntimeProbe {
    /// `GlobalRouter` and `MainRouter` make these two casts.
    static func sampleRuntimeExecutors() -> Bool {
      note(
        sleepless_fact_runtime_executors,
        Task<Never, Never>.defaultExecutor is any SchedulingExecutor
          && MainActor.executor is any SchedulingExecutor)
    }

    static func sampleProcessExecutors() -> Bool {
      let hasRun = Locked(0)
      let job = nextJob { Task { hasRun.withLock { $0 += 1 } } }
      let mainJob = nextJob { Task { @MainActor in hasRun.withLock { $0 += 1 } } }
      guard let job, let mainJob, sleepless_is_task(job), sleepless_is_task(mainJob) else {
        return note(sleepless_fact_process_executors, false)
      }
      unsafeBitCast(job, to: UnownedJob.self).runSynchronously(on: .generic)
      unsafeBitCast(mainJob, to: UnownedJob.self)
        .runSynchronously(on: MainActor.sharedUnownedExecutor)
      return note(sleepless_fact_process_executors, hasRun.withLock { $0 } == 2)
    }

    /// The first job that a replaced executor or the actor hook gets while a function runs.
    private static func nextJob(_ body: () -> Void) -> UnsafeMutableRawPointer? {
      var job: UnsafeMutableRawPointer?
      withUnsafeMutablePointer(to: &job) { place in
        let outer = sleepless_keep_next_job(place)
        body()
        _ = sleepless_keep_next_job(outer)
      }
      return job
    }

    static func sampleActorJobs() -> Bool {
      let sample = sleepless_begin_sampling()!
      defer { sleepless_end_sampling() }
      let entered = ProbeCapture().enter(ProbeActor())
      return note(sleepless_fact_actor_jobs, entered == 1 && sample.pointee.drains)
    }

    /// A task hops to an actor. The actor hook gets its job, and an entry runs the job in the actor.
    static func sampleActorExecutors() -> Bool {
      let capture = ProbeCapture()
      let actor = ProbeActor()
      let isInActor = Locked(false)
      let job = nextJob {
        let outer = sleepless_enter(capture.context)
        Task(executorPreference: capture) {
          let isIsolated = await actor.isIsolatedHere()
          isInActor.withLock { $0 = isIsolated }
        }
        sleepless_return_to(outer)
        capture.runAdmittedJob()
      }
      guard let job else { return note(sleepless_fact_actor_executors, false) }
      capture.jobInActor = (job, ActorExecutorHook.executor(of: ActorPointer(actor.address)))
      let entered = capture.enter(actor)
      // After the hop the task is outside the actor, and `capture` has its job.
      capture.runAdmittedJob()
      return note(sleepless_fact_actor_executors, entered == 1 && isInActor.withLock { $0 })
    }
  }

  /// A capturing executor, as a simulation is one, that holds one job.
  private final class ProbeCapture: CapturingExecutor, @unchecked Sendable {
    // Unchecked because the probe uses it on one thread.

    /// The job that the next entry runs in its actor, and the executor to run it on.
    var jobInActor: (job: UnsafeMutableRawPointer, executor: sleepless_executor)?
    /// The latest job that has come here.
    private var admitted: Job?
    private var entryCount = 0

    init() { super.init(captures: true, hasClocks: true) }

    override func admit(_ job: Job, onlyIfOwn: Bool) -> Bool {
      admitted = job
      return true
    }

    func runAdmittedJob() {
      guard let job = admitted.take() else { return }
      let outer = sleepless_enter(context)
      sleepless_run(context, job.task.address, sleepless_executor())
      sleepless_return_to(outer)
    }

    /// Runs an entry in an actor; returns how many entries have run for this executor.
    func enter(_ actor: ProbeActor) -> Int {
      var entry = sleepless_actor_entry()
      entry.executor_context = UnsafePointer(context)
      entry.argument = context.pointee.owner
      entry.run = { executor in
        let capture = CapturingExecutor.from(executor!) as! ProbeCapture
        capture.entryCount += 1
        guard let (job, executor) = capture.jobInActor.take() else { return }
        sleepless_run(capture.context, job, executor)
      }
      withUnsafeMutablePointer(to: &entry) { sleepless_enter_actor($0, actor.address) }
      return entryCount
    }
  }

  extension ProbeActor {
    fileprivate func isIsolatedHere() -> Bool { sleepless_is_isolated(address) }
  }
#endif
