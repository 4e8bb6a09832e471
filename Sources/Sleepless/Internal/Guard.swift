import Foundation

/// The last guard against waiting for ever: how much real time may pass with nothing happening.
///
/// No pass of a test depends on it; it only decides how late a hang is reported (W1). The
/// environment variable `SLEEPLESS_GUARD_SECONDS` sets it for slow machines.
package enum Guard {
  package static let interval = interval(
    from: ProcessInfo.processInfo.environment["SLEEPLESS_GUARD_SECONDS"])

  /// Reads the variable's text; what is no positive number counts as not set.
  package static func interval(from text: String?) -> Duration {
    guard let seconds = text.flatMap(Double.init), seconds > 0 else { return .seconds(10) }
    return Duration(clampingSeconds: seconds)
  }
}
