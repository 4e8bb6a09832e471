/// A list of instants, in one to five bytes each; a `Duration` takes sixteen. This saves only memory: an
/// array of durations is as fast.
///
/// Each entry is the distance in nanoseconds from the instant before, doubled, with seven bits in each
/// byte. An odd number stands for an instant that has no such distance, because it is earlier than the
/// one before or not a whole number of nanoseconds. Such instants lie in a list of their own.
package struct RecordedTimes: Sendable {
  private var bytes: ContiguousArray<UInt8> = []
  private var others: ContiguousArray<Duration> = []
  /// The latest instant; nil if it came as a count of nanoseconds.
  private var last: Duration? = .zero
  /// The latest instant in nanoseconds, rounded down.
  private var lastCount: Int64 = 0
  private var isLastWhole = true

  package init() {}

  package mutating func append(_ timestamp: Timestamp) {
    switch timestamp {
    case .nanoseconds(let count) where count >= lastCount && isLastWhole:
      write(UInt64(count - lastCount) << 1)
      lastCount = count
      last = nil
    case .nanoseconds(let count):
      append(Duration.nanoseconds(count))
    case .duration(let time):
      append(time)
    }
  }

  private mutating func append(_ time: Duration) {
    // Most events in virtual time come at the same instant as the one before.
    if let last, time == last, isLastWhole { return bytes.append(0) }
    let count = time.clampedNanoseconds
    let isWhole = time == .nanoseconds(count)
    if isWhole, isLastWhole, count >= lastCount, count - lastCount < .max / 2 {
      write(UInt64(count - lastCount) << 1)
    } else {
      write(1)
      others.append(time)
    }
    last = time
    lastCount = count
    isLastWhole = isWhole
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

  package func decoded(in range: Range<Int>) -> [Duration] {
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
