import CRuntimeHooks

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationExecutor {
  /// Runs a job up to its task's next suspension on another thread. The held task's thread waits here until the job's
  /// task is suspended or blocks its thread.
  ///
  /// Apart from calls that block their thread, this is the only place where another task runs within a step.
  func runWithinStep(_ taken: JobWithinStep) {
    let task = taken.job.task
    let reason = ThreadForJobsWithinSteps.run(isRecorded: taken.isRecorded) { [self] in
      let outer = sleepless_begin_driving(context)
      capture.run(for: self) { sleepless_run(context, task.address, sleepless_executor()) }
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
