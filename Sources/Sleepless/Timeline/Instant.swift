/// A point of virtual time, in attoseconds since the start; never before the start.
///
/// The two halves of a `Duration`, which compare in two instructions where `Duration` calls the
/// standard library. What lies beyond the largest duration is `never`.
package struct Instant: Comparable, Sendable {
  private let high: Int64
  private let low: UInt64

  package static let start = Instant(.zero)
  package static let never = Instant(high: .max, low: .max)

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

  /// Compares and lets the caller decide a tie, all without a branch, since nobody could predict
  /// it: a subtraction with borrow. The upper halves are at least zero, so nothing overflows.
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
}
