import Dispatch

/// Tells when the guard's time is up: the last resort of whatever waits for an event (W1).
///
/// Silence counts only while the machine answers. When the time is up a task is started, as the
/// tasks waited for would have to be; if that takes long itself, they have been waiting for a
/// thread, and the time begins anew.
final class GuardTimer: Sendable {
  private let patience: Duration
  private let priority: TaskPriority
  private let onSilence: @Sendable () -> Void
  private let timer = Locked<(any CancellableType)?>(nil)
  private let isOver = Locked(false)

  /// Starts to count; calls back once, unless cancelled before.
  init(_ patience: Duration, onSilence: @escaping @Sendable () -> Void) {
    self.patience = patience
    priority = Task.currentPriority
    self.onSilence = onSilence
    start()
  }

  func cancel() {
    isOver.withLock { $0 = true }
    timer.withLock { $0.take() }?.cancel()
  }

  private func start() {
    guard !isOver.withLock({ $0 }) else { return }
    // real time: it is what the guard is about
    let timer = DispatchQueue.global().schedule(after: patience) { self.ask() }
    self.timer.withLock { $0 = timer }
  }

  private func ask() {
    let asked = ContinuousClock.now
    Task(priority: priority) {
      guard !isOver.withLock({ $0 }) else { return }
      // A hundredth of a second is long for a thread of a machine that is not overloaded.
      if asked.duration(to: .now) > max(patience / 10, .milliseconds(10)) {
        start()
      } else {
        onSilence()
      }
    }
  }
}
