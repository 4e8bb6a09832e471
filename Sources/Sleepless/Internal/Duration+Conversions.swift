import Dispatch

extension Duration {
  /// Longer than any virtual timeline: work with this delay never becomes due.
  package static let forever = Duration(_high: .max, low: .max)

  /// The counterpart of `forever`, before any instant.
  package static let endlesslyAgo = Duration(_high: .min, low: 0)

  /// Whether it is above zero. Comparing with `.zero` would cost two calls.
  @inline(__always)
  package var isPositive: Bool { _high > 0 || (_high == 0 && _low > 0) }

  /// The duration in seconds, rounded to the nearest `Double`.
  package var timeInterval: Double { self / .seconds(1) }  // `components` traps on `forever`

  /// The duration in whole nanoseconds, rounded towards zero; clamped to `Int64` beyond 292 years.
  package var clampedNanoseconds: Int64 {
    // As `Int64`: a watch's `Int` may have 32 bits.
    if self >= .seconds(9_223_372_036 as Int64) { return .max }
    if self <= .seconds(-9_223_372_036 as Int64) { return .min }
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  /// Makes a duration of whole nanoseconds, as GCD counts them; not-a-number counts as zero.
  package init(clampingSeconds seconds: Double) {
    // Nanoseconds overflow beyond 292 years. GCD then waits for ever, or not at all.
    if seconds >= 9.2e9 {
      self = .forever
    } else if seconds > -9.2e9 {
      self = .nanoseconds(Int64((seconds * 1e9).rounded()))
    } else if seconds.isNaN {
      self = .zero
    } else {
      self = .nanoseconds(Int64.min)
    }
  }

  /// The duration as a GCD interval; a negative duration becomes zero.
  ///
  /// GCD's intervals are `Int`s. On watches with 32 bits such a number of nanoseconds ends at 2.1 s. A longer
  /// duration is given in milliseconds there, and after 24 days in seconds.
  package func dispatchTimeInterval<Count: FixedWidthInteger>(
    in count: Count.Type = Int.self
  ) -> DispatchTimeInterval {
    let nanoseconds = max(self, .zero).clampedNanoseconds
    if let count = Count(exactly: nanoseconds) { return .nanoseconds(Int(count)) }
    if let count = Count(exactly: nanoseconds / 1_000_000) { return .milliseconds(Int(count)) }
    return .seconds(Int(Count(clamping: nanoseconds / 1_000_000_000)))
  }

  package init(_ interval: DispatchTimeInterval) {
    switch interval {
    case .seconds(let count): self = .seconds(count)
    case .milliseconds(let count): self = .milliseconds(count)
    case .microseconds(let count): self = .microseconds(count)
    case .nanoseconds(let count): self = .nanoseconds(count)
    case .never: self = .forever
    @unknown default: self = .zero
    }
    if self >= .seconds(9_200_000_000 as Int64) { self = .forever }
  }

  /// The sum. An overflow is `forever`, and so is anything added to `forever`; below zero it is `endlesslyAgo`.
  package func saturatingAdding(_ other: Duration) -> Duration {
    guard self != .forever, other != .forever else { return .forever }
    if self > .zero, other > .zero, other > .forever - self { return .forever }
    if self < .zero, other < .zero, other < .endlesslyAgo - self { return .endlesslyAgo }
    return self + other
  }

  /// The roundest duration from `shortest` up to one hundredth more, and at most 1 ms more.
  ///
  /// A deadline on the real clock reaches us as the time left until it: some microseconds less than
  /// the caller wrote. The roundest duration within reach is the one in the caller's code.
  package static func simplest(atLeast shortest: Duration) -> Duration {
    // In integers: a floating-point quotient may round to less than `shortest`.
    var count = shortest.clampedNanoseconds
    guard count >= 0, count < .max / 2 else { return shortest }
    if .nanoseconds(count) < shortest { count += 1 }
    let slack = min(count / 100, 1_000_000)
    var unit: Int64 = 1_000_000_000_000
    while unit > 1 {
      let multiple = (count + unit - 1) / unit * unit
      if multiple - count <= slack { return .nanoseconds(multiple) }
      unit /= 10
    }
    return shortest
  }
}
