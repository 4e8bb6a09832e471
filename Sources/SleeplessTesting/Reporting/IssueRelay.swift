import Dispatch
import Sleepless

/// Runs code with the task-local values of the place where it was made: to record issues, mostly.
///
/// Swift Testing finds the test of an issue by task-local values, which detached tasks, dispatch queues
/// and threads do not have. Task-local values cannot be stored, but a task keeps them. So the relay
/// starts a task in the test, which waits for calls. The task runs on an inline executor: a call runs on
/// the failing thread, before ``run(_:)`` returns.
///
/// Any thread may call it; calls from several threads run one after the other. The task ends when the
/// relay is released. Until then it keeps all task-local values alive, and a `withKnownIssue` around the
/// making of the relay matches the issues that it records.
package final class IssueRelay: Sendable {
  private let calls: AsyncStream<@Sendable () -> Void>.Continuation

  /// Starts the task; nil on systems whose runtime cannot run one.
  package init?() {
    guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) else { return nil }
    let (stream, calls) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
    self.calls = calls
    // The task must not hold the relay, or `deinit` would never end it.
    Task(executorPreference: InlineExecutor.shared) {
      for await call in stream { call() }
    }
  }

  deinit { calls.finish() }

  /// Runs code as part of the relay's task, and returns when it is done.
  ///
  /// Code that runs here must not call it again: the task would wait for itself. An issue handler does
  /// not, since `Test.current` is the helper's test there and the issue is recorded directly.
  func run(_ code: @escaping @Sendable () -> Void) {
    let isDone = ThreadSignal()
    calls.yield {
      code()
      isDone.send()
    }
    isDone.wait()
  }
}
