import Sleepless
import SleeplessSimulation
import VirtualTime

/// Slows code that calls a stand-in again and again although each call fails (F4).
///
/// A loop that tries again at once would never end. Nor would its simulation, which waits until nothing
/// can run. So after ten failed calls an asynchronous call no longer returns at once.
final class FailingCalls: Sendable {
  private let count = Locked(0)

  /// Whether more calls have failed than may return at once.
  var areTooMany: Bool { count.withLock { $0 > FailureLimit.most } }

  /// Notes that a call of `name` has failed. If too many have, waits until the calling task is
  /// cancelled, and returns true.
  ///
  /// Outside a simulation it waits no longer than the hang timeout, because a test that awaits the call would
  /// otherwise hang without a reason.
  func holdBack(_ name: String) async -> Bool {
    count.withLock { $0 += 1 }
    guard areTooMany else { return false }
    // Only the timeout finishes the stream; the loop also ends when the task is cancelled.
    let (calls, end) = AsyncStream.makeStream(of: Never.self)
    let timer = Self.mark(name) ? nil : HangTimer(HangTimeout.interval) { end.finish() }
    for await _ in calls {}
    timer?.cancel()
    return true
  }

  /// Notes for the simulation's reports what the calling task waits for; false outside a simulation.
  private static func mark(_ name: String) -> Bool {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *), let simulation = Simulation.current
    else { return false }
    simulation.note(
      waitingFor: "its cancellation, as more than ten calls of \(name) have failed")
    return true
  }
}
