import Sleepless

/// Fails the test if a condition does not hold for as long as it should.
///
/// ```swift
/// await always(during: .seconds(60)) { model.isOnline }
/// ```
///
/// It is evaluated at once and then as `eventually` does. In a simulation virtual time moves on by the
/// duration, which costs no real time. Elsewhere it takes the real time that is asked for; inject a
/// `TestScheduler` and pass it with `advancing:`, or simulate the test, to have it for nothing.
/// - Parameters:
///   - description: What it is about, for the failure.
///   - duration: How long it has to hold, without a break.
///   - limit: Until when it has to begin to hold; without it, from the start.
///   - start: Before which it must not begin to hold.
///   - failFast: Ends the wait when true, with a failure.
///   - isolation: Where the caller is isolated.
///   - fileID: The caller's file, for failures.
///   - filePath: The caller's path, for failures.
///   - line: The caller's line, for failures.
///   - column: The caller's column, for failures.
///   - condition: What has to hold. An error means that it does not.
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

/// Fails the test if an asynchronous condition does not hold for as long as it should.
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
///   - description: What it is about, for the failure.
///   - duration: How long it has to stay false, without a break.
///   - limit: Until when it has to be false; without it, from the start.
///   - start: Before which it must not be false.
///   - failFast: Ends the wait when true, with a failure.
///   - isolation: Where the caller is isolated.
///   - fileID: The caller's file, for failures.
///   - filePath: The caller's path, for failures.
///   - line: The caller's line, for failures.
///   - column: The caller's column, for failures.
///   - condition: What must not become true. An error is a failure.
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
