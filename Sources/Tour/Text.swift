extension Duration {
  /// In the largest fitting unit, with at most three digits: `2.09 s`, `1.3 ms`.
  var text: String {
    for (unit, name) in [(Duration.seconds(1), "s"), (.milliseconds(1), "ms")] where self >= unit {
      return Self.decimal(self / unit) + " \(name)"
    }
    return Self.decimal(self / .microseconds(1)) + " us"
  }

  private static func decimal(_ value: Double) -> String {
    if value == value.rounded() { return "\(Int(value))" }
    let scale: Double = value < 10 ? 100 : value < 100 ? 10 : 1
    let rounded = (value * scale).rounded() / scale
    return scale == 1 ? "\(Int(rounded))" : "\(rounded)"
  }
}

extension Double {
  /// Rounded to two digits, because no measurement here is more precise: `1200`, `85`.
  var roundedText: String {
    var scale: Double = 1
    while abs(self) >= 100 * scale { scale *= 10 }
    return "\(Int((self / scale).rounded() * scale))"
  }
}

extension String {
  /// Padded with spaces: on the left for a positive width, on the right for a negative one.
  func padded(to width: Int) -> String {
    let spaces = String(repeating: " ", count: Swift.max(0, abs(width) - count))
    return width > 0 ? spaces + self : self + spaces
  }
}
