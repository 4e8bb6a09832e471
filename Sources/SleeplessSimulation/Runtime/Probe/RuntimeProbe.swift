#if SLEEPLESS_CAPTURES_PROCESS
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
  import CRuntimeHooks

  /// Samples the facts about the runtime that simulations rely on, with tasks and actors that it creates for the
  /// purpose.
  ///
  /// It runs on the loader's thread, when the process loads. Its tasks run on that thread too, mostly inside the
  /// calls that enqueue them. The stand-ins (the library's definitions of functions of the runtime) note the
  /// probe's calls in a `sleepless_sample`, and call the real functions.
  enum RuntimeProbe {
    /// Samples the facts that need no replaced executors; false if a fact does not hold.
    static func sampleBeforeInstalling() -> Bool {
      guard note(sleepless_fact_stand_ins, sleepless_stands_in()),
        note(sleepless_fact_executor_shape, hasExecutorShape)
      else { return false }
      let sample = sleepless_begin_sampling()!
      defer { sleepless_end_sampling() }
      // Each of these needs the facts before it.
      return sampleJobs() && sampleCreations(sample) && sampleChildTasks(sample)
        && sampleSuspension(sample) && sampleLocals(sample) && sampleOwnership()
        && sampleHops(sample) && sampleSleeps() && sampleClocks(sample) && sampleClosures()
        && sampleObjects() && sampleRuntimeExecutors()
    }

    /// Samples the facts that need the replaced executors; false if a fact does not hold.
    static func sampleAfterInstalling() -> Bool {
      sampleProcessExecutors() && sampleActorJobs() && sampleActorExecutors()
    }

    static func note(_ fact: sleepless_fact, _ holds: Bool) -> Bool {
      sleepless_note_fact(fact, holds)
    }

    private static var hasExecutorShape: Bool {
      let executor = ProbeExecutor()
      guard MemoryLayout<UnownedTaskExecutor>.size == MemoryLayout<sleepless_executor>.size,
        MemoryLayout<UnownedSerialExecutor>.size == MemoryLayout<sleepless_executor>.size,
        MemoryLayout<UnownedJob>.size == MemoryLayout<UnsafeRawPointer>.size
      else { return false }
      let task = executor.shape
      // An actor without an executor of its own has no table.
      let actor = ProbeActor()
      let ofActor = unsafeBitCast(actor.unownedExecutor, to: sleepless_executor.self)
      return task.identity == executor.address && task.implementation != 0
        && ofActor.identity == actor.address && ofActor.implementation == 0
    }
  }

  /// Runs each job inside the call that enqueues it, or after the job that runs then. With `holdsJobs` it keeps
  /// jobs until `runJobs()`. It keeps the jobs that end sleeps until `endSleeps()`.
  final class ProbeExecutor: TaskExecutor, SchedulingExecutor, @unchecked Sendable {
    // Unchecked because the probe uses it on one thread.

    var holdsJobs = false
    private(set) var jobs: [UnownedJob] = []
    /// The jobs that end sleeps. They are no tasks, and any executor may run them.
    private var alarms: [UnownedJob] = []
    private(set) var sleeps: [Duration] = []
    private var isRunning = false

    var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

    var shape: sleepless_executor {
      unsafeBitCast(asUnownedTaskExecutor(), to: sleepless_executor.self)
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      if sleepless_takes_first_job(unsafeBitCast(job, to: UnsafeMutableRawPointer.self)) { return }
      jobs.append(job)
      if !holdsJobs { runJobs() }
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      if let delay = delay as? Duration { sleeps.append(delay) }
      alarms.append(UnownedJob(job))
    }

    func runJobs() {
      guard !isRunning else { return }
      isRunning = true
      while !jobs.isEmpty { jobs.removeFirst().runSynchronously(on: asUnownedTaskExecutor()) }
      isRunning = false
    }

    /// Ends sleeps, and runs what follows, until nothing sleeps.
    func endSleeps() {
      while !alarms.isEmpty { alarms.removeFirst().runSynchronously(on: .generic) }
    }
  }
#endif
