import CRuntimeHooks

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension SimulationExecutor {
  /// Runs a woken task up to its next suspension on another thread, while its waker is held on this one, in the
  /// call that has woken the task. The waker's code between two suspensions is not interrupted elsewhere.
  func runBeforeWaker(_ woken: WokenJob) {
    let task = woken.job.task
    let hasReturned = WokenTaskThread.run { [self] in
      capture.run(for: self) { sleepless_run(context, task.address, sleepless_executor()) }
    }
    state.lock().pointee.endWoken(woken, isBlocked: !hasReturned)
    state.unlock()
  }
}
