/// A clock whose sleeps return at once; its time moves to each sleep's deadline.
///
/// For previews, and for tests that do not depend on order or time. Pass it where production code
/// takes `any Clock<Duration>`:
///
/// ```swift
/// let clock = ImmediateClock()
/// try await clock.sleep(for: .seconds(60))
/// #expect("\(clock.now.offset)" == "60.0 seconds")
/// ```
///
/// ``now`` never moves back. In a cancelled task a sleep throws `CancellationError`. Each sleep
/// yields, so other tasks of the thread can run and can cancel a loop that sleeps for ever; until
/// then the loop keeps its thread busy. A ``TimerSequence`` ends after its first tick instead.
public final class ImmediateClock: Clock {
  /// A point of virtual time.
  public typealias Instant = VirtualInstant

  private let latest: Locked<VirtualInstant>

  /// Makes a clock that shows the given instant.
  public init(now: VirtualInstant = VirtualInstant()) { latest = Locked(now) }

  /// The latest deadline of any sleep so far.
  public var now: VirtualInstant { latest.withLock { $0 } }

  /// Zero: the clock ignores tolerances.
  public var minimumResolution: Duration { .zero }

  /// Moves the time to the deadline and returns at once.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    latest.withLock { $0 = max($0, deadline) }
    await Task.yield()  // real time: none; lets the other tasks of this thread run
  }
}

extension Clock where Self == ImmediateClock {
  /// A new clock whose sleeps return at once.
  public static var immediate: ImmediateClock { ImmediateClock() }
}
