import Sleepless

extension Duration {
  /// How many whole intervals it contains, in nanoseconds. `Duration / Duration` is a rounded number.
  func count(of interval: Duration) -> Int {
    Int(clamping: clampedNanoseconds / max(1, interval.clampedNanoseconds))
  }
}
