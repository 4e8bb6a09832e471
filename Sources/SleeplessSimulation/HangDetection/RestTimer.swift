import Sleepless
import VirtualTime

/// Calls back when the process has been at rest for a time: nothing goes on outside simulations that may bring an
/// event, as `ProcessActivity` says at ten looks in a row.
///
/// Time counts as in `HangTimer`. A look that finds something that may bring an event begins the time again. One that
/// finds a running thread does not count.
package final class RestTimer: Sendable {
  /// How long a process must be at rest before a wait ends early: a second. Nil if waits last as long as their timeout:
  /// with `SLEEPLESS_GUARD_SECONDS`, and where the process is not seen.
  package static var time: Duration? {
    guard ProcessActivity.isSeen else { return nil }
    if let shortened = HangTimeout.shortenedRest { return shortened }
    return HangTimeout.isSet || HangTimeout.shortened != nil ? nil : .seconds(1)
  }

  private let timer: HangTimer
  private let isWatching: Locked<Bool>

  /// Begins to look, unless waits last as long as their timeout. Calls back once, with the time, unless cancelled
  /// before.
  package convenience init?(timeout: Duration, onRest: @escaping @Sendable (Duration) -> Void) {
    guard let time = Self.time, time < timeout else { return nil }
    self.init(time, timeout: timeout, onRest: onRest)
  }

  private init(_ time: Duration, timeout: Duration, onRest: @escaping @Sendable (Duration) -> Void)
  {
    let isWatching = Locked(true)
    self.isWatching = isWatching
    ProcessActivity.beginWatch()
    timer = HangTimer(
      time,
      judgingSlices: {
        // A timeout is stretched on a busy machine. What is due later than this is not awaited.
        let (activity, lacksCores) = ProcessActivity.now(within: timeout * 4)
        return switch activity {
        case .none: lacksCores ? .tenth : .whole
        case .running: .nothing
        case .pending: .restart
        }
      },
      onSilence: {
        Self.end(isWatching)
        onRest(time)
      })
  }

  package func cancel() {
    timer.cancel()
    Self.end(isWatching)
  }

  private static func end(_ isWatching: Locked<Bool>) {
    let wasWatching = isWatching.withLock { isWatching in
      defer { isWatching = false }
      return isWatching
    }
    if wasWatching { ProcessActivity.endWatch() }
  }
}
