import Sleepless
import Synchronization

/// The tasks of capturing executors that have used the main actor, with their executors.
///
/// When code outside resumes such a task, its job comes to the main executor, and only this list shows
/// where the job belongs. All other jobs of the main actor come there too. So a look into the list costs
/// one load while no such task exists.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
enum MainTasks {
  private static let owners = Locked<[TaskPointer: CapturingExecutor]>([:])
  private static let count = Atomic(0)

  static func add(_ task: TaskPointer, of executor: CapturingExecutor) {
    let isNew = owners.withLock { $0.updateValue(executor, forKey: task) == nil }
    if isNew { count.add(1, ordering: .releasing) }
  }

  static func remove(_ task: TaskPointer) {
    let owner = owners.withLock { $0.removeValue(forKey: task) }
    if owner != nil { count.subtract(1, ordering: .releasing) }
  }

  static func owner(of task: TaskPointer) -> CapturingExecutor? {
    guard count.load(ordering: .acquiring) > 0 else { return nil }
    return owners.withLock { $0[task] }
  }
}
