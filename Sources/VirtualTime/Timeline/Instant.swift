import Sleepless

/// A point of virtual time, in attoseconds since the start; never before the start.
///
/// It consists of the two halves of a `Duration`, but compares in two instructions, where `Duration` calls
/// the standard library. An instant beyond the largest duration is `never`.
package struct Instant: Comparable, Sendable {
  private let high: Int64
  private let low: UInt64

  package static let start = Instant(high: 0, low: 0)
  package static let never = Instant(high: .max, low: .max)
  /// The last instant that time can reach.
  package static let last = Instant(high: .max, low: .max - 1)

  private init(high: Int64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The instant at a distance from the start; a negative one means the start itself (T5).
  package init(_ distance: Duration) {
    // The halves are part of the frozen layout; `attoseconds` needs macOS 15.
    self.init(high: Swift.max(0, distance._high), low: distance._high < 0 ? 0 : distance._low)
  }

  package var duration: Duration { Duration(_high: high, low: low) }

  /// The instant that much later; a negative distance means this one, an overflow `never`.
  package func advanced(by distance: Duration) -> Instant {
    guard distance._high >= 0 else { return self }
    let (low, carry) = low.addingReportingOverflow(distance._low)
    let (high, overflow) = high.addingReportingOverflow(distance._high)
    guard !overflow else { return .never }
    let (sum, overflowByCarry) = high.addingReportingOverflow(carry ? 1 : 0)
    return overflowByCarry ? .never : Instant(high: sum, low: low)
  }

  @inline(__always)
  package static func < (a: Instant, b: Instant) -> Bool { a.isLess(than: b, ifEqual: false) }

  /// Compares, with the caller's answer for a tie: a subtraction with borrow. It has no branch, as none could
  /// be predicted. The upper halves are at least zero, so nothing overflows.
  @inline(__always)
  func isLess(than other: Instant, ifEqual tie: Bool) -> Bool {
    let (difference, borrow) = low.subtractingReportingOverflow(other.low)
    let borrowByTie = difference < (tie ? 1 : 0)
    return high &- (borrow ? 1 : 0) &- (borrowByTie ? 1 : 0) < other.high
  }

  @inline(__always)
  package static func == (a: Instant, b: Instant) -> Bool {
    (a.high ^ b.high) | Int64(bitPattern: a.low ^ b.low) == 0
  }

  /// How many bits the distance from an earlier instant takes.
  func bitWidth(since earlier: Instant) -> Int {
    let (high, low) = difference(from: earlier)
    return high == 0 ? 64 - low.leadingZeroBitCount : 128 - high.leadingZeroBitCount
  }

  /// The upper bits of the distance from an earlier instant: all but the lowest `shift`.
  @inline(__always)
  func distance(since earlier: Instant, shiftedBy shift: Int) -> Int {
    let (high, low) = difference(from: earlier)
    guard shift < 64 else { return Int(truncatingIfNeeded: high >> UInt64(shift - 64)) }
    return Int(truncatingIfNeeded: low >> UInt64(shift) | high << UInt64(64 - shift))
  }

  @inline(__always)
  private func difference(from earlier: Instant) -> (high: UInt64, low: UInt64) {
    let (low, borrow) = low.subtractingReportingOverflow(earlier.low)
    return (UInt64(bitPattern: high &- earlier.high &- (borrow ? 1 : 0)), low)
  }
}
