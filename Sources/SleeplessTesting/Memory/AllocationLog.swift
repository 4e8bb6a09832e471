import CRuntimeHooks
import Sleepless

/// The objects that code has made, and the tasks that it has started.
///
/// Holds their memory and not them, so that each can be asked whether it is gone.
final class AllocationLog: Sendable {
  /// Where what is made in this task is written down.
  @TaskLocal static var current: AllocationLog?

  private let objects = Locked<[UInt]>([])

  deinit { for object in objects.withLock({ $0.map { $0 } }) { Self.letGo(object) } }

  /// How many logs there are; while there are none, nothing is told of what is made.
  private static let logCount = Locked(0)

  /// Begins to be told; false where nobody tells. To be balanced by ``end()``.
  static func begin() -> Bool {
    // The first use makes an object, of which the closure below would be told in the middle of that.
    _ = current
    return logCount.withLock { count in
      count += 1
      guard count == 1 else { return true }
      let isTold = sleepless_watch_allocations { object in
        guard let object, let log = AllocationLog.current else { return }
        sleepless_hold_memory(object)
        // Turned around, so that no search finds it here.
        log.objects.withLock { $0.append(~UInt(bitPattern: object)) }
      }
      if !isTold { count -= 1 }
      return isTold
    }
  }

  static func end() {
    logCount.withLock { count in
      count -= 1
      if count == 0 { _ = sleepless_watch_allocations(nil) }
    }
  }

  private static func letGo(_ hidden: UInt) {
    sleepless_release_memory(UnsafeMutableRawPointer(bitPattern: ~hidden))
  }

  /// Where those are that are still there.
  var alive: [UInt] {
    let all = objects.withLock { objects in
      defer { objects = [] }
      return objects.map { $0 }
    }
    let alive = all.filter { !sleepless_is_going(UnsafeMutableRawPointer(bitPattern: ~$0)) }
    let left = Set(alive)
    for object in all where !left.contains(object) { Self.letGo(object) }
    objects.withLock { $0.append(contentsOf: alive) }
    return alive.map { ~$0 }
  }
}
