import Dispatch
import Sleepless
import Testing

/// Does things with the task-local values of the place where it was made: records issues, mostly.
///
/// Swift Testing finds the test that an issue belongs to in task-local values, which detached
/// tasks, dispatch queues and threads do not have. Task-local values cannot be stored, but a task
/// can: the courier is one, made in the test and asleep until somebody fails. It runs on an inline
/// executor, so the issue is recorded on the failing thread before ``deliver(_:at:)`` returns.
///
/// Any thread may call it; errands of several threads are run one after the other. The task ends when
/// the courier is released; until then it keeps all task-local values alive, and a `withKnownIssue`
/// around its making matches what it delivers.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, *)
final class IssueRelay: Sendable {
  private let mailbox = Mailbox()

  init() {
    // The task must not hold the courier, or `deinit` would never end it.
    Task(executorPreference: InlineExecutor.shared) { [mailbox] in
      while let call = await mailbox.next() {
        call.run()
      }
    }
  }

  deinit { mailbox.close() }

  /// Records `message` as an issue of the test the courier was made in, and returns when it is done.
  ///
  /// An issue handler that calls this from inside the recording would wait for itself; it does not
  /// get here, since in there `Test.current` is the owner and the issue is recorded directly.
  func deliver(_ message: String, severity: Issue.Severity = .error, at site: CallSite) {
    run { recordIssue(message, severity: severity, at: site) }
  }

  /// Runs code as part of the courier's task, and returns when it is done.
  func run(_ code: @escaping @Sendable () -> Void) {
    let call = RelayedCall(code)
    mailbox.put(call)
    call.waitUntilRun()
  }
}

/// What somebody wants the courier's task to do.
private final class RelayedCall: Sendable {
  private let code: @Sendable () -> Void
  private let isDone = DispatchSemaphore(value: 0)

  init(_ code: @escaping @Sendable () -> Void) { self.code = code }

  func run() {
    code()
    isDone.signal()
  }

  func waitUntilRun() { isDone.wait() }
}

/// What lies between the calling threads and the courier's task.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, *)
private final class Mailbox: Sendable {
  private struct State {
    // Not both at once: errands wait only while the task is busy.
    var calls: [RelayedCall] = []
    var sleeper: CheckedContinuation<RelayedCall?, Never>?
    var isClosed = false
  }

  private let state = Locked(State())

  func put(_ call: RelayedCall) {
    let sleeper = state.withLock { state in
      let sleeper = state.sleeper.take()
      if sleeper == nil { state.calls.append(call) }
      return sleeper
    }
    sleeper?.resume(returning: call)
  }

  /// Waits for a errand; nil once closed.
  func next() async -> RelayedCall? {
    await withCheckedContinuation { continuation in
      let call: RelayedCall?? = state.withLock { state in
        if !state.calls.isEmpty { return .some(state.calls.removeFirst()) }
        if state.isClosed { return .some(nil) }
        state.sleeper = continuation
        return nil
      }
      if let call { continuation.resume(returning: call) }
    }
  }

  func close() {
    let sleeper = state.withLock { state in
      state.isClosed = true
      return state.sleeper.take()
    }
    sleeper?.resume(returning: nil)
  }
}
