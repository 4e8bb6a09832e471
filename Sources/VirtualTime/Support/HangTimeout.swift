import Foundation
import Sleepless

/// How much real time may pass without any event before a wait counts as a hang.
///
/// Whether a test passes does not depend on it; it only decides how late a hang is reported (W1).
package enum HangTimeout {
  /// Ten seconds, or as many as the environment variable `SLEEPLESS_GUARD_SECONDS` says, for slow
  /// machines.
  package static var interval: Duration { shortened ?? setting }

  /// A shorter timeout, for tests of hangs.
  @TaskLocal package static var shortened: Duration?

  /// A time for which the process must be at rest before a wait ends, for tests; see `RestTimer`.
  @TaskLocal package static var shortenedRest: Duration?

  /// Whether the environment variable sets the timeout.
  package static let isSet = ProcessInfo.processInfo.environment["SLEEPLESS_GUARD_SECONDS"] != nil

  private static let setting = interval(
    from: ProcessInfo.processInfo.environment["SLEEPLESS_GUARD_SECONDS"])

  /// Reads the variable's text; a text that is no positive number counts as not set. The result is at most a
  /// day, so that multiples of it do not overflow, even if the variable is `inf` for debugging.
  package static func interval(from text: String?) -> Duration {
    guard let seconds = text.flatMap(Double.init), seconds > 0 else { return .seconds(10) }
    return Duration(clampingSeconds: min(seconds, 86_400))
  }
}
