import Foundation
import SleeplessTesting

/// Runs code in a task of the test, on a thread of its own, which it may block.
///
/// The threads that all tasks share are as few as the machine has cores: tests that block them, side by
/// side, would wait for each other.
func onOwnThread(_ body: @escaping @Sendable () async -> Void) async {
  let thread = OwnThread()
  await Task(executorPreference: thread) { await body() }.value
  thread.end()
}

private final class OwnThread: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isOver = false
  }

  private let state = Locked(State())
  private let news = DispatchSemaphore(value: 0)

  init() {
    Thread.detachNewThread { [self] in
      while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    news.signal()
  }

  func end() {
    state.withLock { $0.isOver = true }
    news.signal()
  }

  /// Waits for a job; nil when there will be none.
  private func next() -> UnownedJob? {
    while true {
      news.wait()
      let (job, isOver) = state.withLock { state in
        (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isOver)
      }
      if job != nil || isOver { return job }
    }
  }
}
