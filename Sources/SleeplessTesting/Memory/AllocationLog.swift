import CRuntimeHooks
import Sleepless

/// The objects that code has made, and the tasks that it has started, as long as they are not freed.
final class AllocationLog: Sendable {
  /// The log of the allocations in this task.
  @TaskLocal static var current: AllocationLog?

  /// What may be an object: a block of memory that begins like one.
  struct Block: Sendable {
    let address: UInt
    let size: Int
    let metadata: UInt
  }

  deinit { sleepless_forget_log(Unmanaged.passUnretained(self).toOpaque()) }

  /// Begins to log; false where the runtime's allocations cannot be seen. Balance it with ``end()``.
  static func begin() -> Bool {
    !sleepless_fact_fails(sleepless_fact_object_births)
      && sleepless_begin_logging(Unmanaged.passUnretained($current).toOpaque())
  }

  /// Ends logging. All logs are empty when the last one has ended.
  static func end() { sleepless_end_logging() }

  /// What is still alive.
  var alive: [Block] {
    var alive: [Block] = []
    withUnsafeMutablePointer(to: &alive) { alive in
      sleepless_each_logged(Unmanaged.passUnretained(self).toOpaque(), alive) { context, block in
        guard let context, let block = block?.pointee, !AllocationLog.isReleased(block.counts)
        else { return }
        context.assumingMemoryBound(to: [Block].self).pointee.append(
          Block(address: block.address, size: Int(block.size), metadata: block.metadata))
      }
    }
    return alive
  }

  /// Whether an object is being deallocated, or only its memory is held, by unowned references. With weak references
  /// its counts are elsewhere, and its memory is freed when it is deallocated.
  private static func isReleased(_ counts: UInt) -> Bool {
    let areElsewhere = counts >> 62 == 3
    return !areElsewhere && counts >> 32 & 1 == 1
  }
}
