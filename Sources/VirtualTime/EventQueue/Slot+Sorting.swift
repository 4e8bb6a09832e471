import Sleepless

extension EventQueue.Slot {
  /// Sorts the greatest first.
  ///
  /// A bucket sort: E. J. Isaac, R. C. Singleton, "Sorting by address calculation", 1956. The upper
  /// bits of a slot's distance from the least instant choose its bucket, and a crowded bucket is
  /// sorted in the same way. O(n) where the instants are spread, O(n log n) where they are not. With the
  /// standard library's sort `schedule+run 16k` takes half as long again (`Benchmarks/compare`, release).
  static func sortDescending(_ slots: inout ContiguousArray<Self>) {
    slots.withUnsafeMutableBufferPointer { sort($0) }
  }

  private static func sort(_ slots: UnsafeMutableBufferPointer<Self>) {
    guard slots.count > 24 else { return sortFew(slots) }
    guard let buckets = Buckets(slots) else {
      var crowd = slots
      return crowd.sort { $1 < $0 }
    }
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: buckets.count) { ends in
      // The start of each bucket, and later its end; the last bucket comes first.
      ends.initialize(repeating: 0)
      for slot in slots { ends[buckets.index(of: slot)] += 1 }
      var start: Int32 = 0
      for index in ends.indices.reversed() {
        let size = ends[index]
        ends[index] = start
        start += size
      }
      withUnsafeTemporaryAllocation(of: Self.self, capacity: slots.count) { unsorted in
        _ = unsorted.initialize(from: slots)
        for slot in unsorted {
          let index = buckets.index(of: slot)
          slots[Int(ends[index])] = slot
          ends[index] += 1
        }
      }
      var begin = 0
      for index in ends.indices.reversed() {
        let end = Int(ends[index])
        if end - begin > 1 { sort(UnsafeMutableBufferPointer(rebasing: slots[begin..<end])) }
        begin = end
      }
    }
  }

  @inline(__always)
  private static func sortFew(_ slots: UnsafeMutableBufferPointer<Self>) {
    for next in slots.indices.dropFirst() {
      let slot = slots[next]
      var hole = next
      while hole > 0, slots[hole - 1] < slot {
        slots[hole] = slots[hole - 1]
        hole -= 1
      }
      slots[hole] = slot
    }
  }

  /// Buckets that each cover the same duration: between half as many as slots and as many.
  ///
  /// There are at most 4096, so that the address of the next slot of each bucket is in the cache.
  private struct Buckets {
    private let least: Instant
    private let shift: Int
    let count: Int

    /// Nil if all slots are at one instant, or there are too many to count in 32 bits.
    init?(_ slots: UnsafeMutableBufferPointer<EventQueue.Slot>) {
      var least = Instant.never
      var greatest = Instant.start
      for slot in slots {
        least = min(least, slot.instant)
        greatest = max(greatest, slot.instant)
      }
      guard least < greatest, slots.count < Int32.max else { return nil }
      let bits = greatest.bitWidth(since: least)
      let indexBits = min(12, Int.bitWidth - 1 - slots.count.leadingZeroBitCount)
      self.least = least
      shift = max(0, bits - indexBits)
      count = 1 << min(bits, indexBits)
    }

    @inline(__always)
    func index(of slot: EventQueue.Slot) -> Int {
      slot.instant.distance(since: least, shiftedBy: shift)
    }
  }
}
