import Dispatch
import SleeplessSimulation
import VirtualTime

/// A scheduler that must not be used: a proof that a test does not need one.
///
/// Any use fails the test at the line where the scheduler was made, with the name of the function; each
/// function fails once, whatever its arguments. Work does not run, except by `sync`, which must return a result.
/// A sleep throws ``UnimplementedClock/Used``; from the eleventh on, it waits until its task is cancelled.
///
/// ```swift
/// let retry = Retry(scheduler: UnimplementedScheduler())  // fails the test if it is used
/// ```
public struct UnimplementedScheduler: SchedulerWithSleep, VirtualQueue {
  private let unimplemented: Unimplemented

  /// Makes a scheduler that must not be used; `label` names it in failures.
  ///
  /// ```swift
  /// let queue = UnimplementedScheduler("queue of the cache")
  /// queue.async { print("never") }  // fails the test at the line above
  /// ```
  public init(
    _ label: String = "UnimplementedScheduler",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    unimplemented = Unimplemented(label, at: site)
  }

  /// Fails the test.
  ///
  /// The work does not run.
  ///
  /// ```swift
  /// let queue = UnimplementedScheduler("queue of the cache")
  /// queue.async { print("never") }  // fails the test at the line above
  /// ```
  @_disfavoredOverload
  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {
    unimplemented.fail("async")
  }

  package func async(
    at site: CallSite, execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    unimplemented.fail("async", from: site)
  }

  package func enqueue(
    _ label: String, at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    unimplemented.fail(label, from: site)
    return NoWork()
  }

  package func async(
    whenEmpty group: DispatchGroup, at site: CallSite,
    execute work: @escaping @Sendable @convention(block) () -> Void
  ) {
    unimplemented.fail("notify", from: site)
  }

  /// Fails the test, and returns zero.
  ///
  /// ```swift
  /// let scheduler = UnimplementedScheduler("scheduler of the cache")
  /// #expect(scheduler.now == .zero)  // fails the test at the line above
  /// scheduler.schedule(after: .seconds(1)) { print("never") }  // so does this
  /// scheduler.schedule(after: .seconds(1), every: .seconds(1)) { print("never") }  // and this
  /// ```
  public var now: Duration {
    unimplemented.fail("now")
    return .zero
  }

  package func sleep(for duration: Duration, label: String?, at site: CallSite) async throws {
    try await unimplemented.failAsync(
      "sleep(for:)", "sleep(for: \(duration.shortDescription))", from: site,
      throwing: UnimplementedClock.Used())
  }

  /// Fails the test and runs the work.
  ///
  /// ```swift
  /// let queue = UnimplementedScheduler("queue of the cache")
  /// let answer = queue.sync { 42 }  // fails the test at the line above
  /// #expect(answer == 42)
  /// ```
  public func sync<Result>(execute work: () throws -> Result) rethrows -> Result {
    unimplemented.fail("sync")
    return try work()
  }

  /// Fails the test.
  ///
  /// The work does not run.
  ///
  /// ```swift
  /// let scheduler = UnimplementedScheduler("scheduler of the cache")
  /// #expect(scheduler.now == .zero)  // fails the test at the line above
  /// scheduler.schedule(after: .seconds(1)) { print("never") }  // so does this
  /// scheduler.schedule(after: .seconds(1), every: .seconds(1)) { print("never") }  // and this
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, tolerance: Duration, label: String?, at site: CallSite,
    execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    unimplemented.fail(
      "schedule(after:)", "schedule(after: \(delay.shortDescription))", from: site)
    return NoWork()
  }

  /// Fails the test.
  ///
  /// The work does not run.
  ///
  /// ```swift
  /// let scheduler = UnimplementedScheduler("scheduler of the cache")
  /// #expect(scheduler.now == .zero)  // fails the test at the line above
  /// scheduler.schedule(after: .seconds(1)) { print("never") }  // so does this
  /// scheduler.schedule(after: .seconds(1), every: .seconds(1)) { print("never") }  // and this
  /// ```
  @discardableResult
  public func schedule(
    after delay: Duration, every interval: Duration, tolerance: Duration, label: String?,
    at site: CallSite, execute work: @escaping @Sendable () -> Void
  ) -> any CancellableType {
    unimplemented.fail(
      "schedule(every:)", "schedule(every: \(interval.shortDescription))", from: site)
    return NoWork()
  }
}

/// The token of work that was not scheduled.
final class NoWork: CancellableType {
  func cancel() {}
}

/// Fails the test at the first use of each function of a stand-in.
final class Unimplemented: Sendable {
  private let label: String
  private let reporter: Reporter
  private let failingCalls = FailingCalls()
  private let used = Locked(Set<String>())

  init(_ label: String, at site: CallSite) {
    self.label = label
    reporter = Reporter(at: site)
    // The test's tasks come to rest before its end: until then they may use the stand-in.
    reporter.atEndOfTest(afterLastChange: {})
  }

  /// Fails the test unless the function has failed it before; `call` is the function with its arguments.
  func fail(_ function: String, _ call: String? = nil, from site: CallSite? = nil) {
    guard used.withLock({ $0.insert(function).inserted }) else { return }
    let caller = site.map(\.description) ?? CallingFunction.frame?.text
    reporter.fail(
      """
      \(label) was used: \(call ?? function)\(caller.map { ", called in \($0)" } ?? "").
      This stand-in says that the test needs none. If it does, pass a test scheduler or clock, \
      or an immediate one.
      """)
  }

  /// Fails the test like `fail`, unless `earlier` has failed it. Always throws; after ten failed calls it first
  /// waits for cancellation.
  func failAsync<Failure: Error>(
    _ function: String, _ call: String? = nil, orBefore earlier: String? = nil,
    from site: CallSite? = nil, throwing error: Failure
  ) async throws -> Never {
    let hasFailed = earlier.map { earlier in used.withLock { $0.contains(earlier) } } ?? false
    if !hasFailed { fail(function, call, from: site) }
    guard await failingCalls.holdBack(label) else { throw error }
    throw CancellationError()
  }
}
