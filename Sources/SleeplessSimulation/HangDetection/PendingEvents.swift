import Sleepless

/// Waits for events that something other than a task may bring soon: a timer, a delayed block, a source, a thread that
/// sleeps. `ProcessActivity` sees them for the whole process, also those of other tests.
package enum PendingEvents {
  /// Calls back when nothing is pending and no thread runs. A running thread may be running what was due. Calls back not
  /// later than the limit, which counts as in `HangTimer`. What is due later than the limit is not pending. Returns
  /// false, and does not call back, if nothing is pending now, and where the process is not seen.
  package static func await(
    atMost limit: Duration, onEnd: @escaping @Sendable () -> Void
  ) -> Bool {
    guard ProcessActivity.isSeen else { return false }
    ProcessActivity.beginWatch()
    guard ProcessActivity.unshared(within: limit) == .pending else {
      ProcessActivity.endWatch()
      return false
    }
    let (timer, isOver) = (Locked<HangTimer?>(nil), Locked(false))
    let end = { @Sendable in
      guard isOver.setForTheFirstTime() else { return }
      timer.withLock { $0 }?.cancel()
      ProcessActivity.endWatch()
      onEnd()
    }
    let started = HangTimer(
      limit,
      judgingSlices: {
        if ProcessActivity.unshared(within: limit) == .none { end() }
        return .whole
      }, onSilence: end)
    timer.withLock { $0 = started }
    if isOver.withLock({ $0 }) { started.cancel() }
    return true
  }
}
