import Sleepless

/// Everything that was recorded, with its times, in little more memory than the values take.
///
/// Values lie in chunks that never move, each as large as all before it up to 1,024: appending costs
/// the same for the millionth value as for the first, and at most half of the space is unused.
struct History<Value> {
  private var chunks: ContiguousArray<ContiguousArray<Value>> = []
  private var times = Times()
  private(set) var count = 0

  private static var smallest: Int { 8 }
  private static var largest: Int { 1_024 }

  mutating func append(_ value: Value, at time: Duration) {
    if chunks.isEmpty || chunks[chunks.count - 1].count == capacity(of: chunks.count - 1) {
      var chunk = ContiguousArray<Value>()
      chunk.reserveCapacity(capacity(of: chunks.count))
      chunks.append(chunk)
    }
    chunks[chunks.count - 1].append(value)
    times.append(time)
    count += 1
  }

  subscript(index: Int) -> Value {
    // The chunks of 8, 16, … 512 hold 1,016 values; after that each holds 1,024.
    let growing = Self.largest - Self.smallest
    if index >= growing {
      let rest = index - growing
      return chunks[7 + rest / Self.largest][rest % Self.largest]
    }
    let number = (index / Self.smallest + 1).leadingBit
    return chunks[number][index - Self.smallest * (1 << number - 1)]
  }

  /// The values of a range, each looked up in O(1).
  subscript(range: Range<Int>) -> [Value] { range.map { self[$0] } }

  /// The times of a range. O(n), since each is written as a distance from the one before.
  func times(in range: Range<Int>) -> [Duration] { times.decoded(in: range) }

  var reservedBytes: Int {
    chunks.reduce(times.reservedBytes) { $0 + $1.capacity * MemoryLayout<Value>.stride + 32 }
      + chunks.capacity * MemoryLayout<Int>.stride
  }

  private func capacity(of chunk: Int) -> Int { min(Self.smallest << min(chunk, 16), Self.largest) }
}

extension History: Sendable where Value: Sendable {}

extension Int {
  fileprivate var leadingBit: Int { Int.bitWidth - 1 - leadingZeroBitCount }
}

/// Instants one after another, in one to five bytes each.
///
/// Each is a distance in nanoseconds from the one before, seven bits to a byte, doubled. An odd
/// number stands for an instant that cannot be written so, because it is earlier or not a whole
/// number of nanoseconds: it lies in a list of its own.
private struct Times {
  private var bytes: ContiguousArray<UInt8> = []
  private var others: ContiguousArray<Duration> = []
  private var last = Duration.zero
  /// `last` in nanoseconds, rounded down.
  private var lastCount: Int64 = 0

  mutating func append(_ time: Duration) {
    // Virtual time stands still for most events.
    if time == last, others.isEmpty { return bytes.append(0) }
    let count = time.clampedNanoseconds
    if count >= lastCount, count - lastCount < .max / 2, time == .nanoseconds(count),
      last == .nanoseconds(lastCount)
    {
      write(UInt64(count - lastCount) << 1)
    } else {
      write(1)
      others.append(time)
    }
    last = time
    lastCount = count
  }

  private mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  var reservedBytes: Int { bytes.capacity + others.capacity * MemoryLayout<Duration>.stride }

  func decoded(in range: Range<Int>) -> [Duration] {
    var result: [Duration] = []
    result.reserveCapacity(range.count)
    var time = Duration.zero
    var other = 0
    var index = 0
    var number: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes {
      number |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte & 0x80 != 0 { continue }
      if number == 1 {
        time = others[other]
        other += 1
      } else {
        time += .nanoseconds(Int64(number >> 1))
      }
      if range.contains(index) { result.append(time) }
      index += 1
      if index == range.upperBound { break }
      (number, shift) = (0, 0)
    }
    return result
  }
}
