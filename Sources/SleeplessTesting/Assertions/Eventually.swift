import Sleepless

/// Waits until a condition is true, and fails the test if it does not become true.
///
/// ```swift
/// model.load()
/// await eventually { model.state == .loaded }
/// ```
///
/// The condition is evaluated at once and again whenever something may have changed it: a recorder's
/// event, a change of an `@Observable` object it has read, a call of a double, a task of the test that
/// has run. Changes that no helper reports are noticed within 20 ms. An error means
/// "not yet".
///
/// In a simulation it is evaluated after each step while time goes on, and it fails as soon as nothing
/// can change any more. Elsewhere it fails when the hang timeout ends (see <doc:WaitingForEvents>), after
/// one more evaluation. A pass never depends on how fast the machine is.
///
/// The condition should only read state. It runs in the caller's isolation.
/// - Parameters:
///   - description: What the condition is, for the failure's text.
///   - limit: How long it may take: virtual time in a simulation, elsewhere real time, scaled with the
///     hang timeout. Without it, as long as something can change, or the hang timeout allows.
///   - start: The earliest time at which it may become true.
///   - failFast: Ends the wait with a failure when it returns true.
///   - isolation: The caller's isolation.
///   - fileID: The caller's file, for failures.
///   - filePath: The caller's path, for failures.
///   - line: The caller's line, for failures.
///   - column: The caller's column, for failures.
///   - condition: The condition.
public func eventually(
  _ description: String? = nil, within limit: Duration? = nil, notBefore start: Duration = .zero,
  failFast: (() -> Bool)? = nil, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ condition: () throws -> Bool
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let waiter = ConditionWaiter(checking: .eventually(description, limit, start), at: site)
  await waiter?.evaluate(failFast, isolation: isolation) { Evaluation(isTrue: try condition()) }
}

/// Waits until an asynchronous condition is true, and fails the test if it does not become true.
///
/// Like the form with a synchronous condition, but changes of `@Observable` objects do not wake it. An
/// evaluation that has not returned by the end of the hang timeout fails the test, and is left running.
///
/// ```swift
/// Task { await store.load() }
/// await eventually { await store.names == ["Ada", "Grace"] }
/// ```
public func eventually(
  _ description: String? = nil, within limit: Duration? = nil, notBefore start: Duration = .zero,
  failFast: (() async -> Bool)? = nil, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ condition: @escaping () async throws -> Bool
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let waiter = ConditionWaiter(checking: .eventually(description, limit, start), at: site)
  await waiter?.evaluateApart(failFast, isolation: isolation) {
    Evaluation(isTrue: try await condition())
  }
}

/// Waits until there is a value, and returns it.
///
/// ```swift
/// let user = try await eventually { model.user }
/// ```
///
/// Otherwise like the form with a condition.
/// - Returns: The value, not nil.
/// - Throws: An error that ends the test without a second failure, if no value comes.
public func eventually<Value>(
  _ description: String? = nil, within limit: Duration? = nil, notBefore start: Duration = .zero,
  failFast: (() -> Bool)? = nil, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  _ value: () throws -> Value?
) async throws -> Value {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let waiter = ConditionWaiter(checking: .eventuallyValue(description, limit, start), at: site)
  let found = await waiter?.evaluate(failFast, isolation: isolation) {
    Evaluation(value: try value())
  }
  guard let found else { throw Reporter(at: site).reportedError }
  return found
}

/// Waits until there is a value, found asynchronously, and returns it.
///
/// Like the form with an asynchronous condition.
///
/// ```swift
/// Task { await store.load() }
/// let first = try await eventually { await store.names.first }
/// #expect(first == "Ada")
/// ```
///
/// - Returns: The value, not nil.
/// - Throws: An error that ends the test without a second failure, if no value comes.
public func eventually<Value: Sendable>(
  _ description: String? = nil, within limit: Duration? = nil, notBefore start: Duration = .zero,
  failFast: (() async -> Bool)? = nil, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ value: @escaping () async throws -> Value?
) async throws -> Value {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let waiter = ConditionWaiter(checking: .eventuallyValue(description, limit, start), at: site)
  let found = await waiter?.evaluateApart(failFast, isolation: isolation) {
    Evaluation(value: try await value())
  }
  guard let found else { throw Reporter(at: site).reportedError }
  return found
}

extension ConditionWaiter.Plan {
  static func eventually(_ description: String?, _ limit: Duration?, _ start: Duration) -> Self {
    Self(
      call: "eventually", description: description,
      evaluator: ConditionEvaluator(.becoming, notBefore: start), limit: limit,
      expectation: "its condition to become true", shortfall: "it stayed false")
  }

  static func eventuallyValue(
    _ description: String?, _ limit: Duration?, _ start: Duration
  ) -> Self {
    Self(
      call: "eventually", description: description,
      evaluator: ConditionEvaluator(.becoming, notBefore: start), limit: limit,
      expectation: "a value", shortfall: "it stayed nil")
  }
}

extension Evaluation where Value == Void {
  init(isTrue: Bool) { self = isTrue ? .fulfilled(()) : .unfulfilled("false") }

  init(isFalse: Bool) { self = isFalse ? .fulfilled(()) : .unfulfilled("true") }
}

extension Evaluation {
  init(value: Value?) { self = value.map(Self.fulfilled) ?? .unfulfilled("nil") }
}
