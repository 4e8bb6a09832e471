import CRuntimeHooks
import Foundation
import Sleepless

/// A thread that runs jobs within the steps of tasks that are held.
///
/// It is not the held task's thread, because a job may need a lock that the held task has. The job then blocks its own
/// thread only, and the held task can go on and release the lock.
final class ThreadForJobsWithinSteps: Sendable {
  /// One job.
  private final class Run: Sendable {
    let body: @Sendable () -> Void
    /// The job has ended, or has blocked the thread by a call that takes virtual time.
    let hasReturned = ThreadSignal()

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Waits 5 ms at most, and returns whether the job lets the held task go on.
    func waitBriefly() -> Bool {
      // real time: nothing else shows that a thread is blocked
      hasReturned.wait(atMost: .milliseconds(5))
    }
  }

  /// The object of a thread, in that thread's own storage.
  private final class Current: Sendable {
    let thread = Locked<ThreadForJobsWithinSteps?>(nil)
  }

  private static let idle = Locked<[ThreadForJobsWithinSteps]>([])
  private static let current = ThreadLocal { Current() }

  private let next = Locked<Run?>(nil)
  private let hasNext = ThreadSignal()
  private let running = Locked<(run: Run?, isBlocked: Bool)>((nil, false))
  /// The kernel's number of the thread.
  private let number = Locked<CInt>(0)

  /// Runs a job on one of the threads. Returns nil when the job has ended or takes virtual time, and the reason if the
  /// job blocks its thread in another way. The job then goes on beside the caller.
  ///
  /// A job blocks its thread if the thread waits for a lock at ten looks in a row, 5 ms or more apart; if it
  /// waits for anything at 400 looks in a row; or if it has computed for two seconds. With `isRecorded` the
  /// same schedule has run before, and the job has ended in it: then a lock, too, is waited for at 400 looks.
  ///
  /// Where the kernel does not show what a thread does, it counts as waiting for a lock. That repeats a
  /// schedule at worst.
  static func run(
    isRecorded: Bool, _ body: @escaping @Sendable () -> Void
  ) -> BlockingCode.Reason? {
    let thread = idle.withLock { $0.popLast() } ?? start()
    let run = Run(body)
    thread.next.withLock { $0 = run }
    thread.hasNext.send()
    // Most jobs end soon, and a look at the thread costs more than such a job.
    if run.waitBriefly() { return nil }
    var judge = BlockedThreadJudge(thread.number.withLock { $0 })
    while !run.waitBriefly() {
      if let reason = judge.reason(isRecorded: isRecorded) { return reason }
    }
    return nil
  }

  private static func start() -> ThreadForJobsWithinSteps {
    let new = ThreadForJobsWithinSteps()
    let hasStarted = ThreadSignal()
    let thread = Thread {
      new.number.withLock { $0 = sleepless_thread_number() }
      current.value.thread.withLock { $0 = new }
      hasStarted.send()
      while true { new.runNext() }
    }
    thread.name = "Sleepless job within step"
    outsideSimulations { thread.start() }
    hasStarted.wait()
    return new
  }

  private func runNext() {
    hasNext.wait()
    let run = next.withLock { $0.take()! }
    running.withLock { $0 = (run, false) }
    run.body()
    running.withLock { $0 = (nil, false) }
    Self.idle.withLock { $0.append(self) }
    run.hasReturned.send()
  }

  /// Notes that the job of this thread blocks it by a call that takes virtual time: the held task goes on.
  static func noteBlocked() {
    let thread = current.value.thread.withLock { $0 }
    let run = thread?.running.withLock { running in
      running.isBlocked = true
      return running.run
    }
    run?.hasReturned.send()
  }

  /// Whether the job of this thread has blocked it by such a call.
  static var hasBlocked: Bool {
    current.value.thread.withLock { $0 }?.running.withLock { $0.isBlocked } ?? false
  }
}
