#if SLEEPLESS_CAPTURES_PROCESS
  import CRuntimeHooks
  import Sleepless

  // How tasks are created, run and end.
  extension RuntimeProbe {
    static func sampleJobs() -> Bool {
      let executor = ProbeExecutor()
      executor.holdsJobs = true
      let current = Locked<TaskPointer?>(nil)
      Task(executorPreference: executor) {
        let isPreferred = sleepless_preferred_executor().identity == executor.address
        if isPreferred { current.withLock { $0 = .current } }
      }
      guard let job = executor.jobs.first else { return note(sleepless_fact_job_kinds, false) }
      let task = unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
      guard note(sleepless_fact_job_kinds, sleepless_is_task(task)),
        note(sleepless_fact_job_shape, sleepless_learn_job_shape())
      else { return false }
      executor.runJobs()
      let isNone = TaskPointer.current == nil && sleepless_preferred_executor().identity == nil
      // A task is its own job: both are one object.
      return note(
        sleepless_fact_current_task, current.withLock { $0 } == TaskPointer(task) && isNone)
    }

    /// Creates five tasks. The runtime does not enqueue those without a preference, so they are run here.
    static func sampleCreations(_ sample: UnsafeMutablePointer<sleepless_sample>) -> Bool {
      let executor = ProbeExecutor()

      Task {}
      let plain = sample.pointee
      sleepless_run_sampled_task(plain.task, executor.shape)
      Task.detached {}
      let detached = sample.pointee
      sleepless_run_sampled_task(detached.task, executor.shape)
      Task(name: "probe") {}
      let named = sample.pointee
      sleepless_run_sampled_task(named.task, executor.shape)
      Task(executorPreference: executor) {}
      let preferring = sample.pointee
      Task { @MainActor in }
      let starting = sample.pointee
      sleepless_run_sampled_task(starting.task, executor.shape)

      let hasFlags =
        plain.creation_count + 4 == starting.creation_count && !plain.is_child
        && plain.copies_locals && plain.is_enqueued && !detached.is_child
        && !detached.copies_locals && detached.is_enqueued && preferring.is_enqueued
      let hasRecords =
        name(of: plain) == "" && name(of: named) == "probe" && plain.preference == nil
        && preferring.preference == executor.address && plain.start == nil
        && starting.start == mainExecutor.identity
      return note(sleepless_fact_creation_flags, hasFlags)
        && note(sleepless_fact_creation_records, hasRecords)
    }

    private static var mainExecutor: sleepless_executor {
      unsafeBitCast(MainActor.sharedUnownedExecutor, to: sleepless_executor.self)
    }

    private static func name(of sample: sleepless_sample) -> String {
      withUnsafeBytes(of: sample.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    static func sampleChildTasks(_ sample: UnsafeMutablePointer<sleepless_sample>) -> Bool {
      let executor = ProbeExecutor()
      let holds = Locked(false)
      nonisolated(unsafe) let sample = sample
      Task(executorPreference: executor) {
        async let one = 1
        let isAsyncLet = sample.pointee.is_async_let
        let sum = await withTaskGroup(of: Int.self) { group in
          group.addTask { 2 }
          return await group.next() ?? 0
        }
        let isChild = sample.pointee.is_child
        let total = await one + sum
        holds.withLock { $0 = isAsyncLet && isChild && total == 3 }
      }
      return note(sleepless_fact_child_tasks, holds.withLock { $0 })
    }

    /// Suspends a task, looks at it in each of its states, and lets it end. Another one is cancelled and throws.
    static func sampleSuspension(_ sample: UnsafeMutablePointer<sleepless_sample>) -> Bool {
      let executor = ProbeExecutor()
      let suspended = Locked<UnsafeContinuation<Void, Never>?>(nil)
      let canRunWhileRunning = Locked(false)
      let endCount = sample.pointee.end_count
      Task(executorPreference: executor) {
        let task = TaskPointer.current
        canRunWhileRunning.withLock { $0 = task.map { sleepless_can_run($0.address) } ?? false }
        await suspend(suspended)
      }
      let created = sample.pointee
      guard let continuation = suspended.withLock({ $0 }), created.has_context,
        hasFrames(created.task), note(sleepless_fact_task_context, true)
      else { return note(sleepless_fact_task_context, false) }
      let canRunWhileSuspended = sleepless_can_run(created.task)
      executor.holdsJobs = true
      continuation.resume()
      let canRunWhileEnqueued = sleepless_can_run(created.task)
      let hasStatus =
        created.has_status && canRunWhileRunning.withLock { $0 } && !canRunWhileSuspended
        && canRunWhileEnqueued
      guard note(sleepless_fact_task_status, hasStatus) else {
        executor.runJobs()
        return false
      }
      executor.runJobs()
      let ended = sample.pointee
      let throwing = Task(executorPreference: executor) { throw CancellationError() }
      throwing.cancel()
      executor.runJobs()
      let thrown = sample.pointee
      let hasEnded =
        created.ends_in_runtime && ended.end_count == endCount + 1
        && ended.ended_task == created.task && !ended.ended_by_error
        && thrown.end_count == endCount + 2 && thrown.ended_task == thrown.task
        && thrown.ended_by_error
      return note(sleepless_fact_task_endings, hasEnded)
        && note(sleepless_fact_task_cancels, thrown.cancelled_task == thrown.task)
    }

    @inline(never)
    private static func suspend(_ continuation: Locked<UnsafeContinuation<Void, Never>?>) async {
      await withUnsafeContinuation { new in continuation.withLock { $0 = new } }
    }

    /// Whether the functions of a suspended task are found: the innermost in this program, the others in any loaded
    /// file.
    private static func hasFrames(_ task: UnsafeMutableRawPointer) -> Bool {
      var frames = [UnsafeRawPointer?](repeating: nil, count: 8)
      let count = Int(sleepless_suspended_frames(task, &frames, CInt(frames.count)))
      let files = frames[..<count].map { ImageLocation(of: $0)?.file }
      return count >= 2 && files[0] == ImageLocation(of: #dsohandle)?.file && !files.contains(nil)
    }

    @TaskLocal private static var local = 0

    static func sampleLocals(_ sample: UnsafeMutablePointer<sleepless_sample>) -> Bool {
      let executor = ProbeExecutor()
      let seen = Locked(0)
      sleepless_add_locals_when_sampling(true)
      defer { sleepless_add_locals_when_sampling(false) }
      Task(executorPreference: executor) {
        $local.withValue(3) {
          _ = Task.detached(executorPreference: executor) { seen.withLock { $0 = local } }
        }
      }
      return note(sleepless_fact_detached_locals, seen.withLock { $0 } == 3)
    }

    /// Creates two tasks to which the executor is added: in a new record, and in the record of a preference that is
    /// nil. Each has to hold one reference until it ends.
    static func sampleOwnership() -> Bool {
      let executor = ProbeExecutor()
      executor.holdsJobs = true
      // If a task released more than it holds, these references would keep the executor alive.
      let object = Unmanaged.passRetained(executor).retain()
      let address = UnsafeRawPointer(object.toOpaque())
      let count = sleepless_retain_count(address)
      sleepless_add_preference_when_sampling(executor.shape)
      Task {}
      Task(executorPreference: nil) {}
      sleepless_add_preference_when_sampling(sleepless_executor())
      let held = sleepless_retain_count(address)
      executor.runJobs()
      let left = sleepless_retain_count(address)
      let isBalanced = held == count + 2 && left == count
      if isBalanced {
        object.release()
        object.release()
      }
      return withExtendedLifetime(executor) {
        note(sleepless_fact_executor_ownership, isBalanced)
      }
    }
  }
#endif
