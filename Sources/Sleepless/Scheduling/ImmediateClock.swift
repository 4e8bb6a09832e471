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
/// then the loop keeps its thread busy, and after 100,000 sleeps the clock says so on standard error. A
/// ``TimerSequence`` ends after its first tick instead.
public final class ImmediateClock: Clock {
  /// A point of virtual time.
  public typealias Instant = VirtualInstant

  private let state: Locked<(latest: VirtualInstant, sleeps: Int)>

  /// Makes a clock that shows the given instant.
  ///
  /// ```swift
  /// let clock = ImmediateClock(now: VirtualInstant(offset: .seconds(5)))
  /// try await clock.sleep(for: .seconds(60))
  /// print(clock.now)  // prints 65.0 seconds
  /// ```
  public init(now: VirtualInstant = VirtualInstant()) { state = Locked((now, 0)) }

  /// The latest deadline of any sleep so far.
  public var now: VirtualInstant { state.withLock { $0.latest } }

  /// Zero: the clock ignores tolerances.
  public var minimumResolution: Duration { .zero }

  /// Moves the time to the deadline and returns at once.
  ///
  /// In a cancelled task it throws `CancellationError`, and the time stays.
  ///
  /// ```swift
  /// let clock = ImmediateClock()
  /// try await clock.sleep(until: VirtualInstant(offset: .seconds(60)))
  /// try await clock.sleep(until: VirtualInstant(offset: .seconds(10)))
  /// print(clock.now)  // prints 60.0 seconds
  /// ```
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let sleeps = state.withLock { state in
      state.latest = max(state.latest, deadline)
      state.sleeps += 1
      return state.sleeps
    }
    if sleeps == 100_000 {
      remark(
        "warning: A loop has slept 100000 times on an ImmediateClock, where no sleep takes time. If nothing "
          + "cancels the loop, it never ends. Use a test clock, or a simulation.")
    }
    await Task.yield()  // real time: none; lets the other tasks of this thread run
  }
}

extension Clock where Self == ImmediateClock {
  /// A new clock whose sleeps return at once.
  ///
  /// ```swift
  /// let clock: any Clock<Duration> = .immediate
  /// try await clock.sleep(for: .seconds(60))  // returns at once
  /// ```
  public static var immediate: ImmediateClock { ImmediateClock() }
}
