extension Double {
  /// Seconds as text: `41 s`, `2.5 s`, `50 ms`.
  var secondsText: String {
    if self == 0 { return "0 s" }
    if self < 0.0995 {
      let milliseconds = (self * 1e5).rounded() / 100
      return milliseconds == 0 ? "0 s" : "\(milliseconds.plainText) ms"
    }
    let digits: Double = self < 10 ? 100 : self < 100 ? 10 : 1
    return "\(((self * digits).rounded() / digits).plainText) s"
  }
}
