import Dispatch
import Sleepless
import Testing

/// Records issues with the task-local values of the place where it was made.
///
/// Swift Testing finds the test that an issue belongs to in task-local values, which detached
/// tasks, dispatch queues and threads do not have. Task-local values cannot be stored, but a task
/// can: the courier is one, made in the test and asleep until somebody fails. It runs on an inline
/// executor, so the issue is recorded on the failing thread before ``deliver(_:at:)`` returns.
///
/// Any thread may call it; failures from several threads are recorded one after the other. The task
/// ends when the courier is released; until then it keeps all task-local values alive, and a
/// `withKnownIssue` around its making matches what it delivers.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, *)
final class Courier: Sendable {
  private let tray = Tray()

  init() {
    // The task must not hold the courier, or `deinit` would never end it.
    Task(executorPreference: InlineExecutor.shared) { [tray] in
      while let letter = await tray.next() {
        letter.record()
      }
    }
  }

  deinit { tray.close() }

  /// Records `message` as an issue of the test the courier was made in, and returns when it is done.
  ///
  /// An issue handler that calls this from inside the recording would wait for itself; it does not
  /// get here, since in there `Test.current` is the owner and the issue is recorded directly.
  func deliver(_ message: String, severity: Issue.Severity = .error, at site: CallSite) {
    let letter = Letter(message: message, severity: severity, site: site)
    tray.put(letter)
    letter.waitUntilRecorded()
  }
}

/// One failure on its way to the courier's task.
private final class Letter: Sendable {
  private let message: String
  private let severity: Issue.Severity
  private let site: CallSite
  private let recorded = DispatchSemaphore(value: 0)

  init(message: String, severity: Issue.Severity, site: CallSite) {
    self.message = message
    self.severity = severity
    self.site = site
  }

  func record() {
    recordIssue(message, severity: severity, at: site)
    recorded.signal()
  }

  func waitUntilRecorded() { recorded.wait() }
}

/// What lies between the failing threads and the courier's task.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, *)
private final class Tray: Sendable {
  private struct State {
    // Not both at once: letters wait only while the task is busy.
    var letters: [Letter] = []
    var sleeper: CheckedContinuation<Letter?, Never>?
    var isClosed = false
  }

  private let state = Locked(State())

  func put(_ letter: Letter) {
    let sleeper = state.withLock { state in
      let sleeper = state.sleeper.take()
      if sleeper == nil { state.letters.append(letter) }
      return sleeper
    }
    sleeper?.resume(returning: letter)
  }

  /// Waits for a letter; nil once closed.
  func next() async -> Letter? {
    await withCheckedContinuation { continuation in
      let letter: Letter?? = state.withLock { state in
        if !state.letters.isEmpty { return .some(state.letters.removeFirst()) }
        if state.isClosed { return .some(nil) }
        state.sleeper = continuation
        return nil
      }
      if let letter { continuation.resume(returning: letter) }
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

/// Runs every job at once, on the thread that enqueues it.
///
/// Before the 6.2 runtime a job run inside another job left the outer one without its current task;
/// hence the version the courier asks for.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, *)
private final class InlineExecutor: TaskExecutor {
  static let shared = InlineExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
  }
}
