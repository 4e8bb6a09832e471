#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
  import Sleepless
#endif

/// The memory for a timeline's items.
///
/// Items do not move, and free ones are used again, the latest first. So scheduling allocates only when more
/// work is pending than ever before. With an object for each item `schedule+run 1k` takes twice as long, and
/// `1000 timers x 100 ticks` almost four times as long (`Benchmarks/compare`, release).
///
/// A free item holds zeros in place of its work. A search of memory for references to an object would
/// otherwise find the address of old work, where that object may be by now.
final class WorkStore {
  private var blocks: ContiguousArray<WorkItem.Pointer> = []
  /// The items of the latest block that have never been used.
  private var fresh: WorkItem.Pointer?
  private var freshCount = 0
  /// The item that became free last; each free item has the address of the one before.
  private var latestFree: WorkItem.Pointer?
  /// How many items are in use.
  private(set) var count = 0

  deinit { for block in blocks { block.deallocate() } }

  /// Stores work in an item, until `free`.
  @inline(__always)
  func keep(
    _ work: consuming Work, timing: Timing?, isImmediate: Bool, source: WorkSource
  ) -> WorkItem.Pointer {
    count += 1
    let (item, generation) = takeItem()
    item.initialize(
      to: WorkItem(
        work: work, state: .pending, isImmediate: isImmediate, generation: generation,
        source: source.beginUse(), timing: timing))
    return item
  }

  @inline(__always)
  private func takeItem() -> (WorkItem.Pointer, generation: UInt32) {
    if let item = latestFree {
      latestFree = item.pointee.nextFree
      return (item, item.pointee.generation)
    }
    if freshCount == 0 { allocateBlock() }
    let item = fresh!
    fresh = item + 1
    freshCount -= 1
    return (item, 0)
  }

  @inline(never)
  private func allocateBlock() {
    freshCount = 16 << min(blocks.count, 6)
    fresh = .allocate(capacity: freshCount)
    memset(fresh!, 0, freshCount * MemoryLayout<WorkItem>.stride)
    blocks.append(fresh!)
  }

  /// Frees an item whose work has been taken.
  @inline(__always)
  func free(_ item: WorkItem.Pointer) {
    count -= 1
    item.pointee.source._withUnsafeGuaranteedRef { $0.endUse() }
    // Taking the work clears these only in release builds.
    UnsafeMutableRawPointer(item).storeBytes(of: (0, 0), as: (UInt, UInt).self)
    if item.pointee.timing != nil { item.pointee.timing = nil }
    item.pointee.state = .free
    item.pointee.generation &+= 1
    item.pointee.nextFree = latestFree
    latestFree = item
  }

  /// Whether free items hold zeros in place of work.
  var isClean: Bool {
    func isClean(_ item: WorkItem.Pointer) -> Bool {
      UnsafeRawPointer(item).load(as: (UInt, UInt).self) == (0, 0)
    }
    let unused = sequence(first: latestFree) { $0?.pointee.nextFree }.prefix { $0 != nil }
    return unused.allSatisfy { isClean($0!) }
      && (0..<freshCount).allSatisfy { isClean(fresh! + $0) }
  }
}
