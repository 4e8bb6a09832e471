import Sleepless

/// Fails the test if a condition does not hold for a time.
///
/// ```swift
/// await always(during: .seconds(60)) { model.isOnline }
/// ```
///
/// The condition is evaluated at once, and then as by `eventually`. In a simulation virtual time moves
/// on by the duration, at no cost in real time. Elsewhere it lasts as long as you asked, and more than a second
/// is a warning: to save the time, simulate the test, or inject a `TestScheduler` and pass it with `advancing:`.
/// - Parameters:
///   - description: What the condition is, for the failure's text.
///   - duration: How long the condition has to hold without a break.
///   - limit: The latest time at which it may begin to hold; without a limit, the start.
///   - start: The earliest time at which it may begin to hold.
///   - failFast: Ends the wait with a failure when it returns true.
///   - isolation: The caller's isolation.
///   - fileID: The caller's file, for failures.
///   - filePath: The caller's path, for failures.
///   - line: The caller's line, for failures.
///   - column: The caller's column, for failures.
///   - condition: The condition. An error means that it does not hold.
public func always(
  _ description: String? = nil, during duration: Duration, within limit: Duration? = nil,
  notBefore start: Duration = .zero, failFast: (() -> Bool)? = nil,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ condition: () throws -> Bool
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let waiter = ConditionWaiter(checking: .always(description, duration, limit, start), at: site)
  await waiter?.evaluate(failFast, isolation: isolation) { Evaluation(isTrue: try condition()) }
}

/// Fails the test if an asynchronous condition does not hold for a time.
///
/// Like the form with a synchronous condition, but changes of `@Observable` objects do not wake it.
///
/// The test of this example has the trait `.simulated`.
///
/// ```swift
/// await always(during: .seconds(60)) { await store.names.isEmpty }
/// #expect(Simulation.current?.now == .seconds(60))  // of virtual time
/// ```
public func always(
  _ description: String? = nil, during duration: Duration, within limit: Duration? = nil,
  notBefore start: Duration = .zero, failFast: (() async -> Bool)? = nil,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ condition: @escaping () async throws -> Bool
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let waiter = ConditionWaiter(checking: .always(description, duration, limit, start), at: site)
  await waiter?.evaluateApart(failFast, isolation: isolation) {
    Evaluation(isTrue: try await condition())
  }
}

/// Fails the test if a condition becomes true within a time.
///
/// ```swift
/// await never(during: .seconds(60)) { model.isLoading }
/// ```
///
/// Like `always` with the opposite condition.
/// - Parameters:
///   - description: What the condition is, for the failure's text.
///   - duration: How long the condition has to stay false without a break.
///   - limit: The latest time at which it may begin to be false; without a limit, the start.
///   - start: The earliest time at which it may be false.
///   - failFast: Ends the wait with a failure when it returns true.
///   - isolation: The caller's isolation.
///   - fileID: The caller's file, for failures.
///   - filePath: The caller's path, for failures.
///   - line: The caller's line, for failures.
///   - column: The caller's column, for failures.
///   - condition: The condition. An error is a failure.
public func never(
  _ description: String? = nil, during duration: Duration, within limit: Duration? = nil,
  notBefore start: Duration = .zero, failFast: (() -> Bool)? = nil,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ condition: () throws -> Bool
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let waiter = ConditionWaiter(checking: .never(description, duration, limit, start), at: site)
  await waiter?.evaluate(failFast, isolation: isolation) { Evaluation(isFalse: try !condition()) }
}

/// Fails the test if an asynchronous condition becomes true within a time.
///
/// Like the form with a synchronous condition, but changes of `@Observable` objects do not wake it.
///
/// The test of this example has the trait `.simulated`.
///
/// ```swift
/// await never(during: .seconds(60)) { await store.isLoading }
/// #expect(Simulation.current?.now == .seconds(60))  // of virtual time
/// ```
public func never(
  _ description: String? = nil, during duration: Duration, within limit: Duration? = nil,
  notBefore start: Duration = .zero, failFast: (() async -> Bool)? = nil,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ condition: @escaping () async throws -> Bool
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let waiter = ConditionWaiter(checking: .never(description, duration, limit, start), at: site)
  await waiter?.evaluateApart(failFast, isolation: isolation) {
    Evaluation(isFalse: try await !condition())
  }
}

extension ConditionWaiter.Plan {
  static func always(
    _ description: String?, _ duration: Duration, _ limit: Duration?, _ start: Duration
  ) -> Self {
    Self(
      call: "always", description: description,
      evaluator: ConditionEvaluator(.holding(duration), notBefore: start, within: limit ?? .zero),
      limit: limit,
      expectation: "its condition to be true for \(duration.shortDescription)",
      shortfall: "it was false")
  }

  static func never(
    _ description: String?, _ duration: Duration, _ limit: Duration?, _ start: Duration
  ) -> Self {
    Self(
      call: "never", description: description,
      evaluator: ConditionEvaluator(.holding(duration), notBefore: start, within: limit ?? .zero),
      limit: limit,
      expectation: "its condition to be false for \(duration.shortDescription)",
      shortfall: "it was true", fulfilled: "false")
  }
}
