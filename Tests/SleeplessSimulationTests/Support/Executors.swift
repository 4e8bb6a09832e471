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
  func visit() -> Bool { executor.isHere }
}
