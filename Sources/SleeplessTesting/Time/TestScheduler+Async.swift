import VirtualTime

/// Advances for asynchronous tests: when one returns, the tasks that it has woken have come to rest, too.
///
/// They go from one instant at which something is due to the next. Before the first and after each, everything
/// that can run comes to rest, as for ``TestClock``. Work runs in the caller's isolation. In synchronous code, the
/// functions of the same names run the work and do not wait for tasks.
///
/// Where tasks cannot be followed, an advance does not wait until a task has fallen asleep: call `waitForSleepers()` of
/// the scheduler's clock first, as for ``TestClock``.
extension TestScheduler {
  /// A task that sleeps is a sleeper of the clock of this time: advances and `waitForSleepers()` wait for it.
  package func sleep(for duration: Duration, label: String?, at site: CallSite) async throws {
    let deadline = now.saturatingAdding(max(duration, .zero))
    try await clock.sleep(until: deadline, label: label ?? "sleep", at: site)
  }

  /// Moves time on and returns when everything due up to and including the target has happened; without an
  /// argument, everything due now.
  ///
  /// A negative duration fails the test and runs nothing.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let toast = Task { try await scheduler.sleep(for: .seconds(3)) }
  /// await scheduler.clock.waitForSleepers()
  /// await scheduler.advance(by: .seconds(3))
  /// try await toast.value
  /// ```
  ///
  /// - Returns: The work run and the sleeps ended, in order.
  @discardableResult
  public func advance(
    by duration: Duration = .zero, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return await owner.advance(.by(duration), at: site, isolation: isolation)
  }

  /// Moves time on to an instant, counted from the start, and returns when everything due until then has happened.
  ///
  /// An instant in the past fails the test and runs nothing.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let toast = Task { try await scheduler.sleep(for: .seconds(3)) }
  /// await scheduler.clock.waitForSleepers()
  /// await scheduler.advance(to: .seconds(5))
  /// try await toast.value
  /// #expect(scheduler.now == .seconds(5))
  /// ```
  ///
  /// - Returns: The work run and the sleeps ended, in order.
  @discardableResult
  public func advance(
    to instant: Duration, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return await owner.advance(.to(instant), at: site, isolation: isolation)
  }

  /// Moves time on to the next instant at which something is due, and returns when all of that has happened.
  ///
  /// If nothing is pending, time stays.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let toast = Task { try await scheduler.sleep(for: .seconds(3)) }
  /// await scheduler.clock.waitForSleepers()
  /// await scheduler.advanceToNext()
  /// #expect(scheduler.now == .seconds(3))
  /// try await toast.value
  /// ```
  ///
  /// - Returns: The work run and the sleeps ended, in order.
  @discardableResult
  public func advanceToNext(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return await owner.advance(.toNext, at: site, isolation: isolation)
  }

  /// Runs all pending work and wakes all sleepers, and what these schedule, until nothing is left.
  ///
  /// A repeating timer or a loop of sleeps that is never cancelled fails the test when the step limit is reached.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let toast = Task { for _ in 1...3 { try await scheduler.sleep(for: .seconds(1)) } }
  /// await scheduler.clock.waitForSleepers()
  /// await scheduler.run()
  /// try await toast.value
  /// #expect(scheduler.now == .seconds(3))
  /// ```
  ///
  /// - Returns: The work run and the sleeps ended, in order.
  @discardableResult
  public func run(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async -> WorkList {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return await owner.advance(.toEnd, at: site, isolation: isolation)
  }
}
