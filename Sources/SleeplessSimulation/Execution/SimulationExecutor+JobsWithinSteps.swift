import CRuntimeHooks

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationExecutor {
  /// Runs the job of a woken task, and goes on with it where it only hops to another executor, if the strategy does.
  func runWoken(_ woken: JobWithinStep) {
    var next: JobWithinStep? = woken
    while let taken = next {
      runWithinStep(taken)
      next = state.lock().pointee.takeHopped(after: taken)
      state.unlock()
    }
  }

  /// Runs a job up to its task's next suspension on another thread. The held task's thread waits here until the job's
  /// task is suspended or blocks its thread.
  ///
  /// Apart from calls that block their thread, this is the only place where another task runs within a step.
  func runWithinStep(_ taken: JobWithinStep) {
    let (job, step) = (taken.job, taken.step)
    let reason = ThreadForJobsWithinSteps.run(isRecorded: taken.isRecorded) { [self] in
      let outer = sleepless_begin_driving(context)
      capture.run(for: self) {
        if let actor = job.actor {
          EntryWithinStep(job, in: step, self).enter(actor)
        } else {
          sleepless_run(context, job.task.address, sleepless_executor())
        }
      }
      _ = sleepless_begin_driving(outer)
      if ThreadForJobsWithinSteps.hasBlocked { passTurnOn() }
    }
    state.lock().pointee.end(taken, blockedBy: reason)
    state.unlock()
  }

  /// Runs other jobs before a `sync` or a wait for a semaphore in this thread's job, if the strategy of an exploration
  /// chooses some. On real threads other code may run there, too.
  func letOthersRunFirst() {
    guard options.controller != nil, let place = state.withLock({ $0.noteCall() }) else { return }
    // Not under the lock: to unwind the stack may take the loader's lock.
    var call = HeldCall(place: place, stack: Self.jobStack)
    while let taken = state.withLock({ $0.takeJob(before: &call) }) { runWithinStep(taken) }
  }
}

/// The entry of a job into an actor, while a task is held. The executor's own entry may be in use: by the held task.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private final class EntryWithinStep {
  private let job: Job
  private let step: Int
  private let executor: SimulationExecutor
  private let entry = UnsafeMutablePointer<sleepless_actor_entry>.allocate(capacity: 1)
  private let hasEnded = ThreadSignal()

  init(_ job: Job, in step: Int, _ executor: SimulationExecutor) {
    self.job = job
    self.step = step
    self.executor = executor
    entry.initialize(to: sleepless_actor_entry())
  }

  deinit { entry.deallocate() }

  /// Returns when the job has run up to its task's next suspension. If code outside the simulation is in the actor, that
  /// thread runs the job when it leaves.
  func enter(_ actor: ActorPointer) {
    entry.pointee.executor_context = UnsafePointer(executor.context)
    entry.pointee.argument = Unmanaged.passRetained(self).toOpaque()
    entry.pointee.run = { argument in
      let hasEnded = EntryWithinStep.run(argument!)
      // This thread no longer retains the executor, which must not be released for the last time here.
      hasEnded.send()
    }
    sleepless_enter_actor(entry, actor.address)
    hasEnded.wait()
  }

  private static func run(_ argument: UnsafeMutableRawPointer) -> ThreadSignal {
    let entry = Unmanaged<EntryWithinStep>.fromOpaque(argument).takeRetainedValue()
    entry.executor.runJobInActor((entry.job, entry.step))
    return entry.hasEnded
  }
}
