extension SchedulerType {
  /// Suspends the task until a duration has passed on the scheduler; a negative one counts as zero.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let toast = Task { try await scheduler.sleep(for: .seconds(2)) }
  /// await scheduler.clock.waitForSleepers()
  /// await scheduler.advance(by: .seconds(2))
  /// try await toast.value  // the sleep has ended
  /// ```
  ///
  /// If the task is cancelled, the sleep ends at once, its work is cancelled too, and `CancellationError` is thrown.
  public func sleep(
    for duration: Duration, tolerance: Duration = .zero, label: String? = "sleep",
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    if let scheduler = self as? any SchedulerWithSleep {
      return try await scheduler.sleep(for: duration, label: label, at: site)
    }
    let sleep = ScheduledSleep()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        guard sleep.begin(continuation) else { return }
        sleep.keep(
          schedule(after: duration, tolerance: tolerance, label: label, at: site) {
            sleep.end(.success(()))
          })
      }
    } onCancel: {
      sleep.end(.failure(CancellationError()))
    }
  }

  /// Measures the time that passes on the scheduler while the work runs.
  ///
  /// An ``ImmediateScheduler``, whose time stands still, measures zero.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let elapsed = await scheduler.measure { await scheduler.advance(by: .seconds(3)) }
  /// print(elapsed)  // prints 3.0 seconds
  /// ```
  public func measure(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Void
  ) async rethrows -> Duration {
    let start = now
    try await work()
    return now - start
  }
}

/// A scheduler on which tasks sleep by other means than scheduled work.
package protocol SchedulerWithSleep: SchedulerType {
  func sleep(for duration: Duration, label: String?, at site: CallSite) async throws
}

/// A sleep of a task: it ends once, when its work runs or when it is cancelled.
private final class ScheduledSleep: Sendable {
  private enum State {
    case beginning
    case asleep(CheckedContinuation<Void, any Error>, work: (any CancellableType)?)
    case over
  }

  private let state = Locked(State.beginning)

  /// Begins the sleep; if it has been cancelled before, resumes the task at once and returns false.
  func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
    let isOver = state.withLock { state in
      if case .over = state { return true }
      state = .asleep(continuation, work: nil)
      return false
    }
    if isOver { continuation.resume(throwing: CancellationError()) }
    return !isOver
  }

  /// Keeps the work that ends the sleep, to cancel it; cancels it now if the sleep is over.
  func keep(_ work: any CancellableType) {
    let isOver = state.withLock { state in
      guard case .asleep(let continuation, _) = state else { return true }
      state = .asleep(continuation, work: work)
      return false
    }
    if isOver { work.cancel() }
  }

  func end(_ result: Result<Void, any Error>) {
    let old = state.withLock { state in
      defer { state = .over }
      return state
    }
    guard case .asleep(let continuation, let work) = old else { return }
    work?.cancel()
    continuation.resume(with: result)
  }
}
