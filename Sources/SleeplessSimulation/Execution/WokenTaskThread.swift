import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless

/// A thread that runs the jobs of woken tasks while their wakers are held.
///
/// It is not the waker's thread, because the woken task may need a lock that the waker holds. The woken task
/// then blocks its own thread only, and the waker can go on and release the lock.
final class WokenTaskThread: Sendable {
  /// One job.
  private final class Run: Sendable {
    let body: @Sendable () -> Void
    let hasEnded = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Waits 5 ms at most, and returns whether the job has ended.
    func waitBriefly() -> Bool {
      // real time: nothing else shows that a thread is blocked
      hasEnded.wait(timeout: .now() + .milliseconds(5)) == .success
    }
  }

  private static let idle = Locked<[WokenTaskThread]>([])

  private let next = Locked<Run?>(nil)
  private let hasNext = DispatchSemaphore(value: 0)
  /// The kernel's number of the thread.
  private let number = Locked<CInt>(0)

  /// Runs a job on one of the threads. Returns true when the job has ended, and false if the job blocks its
  /// thread. The job then goes on beside the caller.
  ///
  /// A job blocks its thread if the thread waits for a lock at ten looks in a row, 5 ms or more apart; if it
  /// waits for anything at 400 looks in a row; or if it has computed for two seconds. With `isRecorded` the
  /// same schedule has run before, and the job has ended in it: then a lock, too, is waited for at 400 looks.
  ///
  /// Where the kernel does not show what a thread does, it counts as waiting for a lock. That repeats a
  /// schedule at worst.
  static func run(isRecorded: Bool, _ body: @escaping @Sendable () -> Void) -> Bool {
    let thread = idle.withLock { $0.popLast() } ?? start()
    let run = Run(body)
    thread.next.withLock { $0 = run }
    thread.hasNext.signal()
    // Most jobs end soon, and a look at the thread costs more than such a job.
    if run.waitBriefly() { return true }
    var judge = BlockedThreadJudge(thread.number.withLock { $0 })
    while !run.waitBriefly() {
      if judge.isBlocked(isRecorded: isRecorded) { return false }
    }
    return true
  }

  private static func start() -> WokenTaskThread {
    let new = WokenTaskThread()
    let hasStarted = DispatchSemaphore(value: 0)
    let thread = Thread {
      new.number.withLock { $0 = sleepless_thread_number() }
      hasStarted.signal()
      while true { new.runNext() }
    }
    thread.name = "Sleepless woken task"
    thread.start()
    hasStarted.wait()
    return new
  }

  private func runNext() {
    hasNext.wait()
    let run = next.withLock { $0.take()! }
    run.body()
    Self.idle.withLock { $0.append(self) }
    run.hasEnded.signal()
  }
}
