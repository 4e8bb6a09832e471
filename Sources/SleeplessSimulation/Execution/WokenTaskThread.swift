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
  }

  private static let idle = Locked<[WokenTaskThread]>([])

  private let next = Locked<Run?>(nil)
  private let hasNext = DispatchSemaphore(value: 0)
  /// The kernel's number of the thread.
  private let number = Locked<CInt>(0)

  /// Runs a job on one of the threads. Returns true when the job has ended, and false if the job seems to
  /// block its thread: if the thread is not runnable at ten looks in a row, 5 ms or more apart, or if it
  /// has computed for two seconds. The job then goes on beside the caller.
  ///
  /// A job that waits so long for a file or in `usleep` counts as blocking, too. Where the kernel does not
  /// show the state of threads, this function waits until the job ends.
  static func run(_ body: @escaping @Sendable () -> Void) -> Bool {
    let thread = idle.withLock { $0.popLast() } ?? start()
    let run = Run(body)
    thread.next.withLock { $0 = run }
    thread.hasNext.signal()
    let number = thread.number.withLock { $0 }
    let atStart = CPUContention.Reading.Thread(number)?.ran ?? .zero
    var sleeps = 0
    // real time: nothing else shows that a thread is blocked
    while run.hasEnded.wait(timeout: .now() + .milliseconds(5)) == .timedOut {
      // Where the kernel says nothing of the thread it counts as asleep: that costs a repeated schedule only.
      let thread = CPUContention.Reading.Thread(number)
      sleeps = thread?.isRunnable == true ? 0 : sleeps + 1
      let ran = (thread?.ran ?? .zero) - atStart
      if sleeps == 10 || ran > .seconds(2) { return false }
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
