extension Duration {
  /// The duration in its largest whole unit, without trailing zeros: `1.5 s`, `300 ms`, `2 ns`.
  ///
  /// From 2^63 s on, the seconds are rounded: `9.223372036854776e+18 s`.
  package var shortDescription: String {
    guard hasComponents else { return "\(timeInterval) s" }
    let (seconds, attoseconds) = components
    if attoseconds == 0 { return "\(seconds) s" }
    if seconds != 0 { return Self.decimal(seconds, attoseconds, digits: 18) + " s" }
    for (unit, digits) in [("ms", 15), ("us", 12), ("ns", 9), ("ps", 6), ("fs", 3)] {
      let scale = (0..<digits).reduce(Int64(1)) { scale, _ in scale * 10 }
      if abs(attoseconds) >= scale {
        return Self.decimal(attoseconds / scale, attoseconds % scale, digits: digits) + " \(unit)"
      }
    }
    return "\(attoseconds) as"
  }

  /// Whether its whole seconds fit in an `Int64`. Otherwise `components` traps.
  private var hasComponents: Bool {
    self < .seconds(Int64.max) + .seconds(1) && self > .seconds(Int64.min) - .seconds(1)
  }

  private static func decimal(_ whole: Int64, _ fraction: Int64, digits: Int) -> String {
    let sign = whole < 0 || fraction < 0 ? "-" : ""
    var tail = String(fraction.magnitude)
    tail = String(repeating: "0", count: digits - tail.count) + tail
    while tail.hasSuffix("0") { tail.removeLast() }
    return sign + "\(whole.magnitude)" + (tail.isEmpty ? "" : "." + tail)
  }
}
