import Foundation
import Sleepless

/// The last guard against waiting for ever: how much real time may pass with nothing happening.
///
/// No pass of a test depends on it; it only decides how late a hang is reported (W1).
package enum HangTimeout {
  /// Ten seconds, or as many as the environment variable `SLEEPLESS_GUARD_SECONDS` says, for slow
  /// machines.
  package static var interval: Duration { shortened ?? setting }

  /// A shorter one, for tests of what happens when it is over.
  @TaskLocal package static var shortened: Duration?

  private static let setting = interval(
    from: ProcessInfo.processInfo.environment["SLEEPLESS_GUARD_SECONDS"])

  /// Reads the variable's text; what is no positive number counts as not set. A day at most, so that
  /// nothing which is a multiple of it overflows, though somebody says `inf` in a debugger.
  package static func interval(from text: String?) -> Duration {
    guard let seconds = text.flatMap(Double.init), seconds > 0 else { return .seconds(10) }
    return Duration(clampingSeconds: min(seconds, 86_400))
  }
}
