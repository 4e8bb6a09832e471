import Sleepless

/// The tasks of capturing executors that have used the main actor, with their executors.
///
/// When code outside resumes such a task, its job comes to the main executor, and only this list shows
/// where the job belongs. All other jobs of the main actor come there too. So a look into the list costs
/// one load while no such task exists.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
enum MainTasks {
  private static let owners = Locked<[TaskPointer: CapturingExecutor]>([:])
  /// The length of the list.
  private static let count = SharedNumber(0)

  static func add(_ task: TaskPointer, of executor: CapturingExecutor) {
    owners.withLock { owners in
      owners[task] = executor
      count.set(UInt(owners.count))
    }
  }

  static func remove(_ task: TaskPointer) {
    let owner = owners.withLock { owners in
      defer { count.set(UInt(owners.count)) }
      return owners.removeValue(forKey: task)
    }
    withExtendedLifetime(owner) {}  // released after unlocking
  }

  static func owner(of task: TaskPointer) -> CapturingExecutor? {
    guard count.value > 0 else { return nil }
    return owners.withLock { $0[task] }
  }
}
