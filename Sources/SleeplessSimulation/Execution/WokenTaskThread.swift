import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless

/// A thread that runs the jobs of woken tasks while their wakers are held.
///
/// It is another thread than the waker's, because the woken task may need a lock that the waker holds. Then neither
/// can go on, and the waker must, so that it releases the lock.
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
  /// The system's number of the thread.
  private let number = Locked<CInt>(0)

  /// Runs a job on one of the threads. Returns true when the job has ended, and false if it blocks its thread:
  /// if the thread sleeps in the kernel for 50 ms, or if it has computed for two seconds. The job then goes on
  /// beside the caller.
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
      guard let thread = CPUContention.Reading.Thread(number) else { continue }
      sleeps = thread.isRunnable ? 0 : sleeps + 1
      if sleeps == 10 || thread.ran - atStart > .seconds(2) { return false }
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
