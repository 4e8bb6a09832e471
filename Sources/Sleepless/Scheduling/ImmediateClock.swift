/// A clock on which every sleep is over at once; it moves to each sleep's deadline.
///
/// For previews, and for tests in which order and time do not matter. Pass it where production
/// code takes `any Clock<Duration>`:
///
/// ```swift
/// let clock = ImmediateClock()
/// try await clock.sleep(for: .seconds(60))
/// #expect("\(clock.now.offset)" == "60.0 seconds")
/// ```
///
/// ``now`` never moves back. A cancelled task's sleep throws `CancellationError`. Each sleep gives
/// other tasks of its thread a turn, so a loop that sleeps for ever can still be cancelled, but it
/// is busy until then; a ``TimerSequence`` ends after its first tick instead.
public final class ImmediateClock: Clock {
  /// A point of virtual time.
  public typealias Instant = VirtualInstant

  private let latest: Locked<VirtualInstant>

  /// Makes a clock that stands at the given instant.
  public init(now: VirtualInstant = VirtualInstant()) { latest = Locked(now) }

  /// The latest deadline of any sleep so far.
  public var now: VirtualInstant { latest.withLock { $0 } }

  /// Zero: the clock ignores tolerances.
  public var minimumResolution: Duration { .zero }

  /// Moves to the deadline and returns at once.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    latest.withLock { $0 = max($0, deadline) }
    await Task.yield()  // real time: none; gives the other tasks of this thread a turn
  }
}

extension Clock where Self == ImmediateClock {
  /// A new clock on which every sleep is over at once.
  public static var immediate: ImmediateClock { ImmediateClock() }
}
