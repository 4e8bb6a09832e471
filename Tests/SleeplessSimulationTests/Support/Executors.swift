// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation

/// A task executor such as an app has: a dispatch queue.
final class QueueExecutor: TaskExecutor, SerialExecutor {
  let queue = DispatchQueue(label: "the app's own")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (task, serial) = (asUnownedTaskExecutor(), asUnownedSerialExecutor())
    queue.async { job.runSynchronously(isolatedTo: serial, taskExecutor: task) }
  }

  /// Whether the caller runs on the queue.
  var isHere: Bool { DispatchQueue.getSpecific(key: Self.key) === self }

  init() { queue.setSpecific(key: Self.key, value: self) }

  private static let key = DispatchSpecificKey<QueueExecutor>()
}

/// An actor with an executor of its own.
actor QueueActor {
  private let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func isOnItsQueue() -> Bool { executor.isHere }

  func perform<Value: Sendable>(_ work: @Sendable () -> Value) -> Value { work() }

  private(set) var naps = 0

  /// Sleeps for zero.
  func nap() async throws {
    try await Task.sleep(for: .zero)
    precondition(executor.isHere)
    naps += 1
  }
}

/// An executor that runs each job on a new thread, once its gate is open.
final class ThreadExecutor: TaskExecutor, SerialExecutor {
  private let gate: ThreadSignal?

  init(gate: ThreadSignal? = nil) { self.gate = gate }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (task, serial) = (asUnownedTaskExecutor(), asUnownedSerialExecutor())
    Thread.detachNewThread { [gate] in
      gate?.wait()
      // It stays open.
      gate?.send()
      let thread = ObjectIdentifier(Thread.current)
      Self.threads.withLock { _ = $0.insert(thread) }
      job.runSynchronously(isolatedTo: serial, taskExecutor: task)
      Self.threads.withLock { _ = $0.remove(thread) }
    }
  }

  /// Whether the caller runs on one of the threads.
  static var isHere: Bool { threads.withLock { $0.contains(ObjectIdentifier(Thread.current)) } }

  private static let threads = Locked<Set<ObjectIdentifier>>([])
}

/// An actor with threads of its own. One caller at a time uses it.
actor ThreadActor {
  private let executor = ThreadExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func isOnItsThread() -> Bool { ThreadExecutor.isHere }
}

/// An executor that runs each job at once, inside the call that enqueues it.
final class InlineExecutor: TaskExecutor, SerialExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(
      isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
  }
}

/// An actor whose tasks start, and maybe end, before the call that creates them returns.
actor InlineActor {
  private let executor = InlineExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private(set) var visits = 0

  func visit() { visits += 1 }

  /// Sleeps for zero.
  func nap() async throws {
    try await Task.sleep(for: .zero)
    visits += 1
  }

  /// Creates a task that starts here.
  func visitInTask() -> Task<Void, Never> { Task(name: "visitor") { visit() } }

  /// Creates a task that starts here and waits.
  func sleepInTask() -> Task<Void, any Error> {
    Task(name: "sleeper") {
      try await Task.sleep(for: .seconds(2))
      visit()
    }
  }
}
