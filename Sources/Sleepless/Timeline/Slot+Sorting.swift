extension Agenda.Slot {
  /// Sorts the greatest first.
  ///
  /// A bucket sort: E. J. Isaac, R. C. Singleton, "Sorting by address calculation", 1956. The upper
  /// bits of a slot's distance from the least instant choose its bucket; a crowded bucket is left
  /// to a comparison sort. O(n) where the instants are spread, O(n log n) where they are not.
  static func sortDescending(_ slots: inout ContiguousArray<Self>) {
    guard slots.count > 64, let buckets = Buckets(slots) else { return slots.sort { $1 < $0 } }

    // Where each bucket begins, and later where it ends; the last bucket comes first.
    var ends = ContiguousArray<Int32>(repeating: 0, count: buckets.count)
    for slot in slots { ends[buckets.index(of: slot)] += 1 }
    var start: Int32 = 0
    for index in ends.indices.reversed() {
      let size = ends[index]
      ends[index] = start
      start += size
    }
    slots = ContiguousArray(unsafeUninitializedCapacity: slots.count) { sorted, count in
      count = slots.count
      for slot in slots {
        let index = buckets.index(of: slot)
        sorted.initializeElement(at: Int(ends[index]), to: slot)
        ends[index] += 1
      }
      var begin = 0
      for index in ends.indices.reversed() {
        let end = Int(ends[index])
        sort(sorted, begin, end)
        begin = end
      }
    }
  }

  @inline(__always)
  private static func sort(_ slots: UnsafeMutableBufferPointer<Self>, _ begin: Int, _ end: Int) {
    guard end - begin > 1 else { return }
    guard end - begin < 16 else {
      var crowd = UnsafeMutableBufferPointer(rebasing: slots[begin..<end])
      return crowd.sort { $1 < $0 }
    }
    for next in begin + 1..<end {
      let slot = slots[next]
      var hole = next
      while hole > begin, slots[hole - 1] < slot {
        slots[hole] = slots[hole - 1]
        hole -= 1
      }
      slots[hole] = slot
    }
  }

  /// As many buckets as slots or up to half as many, each for the same stretch of time.
  ///
  /// No more than 4096: the places where the next slot of each bucket goes then stay in the cache.
  private struct Buckets {
    private let least: Instant
    private let shift: Int
    let count: Int

    /// Nil if all slots are at one instant, or there are too many to count in 32 bits.
    init?(_ slots: ContiguousArray<Agenda.Slot>) {
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
    func index(of slot: Agenda.Slot) -> Int {
      slot.instant.distance(since: least, shiftedBy: shift)
    }
  }
}
