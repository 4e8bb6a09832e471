import Sleepless

/// All recorded values with their times, in little more memory than the values take.
///
/// Values lie in chunks that never move. The chunks double in size, up to 1,024 values. Appending costs
/// the same for the millionth value as for the first, and at most a little more than half of the space is
/// unused.
///
/// It is not generic and handles raw memory instead. Unspecialised generic code, as in a library, looks
/// up the types of its parts for each value: with an array of values, "record 1k" in Benchmarks/compare
/// takes a third more instructions. The owner always passes the same type of value, and calls
/// ``removeAll(as:)`` at the end.
struct History: @unchecked Sendable {
  // Unchecked because of the pointers. The memory belongs to this structure, which is never copied, and
  // the recorded values are `Sendable`.
  private var chunks: ContiguousArray<UnsafeMutableRawPointer> = []
  private var times = RecordedTimes()
  private(set) var count = 0
  /// How many values fit into the chunks.
  private var capacity = 0

  private static var smallest: Int { 8 }
  private static var largest: Int { 1_024 }
  /// The chunks of 8, 16, … 512 hold 1,016 values together; each later chunk holds 1,024.
  private static var growing: Int { largest - smallest }

  /// Adds the time of a new value, and returns the place where the caller must put the value.
  mutating func append(
    at time: Timestamp, stride: Int, alignment: Int
  ) -> UnsafeMutableRawPointer {
    if count == capacity { addChunk(stride: stride, alignment: alignment) }
    times.append(time)
    count += 1
    return place(of: count - 1, stride: stride)
  }

  private mutating func addChunk(stride: Int, alignment: Int) {
    let size = size(of: chunks.count)
    // At least one byte: the values of some types have none.
    chunks.append(.allocate(byteCount: max(1, size * stride), alignment: alignment))
    capacity += size
  }

  private func place(of index: Int, stride: Int) -> UnsafeMutableRawPointer {
    if index >= Self.growing {
      let rest = index - Self.growing
      return chunks[7 + rest / Self.largest] + rest % Self.largest * stride
    }
    let number = (index / Self.smallest + 1).leadingBit
    return chunks[number] + (index - Self.smallest * (1 << number - 1)) * stride
  }

  /// Copies the values of a range.
  func values<Value>(_ range: Range<Int>, as type: Value.Type) -> [Value] {
    precondition(range.upperBound <= count)
    // For an empty range the standard library writes a zero to the storage that all empty arrays share,
    // which the thread sanitizer rightly reports as a race.
    guard !range.isEmpty else { return [] }
    return Array(unsafeUninitializedCapacity: range.count) { buffer, initialized in
      let stride = MemoryLayout<Value>.stride
      for index in range {
        let value = place(of: index, stride: stride).assumingMemoryBound(to: Value.self)
        (buffer.baseAddress! + initialized).initialize(to: value.pointee)
        initialized += 1
      }
    }
  }

  /// The times of a range. O(n), because each time is stored as a distance from the one before.
  func times(in range: Range<Int>) -> [Duration] { times.decoded(in: range) }

  /// Releases the values and the memory.
  mutating func removeAll<Value>(as type: Value.Type) {
    for (number, chunk) in chunks.enumerated() {
      let used = min(size(of: number), count - first(of: number))
      chunk.assumingMemoryBound(to: Value.self).deinitialize(count: used)
      chunk.deallocate()
    }
    self = History()
  }

  /// The memory of the history for values of a stride, unused space included.
  func reservedBytes(stride: Int) -> Int {
    capacity * stride + chunks.capacity * MemoryLayout<Int>.stride + times.reservedBytes
  }

  /// The index of a chunk's first value.
  private func first(of chunk: Int) -> Int {
    chunk < 7
      ? Self.smallest * (1 << chunk - 1) : Self.growing + (chunk - 7) * Self.largest
  }

  private func size(of chunk: Int) -> Int { min(Self.smallest << min(chunk, 16), Self.largest) }
}

extension Int {
  fileprivate var leadingBit: Int { Int.bitWidth - 1 - leadingZeroBitCount }
}
