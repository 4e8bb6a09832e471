/// A point of virtual time, as the time since the start.
///
/// The instant of ``ImmediateClock`` and of the test clock. An instant beyond the largest duration is the last one.
///
/// ```swift
/// let clock = TestClock()
/// await clock.advance(by: .seconds(5))
/// let now = clock.now  // 5 s after the start
/// ```
public struct VirtualInstant: InstantProtocol, Sendable {
  /// The time since the start.
  public let offset: Duration

  /// Makes the instant at an offset from the start.
  ///
  /// ```swift
  /// let start = VirtualInstant()
  /// let later = VirtualInstant(offset: .seconds(5))
  /// print(start.duration(to: later))  // prints 5.0 seconds
  /// print(later.duration(to: start))  // prints -5.0 seconds
  /// ```
  public init(offset: Duration = .zero) { self.offset = offset }

  /// Returns the instant later by a duration, or earlier if the duration is negative.
  ///
  /// ```swift
  /// let later = VirtualInstant(offset: .seconds(5))
  /// print(later.advanced(by: .seconds(-2)))  // prints 3.0 seconds
  /// ```
  public func advanced(by duration: Duration) -> VirtualInstant {
    VirtualInstant(offset: offset.saturatingAdding(duration))
  }

  /// Returns the time from this instant to another; negative if the other is earlier.
  ///
  /// ```swift
  /// let start = VirtualInstant()
  /// let later = VirtualInstant(offset: .seconds(5))
  /// print(start.duration(to: later))  // prints 5.0 seconds
  /// print(later.duration(to: start))  // prints -5.0 seconds
  /// ```
  public func duration(to other: VirtualInstant) -> Duration { other.offset - offset }

  /// Whether the first instant is the earlier one.
  ///
  /// ```swift
  /// let start = VirtualInstant()
  /// print(start < start.advanced(by: .nanoseconds(1)))  // prints true
  /// ```
  public static func < (a: VirtualInstant, b: VirtualInstant) -> Bool { a.offset < b.offset }
}

extension VirtualInstant: CustomStringConvertible {
  /// The time since the start, as `Duration` prints it.
  public var description: String { offset.description }
}
