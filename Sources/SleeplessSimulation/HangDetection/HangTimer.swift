import Dispatch

/// Calls back when a wait for an event has lasted as long as its timeout (W1).
///
/// Time counts fully only while the machine runs the process. The timeout is cut into ten slices, and at the
/// end of each a task is started. A slice counts for a tenth if that task starts late, or if threads of the
/// process were kept from the cores (see `CPUContention`): the awaited code may have waited for a thread or a
/// core all the time. The timer waits for the task another slice, and longer only in the case below, so it fires
/// even when no thread is free.
///
/// If the process computes meanwhile, other tests probably use the threads. Then the timer goes on waiting for the same
/// task, and each further slice counts for a hundredth. That is so two hundred times at most while no other jobs are given to
/// the threads, because threads that compute without an end look the same.
package final class HangTimer: Sendable {
  /// What a slice counts.
  package enum Worth: Sendable {
    case whole, tenth, nothing
    /// The time begins again.
    case restart
  }

  /// What the process did while a task waited for a thread.
  package enum Meanwhile: Sendable {
    /// It asked for less than half of a core, or nobody can tell.
    case idle
    /// It asked for more.
    case computed
    /// It asked for more, and gave other jobs to the threads that run tasks.
    case gaveOtherJobs
  }

  private struct State {
    /// Thousandths of the timeout.
    var left = 1000
    /// How many slices counted for a hundredth since a job was given to the threads, or a task has started.
    var hundredths = 0
    var timer: (any CancellableType)?
    var isOver = false
  }

  private let slice: Duration
  private let scheduler: any SchedulerType
  private let judgeSlice: @Sendable () -> Worth
  private let meanwhile: @Sendable () -> Meanwhile
  private let startTask: @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
  private let onSilence: @Sendable () -> Void
  private let state = Locked(State())

  /// Starts to count real time. Calls back once, unless cancelled before.
  package convenience init(_ timeout: Duration, onSilence: @escaping @Sendable () -> Void) {
    let contention = Locked(CPUContention())
    // Each look is at least a slice after the one before.
    let demand = { @Sendable in
      outsideSimulations {
        contention.withLock { $0.demand(at: .recent(within: timeout / 20)) }
      }
    }
    let latestCount = Locked(ProcessActivity.jobCount)
    let gaveJobs = { @Sendable in
      let count = ProcessActivity.jobCount
      return latestCount.withLock { latest in
        defer { latest = count }
        return latest != count
      }
    }
    self.init(
      timeout,
      judgingSlices: Self.judge(slicesOf: timeout) {
        _ = gaveJobs()
        return demand().wasShort
      },
      meanwhile: {
        guard Self.isMeasured(slicesOf: timeout), demand().wasBusy else { return .idle }
        return gaveJobs() ? .gaveOtherJobs : .computed
      }, onSilence: onSilence)
  }

  /// Starts to count real time. `judgeSlice` is called at the end of each slice; `meanwhile` is called when no task has
  /// started in another slice.
  convenience init(
    _ timeout: Duration, judgingSlices judgeSlice: @escaping @Sendable () -> Worth,
    meanwhile: @escaping @Sendable () -> Meanwhile = { .idle },
    onSilence: @escaping @Sendable () -> Void
  ) {
    let priority = Task.currentPriority
    self.init(
      timeout, on: DispatchQueue.global(), judgingSlices: judgeSlice, meanwhile: meanwhile,
      onSilence: onSilence
    ) { body in
      // The timers' own tasks do not show that others get threads.
      outsideSimulations { _ = Task(priority: priority) { body() } }
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

  /// The same; `judgeSlice` is called at the end of each slice and says what it counts, and `meanwhile` when no task
  /// has started in another slice.
  package init(
    _ timeout: Duration, on scheduler: any SchedulerType,
    judgingSlices judgeSlice: @escaping @Sendable () -> Worth,
    meanwhile: @escaping @Sendable () -> Meanwhile = { .idle },
    onSilence: @escaping @Sendable () -> Void,
    startTask: @escaping @Sendable (_ body: @escaping @Sendable () -> Void) -> Void
  ) {
    slice = timeout / 10
    self.scheduler = scheduler
    self.judgeSlice = judgeSlice
    self.meanwhile = meanwhile
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
    let start = now
    let isCounted = Locked(false)
    awaitTask(startedAt: start, isCounted, countingSliceAs: worth)
    startTask { [self] in
      guard isCounted.setForTheFirstTime() else { return }
      state.withLock { $0.hundredths = 0 }
      count(worth, isInTime: isInTime(since: start))
    }
  }

  /// Waits another slice for the task that was started at the end of one, and further slices while it is crowded out.
  private func awaitTask(
    startedAt start: Duration, _ isCounted: Locked<Bool>, countingSliceAs worth: Worth
  ) {
    schedule { [self] in
      let isInTime = isInTime(since: start)
      let goesOn = !isInTime && countsForHundredth(meanwhile())
      // Scheduled under the lock, so that a task that starts meanwhile does not begin the next slice before.
      let isLast = isCounted.withLock { wasCounted in
        if goesOn, !wasCounted {
          awaitTask(startedAt: start, isCounted, countingSliceAs: worth)
          return false
        }
        defer { wasCounted = true }
        return !wasCounted
      }
      if isLast { count(worth, isInTime: isInTime) }
    }
  }

  /// On a machine that is not overloaded a task starts in much less than a hundredth of a second.
  private func isInTime(since start: Duration) -> Bool {
    now - start <= max(slice / 10, .milliseconds(10))
  }

  /// Counts a slice for a hundredth if others have the threads that a task waits for. Returns whether to wait on.
  private func countsForHundredth(_ meanwhile: Meanwhile) -> Bool {
    state.withLock { state in
      switch meanwhile {
      case .idle: return false
      case .computed: state.hundredths += 1
      case .gaveOtherJobs: state.hundredths = 0
      }
      guard state.hundredths <= 200 else { return false }
      state.left -= 1
      return state.left > 0
    }
  }

  private func count(_ worth: Worth, isInTime: Bool) {
    let (timer, isOver, isSilent) = state.withLock { state in
      switch worth {
      case .whole, .tenth: state.left -= isInTime && worth == .whole ? 100 : 10
      case .nothing: break
      case .restart: state.left = 1000
      }
      return (state.timer.take(), state.isOver, state.left <= 0)
    }
    timer?.cancel()
    if isOver { return }
    if isSilent { onSilence() } else { startSlice() }
  }

  /// Not a read of the test's code; see `ProcessActivity`.
  private var now: Duration { outsideSimulations { scheduler.now } }
}
