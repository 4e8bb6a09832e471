#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
  import Sleepless
#endif

/// The places where a timeline keeps its work.
///
/// They stay where they are and are used again, the latest first. So scheduling allocates nothing,
/// but for more room when more is pending than ever before.
///
/// A place without work holds zeroes where the work would be. Whoever searches memory for what holds an
/// object is not to come upon the address of what has been there, where by now that object may lie.
final class WorkStore {
  private var blocks: ContiguousArray<WorkItem.Pointer> = []
  /// Places of the latest block that have never been used.
  private var fresh: WorkItem.Pointer?
  private var freshCount = 0
  /// The latest place to become free; each knows the one before.
  private var latestFree: WorkItem.Pointer?
  /// How many places are in use.
  private(set) var count = 0

  deinit { for block in blocks { block.deallocate() } }

  /// Gives work a place, until `free`.
  @inline(__always)
  func keep(
    _ work: consuming Work, timing: Timing?, isImmediate: Bool, source: WorkSource
  ) -> WorkItem.Pointer {
    count += 1
    let (item, generation) = takePlace()
    item.initialize(
      to: WorkItem(
        work: work, state: .pending, isImmediate: isImmediate, generation: generation,
        source: source.beginUse(), timing: timing))
    return item
  }

  @inline(__always)
  private func takePlace() -> (WorkItem.Pointer, generation: UInt32) {
    if let item = latestFree {
      latestFree = item.pointee.nextFree
      return (item, item.pointee.generation)
    }
    if freshCount == 0 { makeRoom() }
    let item = fresh!
    fresh = item + 1
    freshCount -= 1
    return (item, 0)
  }

  @inline(never)
  private func makeRoom() {
    freshCount = 16 << min(blocks.count, 6)
    fresh = .allocate(capacity: freshCount)
    memset(fresh!, 0, freshCount * MemoryLayout<WorkItem>.stride)
    blocks.append(fresh!)
  }

  /// Frees the place of work that has been taken out.
  @inline(__always)
  func free(_ item: WorkItem.Pointer) {
    count -= 1
    item.pointee.source._withUnsafeGuaranteedRef { $0.endUse() }
    // Taking the work out clears these in release builds alone.
    UnsafeMutableRawPointer(item).storeBytes(of: (0, 0), as: (UInt, UInt).self)
    if item.pointee.timing != nil { item.pointee.timing = nil }
    item.pointee.state = .free
    item.pointee.generation &+= 1
    item.pointee.nextFree = latestFree
    latestFree = item
  }

  /// Whether places without work hold zeroes where the work would be.
  var isClean: Bool {
    func isClean(_ item: WorkItem.Pointer) -> Bool {
      UnsafeRawPointer(item).load(as: (UInt, UInt).self) == (0, 0)
    }
    let unused = sequence(first: latestFree) { $0?.pointee.nextFree }.prefix { $0 != nil }
    return unused.allSatisfy { isClean($0!) }
      && (0..<freshCount).allSatisfy { isClean(fresh! + $0) }
  }
}
