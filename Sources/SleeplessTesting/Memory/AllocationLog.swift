import CRuntimeHooks
import Sleepless

/// The objects that code has made, and the tasks that it has started.
///
/// It holds the objects' memory but not the objects, so that it can see which have been released.
final class AllocationLog: Sendable {
  /// The log of the allocations in this task.
  @TaskLocal static var current: AllocationLog?

  private let objects = Locked<[UInt]>([])

  deinit { for object in objects.withLock({ $0.map { $0 } }) { Self.releaseMemory(object) } }

  /// How many logs are active; without any, the runtime does not report allocations.
  private static let logCount = Locked(0)

  /// Begins to log; false where the runtime cannot report allocations. Balance it with ``end()``.
  static func begin() -> Bool {
    guard !sleepless_fact_fails(sleepless_fact_object_births) else { return false }
    // Made before the first report: within a report, making it would be reported recursively. Each report
    // gets it as its context, because access by name passes a lock under ThreadSanitizer, where all
    // allocating threads would queue.
    let currentLog = Unmanaged.passUnretained($current).toOpaque()
    return logCount.withLock { count in
      count += 1
      guard count == 1 else { return true }
      let isWatching = sleepless_watch_allocations(
        { object, currentLog in
          guard let object, let currentLog, let log = AllocationLog.log(in: currentLog) else {
            return
          }
          sleepless_hold_memory(object)
          // With inverted bits, so that a retain path search does not find it here.
          log.objects.withLock { $0.append(~UInt(bitPattern: object)) }
        }, currentLog)
      if !isWatching { count -= 1 }
      return isWatching
    }
  }

  /// The value in this task of the task-local variable at an address.
  private static func log(in current: UnsafeMutableRawPointer) -> AllocationLog? {
    Unmanaged<TaskLocal<AllocationLog?>>.fromOpaque(current)._withUnsafeGuaranteedRef { $0.get() }
  }

  static func end() {
    logCount.withLock { count in
      count -= 1
      if count == 0 { _ = sleepless_watch_allocations(nil, nil) }
    }
  }

  private static func releaseMemory(_ hidden: UInt) {
    sleepless_release_memory(UnsafeMutableRawPointer(bitPattern: ~hidden))
  }

  /// The addresses of the objects that are still alive.
  var alive: [UInt] {
    let all = objects.withLock { objects in
      defer { objects = [] }
      return objects.map { $0 }
    }
    let alive = all.filter {
      !sleepless_is_deinitializing(UnsafeMutableRawPointer(bitPattern: ~$0))
    }
    let left = Set(alive)
    for object in all where !left.contains(object) { Self.releaseMemory(object) }
    objects.withLock { $0.append(contentsOf: alive) }
    return alive.map { ~$0 }
  }
}
