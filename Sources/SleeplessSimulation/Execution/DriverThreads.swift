import CRuntimeHooks
import Dispatch
import Foundation
import Sleepless

/// Runs drivers, which are the tasks that run simulations, on threads of their own, beyond the few that all tasks of
/// the process share: a job that blocks its thread must not take one of those from the task that could end the wait.
///
/// There is a thread for each driver that runs at this moment. Two idle threads for each processor stay for the
/// next simulations; the others end.
///
/// One caller at a time continues on the thread of its driver. Until that caller is suspended, the next driver
/// that it starts runs there too: a change of threads, there and back, costs more than a simulation of twenty
/// jobs (`Benchmarks/simulation`). It is one caller, because the process's own threads limit how many tasks run
/// at once, and this thread is beyond that limit.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class DriverThreads: TaskExecutor {
  static let shared = DriverThreads()

  /// A thread without work, which waits for its next driver.
  private final class IdleThread: Sendable {
    private let job = Locked<UnownedJob?>(nil)
    private let wakeUp = ThreadSignal()

    func give(_ job: UnownedJob) {
      self.job.withLock { $0 = job }
      wakeUp.send()
    }

    func wait() -> UnownedJob {
      wakeUp.wait()
      return job.withLock { $0.take()! }
    }
  }

  /// What a thread runs after its present job. Only that thread uses it.
  private final class Following {
    /// The caller that continues on this thread, until its job has run.
    var caller: TaskPointer?
    /// The driver that the caller has started.
    var driver: UnownedJob?
    /// Whether the next driver that is enqueued on this thread runs here.
    var takesDriver = false
  }

  private static let following = ThreadLocal { Following() }

  /// Whether a caller continues on its driver's thread at this moment.
  private let hasCaller = Locked(false)
  /// The thread that became idle last gets the next job: its data are still in the processor's caches.
  private let idle = Locked<[IdleThread]>([])
  private let keptCount = 2 * ProcessInfo.processInfo.activeProcessorCount

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let following = Self.following.value
    if following.takesDriver {
      following.driver = job
    } else if let idleThread = idle.withLock({ $0.popLast() }) {
      idleThread.give(job)
    } else {
      start(with: job)
    }
  }

  /// Calls a function that starts a driver for the current task, which is then suspended.
  func startDriver(_ start: () -> Void) {
    let following = Self.following.value
    // Only the caller's own driver: the driver of another task that runs inside the caller's job would have to
    // wait here until that job ends.
    following.takesDriver = following.caller != nil && following.caller == TaskPointer.current
    start()
    following.takesDriver = false
  }

  /// Resumes the caller of a driver. The driver calls this at its end.
  func resume(_ caller: UnsafeContinuation<Void, Never>) {
    let isFirst = hasCaller.withLock { hasCaller in
      defer { hasCaller = true }
      return !hasCaller
    }
    guard isFirst else { return caller.resume() }
    var job: UnsafeMutableRawPointer?
    let outer = sleepless_keep_next_job(&job)
    caller.resume()
    _ = sleepless_keep_next_job(outer)
    if let job {
      Self.following.value.caller = TaskPointer(job)
    } else {
      // The caller prefers another executor, or the process's executor is the runtime's own.
      hasCaller.withLock { $0 = false }
    }
  }

  private func start(with job: UnownedJob) {
    let thread = Thread { [self] in
      let idleThread = IdleThread()
      run(job)
      while becomesIdle(on: idleThread) { run(idleThread.wait()) }
    }
    thread.name = "Sleepless simulation"
    outsideSimulations { thread.start() }
  }

  private func run(_ job: UnownedJob) {
    let following = Self.following.value
    var driver: UnownedJob? = job
    while let job = driver.take() {
      job.runSynchronously(on: asUnownedTaskExecutor())
      guard let caller = following.caller else { return }
      unsafeBitCast(caller, to: UnownedJob.self).runSynchronously(on: .generic)
      following.caller = nil
      hasCaller.withLock { $0 = false }
      driver = following.driver.take()
    }
  }

  /// False if enough other threads are idle.
  private func becomesIdle(on idleThread: IdleThread) -> Bool {
    idle.withLock { idle in
      guard idle.count < keptCount else { return false }
      idle.append(idleThread)
      return true
    }
  }
}
