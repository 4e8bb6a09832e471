import VirtualTime

/// A clock that must not be used: a proof that a test does not need one.
///
/// Any use fails the test at the line where the clock was made, with the name of the function; each
/// function fails once. A sleep after a use of ``now`` is no failure of its own, because `sleep(for:)`
/// reads `now` first. A sleep throws ``Used``, which ends most loops of sleeps. From the eleventh on,
/// a sleep waits until its task is cancelled.
///
/// ```swift
/// let cache = Cache(answer: 7, clock: UnimplementedClock())
/// #expect(await cache.answer() == 7)  // fails the test if it sleeps
/// ```
public struct UnimplementedClock: Clock {
  /// A point of virtual time.
  public typealias Instant = VirtualInstant

  /// The error of a sleep on a clock that must not be used.
  public struct Used: Error {}

  private let unimplemented: Unimplemented
  private static let nowAndSleep = "now, which sleep(for:) reads too"

  /// Makes a clock that must not be used; `label` names it in failures.
  ///
  /// ```swift
  /// let clock = UnimplementedClock("clock of the cache")
  /// await #expect(throws: UnimplementedClock.Used.self) {
  ///   try await clock.sleep(for: .seconds(1))  // fails the test at the line of the clock
  /// }
  /// ```
  public init(
    _ label: String = "UnimplementedClock",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    unimplemented = Unimplemented(label, at: site)
  }

  /// Fails the test, and returns the start: an offset of zero.
  ///
  /// ```swift
  /// let clock = UnimplementedClock("clock of the cache")
  /// let start = clock.now  // fails the test at the line above
  /// #expect(start.offset == .zero)
  /// ```
  public var now: VirtualInstant {
    unimplemented.fail(Self.nowAndSleep)
    return VirtualInstant()
  }

  /// Fails the test, and returns zero.
  public var minimumResolution: Duration {
    unimplemented.fail("minimumResolution")
    return .zero
  }

  /// Fails the test and throws ``Used``; from the eleventh sleep on, it waits until its task is cancelled.
  ///
  /// Outside a simulation it waits no longer than the hang timeout, and then throws `CancellationError`.
  ///
  /// ```swift
  /// let clock = UnimplementedClock("clock of the cache")
  /// await #expect(throws: UnimplementedClock.Used.self) {
  ///   try await clock.sleep(for: .seconds(1))  // fails the test at the line of the clock
  /// }
  /// ```
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    try await unimplemented.failAsync("sleep", orBefore: Self.nowAndSleep, throwing: Used())
  }
}
