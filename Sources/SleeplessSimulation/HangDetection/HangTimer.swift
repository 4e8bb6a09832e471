import Dispatch

/// Calls back when a wait for an event has lasted as long as its timeout (W1).
///
/// Time counts fully only while the machine runs the process. The timeout is cut into ten slices, and at the
/// end of each a task is started. A slice counts for a tenth if that task starts late, or if threads of the
/// process were kept from the cores (see `CPUContention`): the awaited code may have waited for a thread or a
/// core all the time. The timer waits for the task no longer than another slice, so it fires even when no
/// thread is free. If the process computes meanwhile, its other tests use the threads, and the slice counts for a
/// hundredth; but a hundred times at most, because threads that compute without an end look the same.
package final class HangTimer: Sendable {
  /// What a slice counts.
  package enum Worth: Sendable {
    case whole, tenth, nothing
    /// The time begins again.
    case restart
  }

  private struct State {
    /// Thousandths of the timeout.
    var left = 1000
    /// How many more slices may count for a hundredth.
    var hundredths = 100
    var timer: (any CancellableType)?
    var isOver = false
  }

  private let slice: Duration
  private let scheduler: any SchedulerType
  private let judgeSlice: @Sendable () -> Worth
  private let wasBusy: @Sendable () -> Bool
  private let startTask: @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
  private let onSilence: @Sendable () -> Void
  private let state = Locked(State())

  /// Starts to count real time. Calls back once, unless cancelled before.
  package convenience init(_ timeout: Duration, onSilence: @escaping @Sendable () -> Void) {
    let contention = Locked(CPUContention())
    let demand = { @Sendable in outsideSimulations { contention.withLock { $0.demand() } } }
    self.init(
      timeout, judgingSlices: Self.judge(slicesOf: timeout) { demand().wasShort },
      wasBusy: { Self.isMeasured(slicesOf: timeout) && demand().wasBusy }, onSilence: onSilence)
  }

  /// Starts to count real time. `judgeSlice` is called at the end of each slice; `wasBusy` is called when no task has
  /// started in another slice, and says whether the process computed.
  convenience init(
    _ timeout: Duration, judgingSlices judgeSlice: @escaping @Sendable () -> Worth,
    wasBusy: @escaping @Sendable () -> Bool = { false }, onSilence: @escaping @Sendable () -> Void
  ) {
    let priority = Task.currentPriority
    self.init(
      timeout, on: DispatchQueue.global(), judgingSlices: judgeSlice, wasBusy: wasBusy,
      onSilence: onSilence
    ) { body in
      Task(priority: priority) { body() }
    }
  }

  /// Counts a scheduler's time. `wasCPUShort` is called at the end of each slice and says whether processor
  /// time was short since its last call; `startTask` starts a task.
  package convenience init(
    _ timeout: Duration, on scheduler: any SchedulerType,
    wasCPUShort: @escaping @Sendable () -> Bool = { false },
    onSilence: @escaping @Sendable () -> Void,
    startTask: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
  ) {
    self.init(
      timeout, on: scheduler, judgingSlices: Self.judge(slicesOf: timeout, wasCPUShort),
      onSilence: onSilence, startTask: startTask)
  }

  /// The same; `judgeSlice` is called at the end of each slice and says what it counts, and `wasBusy` when no task
  /// has started in another slice.
  package init(
    _ timeout: Duration, on scheduler: any SchedulerType,
    judgingSlices judgeSlice: @escaping @Sendable () -> Worth,
    wasBusy: @escaping @Sendable () -> Bool = { false },
    onSilence: @escaping @Sendable () -> Void,
    startTask: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
  ) {
    slice = timeout / 10
    self.scheduler = scheduler
    self.judgeSlice = judgeSlice
    self.wasBusy = wasBusy
    self.startTask = startTask
    self.onSilence = onSilence
    startSlice()
  }

  private static func judge(
    slicesOf timeout: Duration, _ wasCPUShort: @escaping @Sendable () -> Bool
  ) -> @Sendable () -> Worth {
    { isMeasured(slicesOf: timeout) && wasCPUShort() ? .tenth : .whole }
  }

  /// A shorter slice is not measured. One turn of one thread would decide the result, and the reading takes a large
  /// part of such a slice.
  private static func isMeasured(slicesOf timeout: Duration) -> Bool {
    timeout / 10 >= .milliseconds(5)
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
    let timer = outsideSimulations { scheduler.schedule(after: slice) { work() } }
    let isOver = state.withLock { state in
      state.timer = timer
      return state.isOver
    }
    if isOver { timer.cancel() }
  }

  private func endSlice() {
    let worth = judgeSlice()
    let started = now
    let isCounted = Locked(false)
    let count: @Sendable (_ isAnswer: Bool) -> Void = { [self] isAnswer in
      guard isCounted.setForTheFirstTime() else { return }
      // On a machine that is not overloaded a task starts in much less than a hundredth of a second.
      let isInTime = now - started <= max(slice / 10, .milliseconds(10))
      let isCrowdedOut = !isAnswer && !isInTime && wasBusy()
      let (timer, isOver, isSilent) = state.withLock { state in
        switch worth {
        case .whole, .tenth:
          if isCrowdedOut, state.hundredths > 0 {
            state.hundredths -= 1
            state.left -= 1
          } else {
            state.left -= isInTime && worth == .whole ? 100 : 10
          }
        case .nothing: break
        case .restart: state.left = 1000
        }
        return (state.timer.take(), state.isOver, state.left <= 0)
      }
      timer?.cancel()
      if isOver { return }
      if isSilent { onSilence() } else { startSlice() }
    }
    schedule { count(false) }
    startTask { count(true) }
  }

  /// Not a read of the test's code; see `ProcessActivity`.
  private var now: Duration { outsideSimulations { scheduler.now } }
}
