// virtual time: what sleeps here does so in simulations
import Dispatch

/// A task executor as an app would write one: a dispatch queue.
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

  /// Whether the caller's simulation follows it here, and whether it runs where it should.
  func jobInActor() -> Bool { executor.isHere }

  private(set) var naps = 0

  /// Sleeps for no time.
  func nap() async throws {
    try await Task.sleep(for: .zero)
    precondition(executor.isHere)
    naps += 1
  }
}

/// An executor that runs each job at once, within whatever enqueues it.
final class InlineExecutor: SerialExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
  }
}

/// An actor whose tasks have begun, and maybe ended, before their making is over.
actor InlineActor {
  private let executor = InlineExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private(set) var visits = 0

  func jobInActor() { visits += 1 }

  /// Sleeps for no time.
  func nap() async throws {
    try await Task.sleep(for: .zero)
    visits += 1
  }

  /// Makes a task that begins here.
  func visitInTask() -> Task<Void, Never> { Task(name: "visitor") { jobInActor() } }

  /// The same, but it has something to wait for.
  func sleepInTask() -> Task<Void, any Error> {
    Task(name: "sleeper") {
      try await Task.sleep(for: .seconds(2))
      jobInActor()
    }
  }
}
