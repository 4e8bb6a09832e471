import CRuntimeHooks

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationExecutor {
  /// Runs a woken task up to its next suspension on another thread. This thread waits meanwhile, in the
  /// waker's call that has woken the task. So the waker goes on when the woken task is suspended or
  /// blocks its thread.
  ///
  /// Everywhere else, no other task runs between two suspensions of a task.
  func runBeforeWaker(_ woken: WokenJob) {
    let task = woken.job.task
    let hasReturned = WokenTaskThread.run(isRecorded: woken.isRecorded) { [self] in
      let outer = sleepless_begin_driving(context)
      capture.run(for: self) { sleepless_run(context, task.address, sleepless_executor()) }
      _ = sleepless_begin_driving(outer)
      if WokenTaskThread.hasBlocked { passTurnOn() }
    }
    state.lock().pointee.endWoken(woken, isBlocked: !hasReturned)
    state.unlock()
  }
}
