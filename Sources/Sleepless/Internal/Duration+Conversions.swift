import Dispatch

extension Duration {
  /// Longer than any virtual timeline: work after this delay is never due.
  package static let forever = Duration(_high: .max, low: .max)

  /// The duration in seconds, rounded to what a `Double` holds.
  package var timeInterval: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// That many seconds, in whole nanoseconds as GCD counts them.
  init(clampingSeconds seconds: Double) {
    // Beyond 292 years nanoseconds overflow; GCD then waits for ever, or not at all.
    if seconds >= 9.2e9 {
      self = .seconds(Int64(9.2e9))
    } else if seconds > -9.2e9 {
      self = .nanoseconds(Int64((seconds * 1e9).rounded()))
    } else {
      self = .zero
    }
  }

  init(_ interval: DispatchTimeInterval) {
    switch interval {
    case .seconds(let count): self = .seconds(count)
    case .milliseconds(let count): self = .milliseconds(count)
    case .microseconds(let count): self = .microseconds(count)
    case .nanoseconds(let count): self = .nanoseconds(count)
    case .never: self = .seconds(Int64(9.2e9))
    @unknown default: self = .zero
    }
  }

  /// The roundest duration from `shortest` up to a tenth more, at most 10 ms more.
  ///
  /// A deadline on the real clock reaches us as what is left of it: some microseconds less than the
  /// caller wrote. The roundest duration in reach is what was written.
  package static func simplest(atLeast shortest: Duration) -> Duration {
    let slack = min(shortest / 10, .milliseconds(10))
    var unit = Duration.seconds(1000)
    while unit > .nanoseconds(1) {
      let multiple = shortest.roundedUp(toMultipleOf: unit)
      if multiple - shortest <= slack { return multiple }
      unit = unit / 10
    }
    return shortest
  }

  private func roundedUp(toMultipleOf unit: Duration) -> Duration {
    // Both are whole nanoseconds below 292 years, or the quotient is exact enough not to matter.
    let count = (self / unit).rounded(.up)
    return count < 9e18 ? unit * Int64(count) : self
  }
}
