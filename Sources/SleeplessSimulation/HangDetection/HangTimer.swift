import Dispatch

/// Tells when the guard's time is up: the last resort of whatever waits for an event (W1).
///
/// Silence counts only while the machine answers. The time is cut into ten slices; at the end of
/// each a task is started, as the tasks waited for would have to be. If that takes long itself, or if
/// threads of the process were kept from the cores (see `CPUContention`), whoever is to answer may
/// have been waiting for a thread or a core all the while, and the slice counts for a tenth. The task is
/// waited for no longer than another slice. However busy the machine, and if no thread is to be had
/// at all, the end comes.
package final class HangTimer: Sendable {
  private struct State {
    var tenthsLeft = 100
    var timer: (any CancellableType)?
    var isOver = false
  }

  private let slice: Duration
  private let scheduler: any SchedulerType
  private let wasCPUShort: @Sendable () -> Bool
  private let startTask: @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
  private let onSilence: @Sendable () -> Void
  private let state = Locked(State())

  /// Starts to count real time; calls back once, unless cancelled before.
  package convenience init(_ timeout: Duration, onSilence: @escaping @Sendable () -> Void) {
    let priority = Task.currentPriority
    let contention = Locked(CPUContention())
    self.init(
      timeout, on: DispatchQueue.global(), wasCPUShort: { contention.withLock { $0.wasShort() } },
      onSilence: onSilence
    ) { body in
      Task(priority: priority) { body() }
    }
  }

  /// Counts the time of that scheduler, asks in that way at the end of each slice whether processor
  /// time was short since it was asked last, and starts tasks in that way.
  package init(
    _ timeout: Duration, on scheduler: any SchedulerType,
    wasCPUShort: @escaping @Sendable () -> Bool = { false },
    onSilence: @escaping @Sendable () -> Void,
    startTask: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
  ) {
    slice = timeout / 10
    self.scheduler = scheduler
    self.wasCPUShort = wasCPUShort
    self.startTask = startTask
    self.onSilence = onSilence
    startSlice()
  }

  package func cancel() {
    let timer = state.withLock { state in
      state.isOver = true
      return state.timer.take()
    }
    timer?.cancel()
  }

  private func startSlice() {
    schedule { self.endSlice() }
  }

  private func schedule(_ work: @escaping @Sendable () -> Void) {
    let timer = scheduler.schedule(after: slice) { work() }
    let isOver = state.withLock { state in
      state.timer = timer
      return state.isOver
    }
    if isOver { timer.cancel() }
  }

  private func endSlice() {
    // In shorter time one turn of one thread decides, and to look takes a good part of it.
    let wasShort = slice >= .milliseconds(5) && wasCPUShort()
    let asked = scheduler.now
    let isCounted = Locked(false)
    let count: @Sendable () -> Void = { [self] in
      let isFirst = isCounted.withLock { isCounted in
        defer { isCounted = true }
        return !isCounted
      }
      guard isFirst else { return }
      // A hundredth of a second is long for a thread of a machine that is not overloaded.
      let hasAnswered = scheduler.now - asked <= max(slice / 10, .milliseconds(10))
      let (timer, isOver, isSilent) = state.withLock { state in
        state.tenthsLeft -= hasAnswered && !wasShort ? 10 : 1
        return (state.timer.take(), state.isOver, state.tenthsLeft <= 0)
      }
      timer?.cancel()
      if isOver { return }
      if isSilent { onSilence() } else { startSlice() }
    }
    schedule(count)
    startTask(count)
  }
}
