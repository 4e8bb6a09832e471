import Sleepless

/// Fails the test if an asynchronous operation throws no error.
///
/// ```swift
/// let error = await expectThrows { try await service.fetch("nobody") }
/// ```
///
/// Like `#expect(throws:)`, for both frameworks. An operation that does not end fails the test when the
/// hang timeout ends; it is cancelled and left running.
/// - Returns: The error, for further checks; nil after a failure.
@discardableResult
public func expectThrows<Value>(
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ operation: @escaping () async throws -> Value
) async -> (any Error)? {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  return await thrown("an error", at: site, isolation, operation) { _ in true }
}

/// Fails the test if an asynchronous operation does not throw an error of a given type.
///
/// An error of another type fails the test, too. Otherwise like the form for any error.
///
/// ```swift
/// let error = await expectThrows(NotFound.self) { try await service.fetch("Tom") }
/// #expect(error?.name == "Tom")
/// ```
///
/// - Returns: The error, for further checks; nil after a failure.
@discardableResult
public func expectThrows<Value, Expected: Error>(
  _ type: Expected.Type, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ operation: @escaping () async throws -> Value
) async -> Expected? {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  let error = await thrown("an error of type \(type)", at: site, isolation, operation) {
    $0 is Expected
  }
  return error as? Expected
}

/// Fails the test if an asynchronous operation does not throw an error equal to a given one.
///
/// An error that is not equal fails the test, too. Otherwise like the form for any error.
///
/// ```swift
/// await expectThrows(NotFound(name: "Tom")) { try await service.fetch("Tom") }
/// ```
public func expectThrows<Value, Expected: Error & Equatable>(
  _ expected: Expected, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ operation: @escaping () async throws -> Value
) async {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  await thrown(eventText(of: expected), at: site, isolation, operation) {
    $0 as? Expected == expected
  }
}

/// Fails the test if an asynchronous operation does not throw an error that a predicate accepts.
///
/// An error that it does not accept fails the test, too. Otherwise like the form for any error.
///
/// ```swift
/// let error = await expectThrows(where: { ($0 as? NotFound)?.name.count == 3 }) {
///   try await service.fetch("Tom")
/// }
/// #expect(error is NotFound)
/// ```
///
/// - Returns: The error, for further checks; nil after a failure.
@discardableResult
public func expectThrows<Value>(
  where isExpected: (any Error) -> Bool, isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  @_implicitSelfCapture _ operation: @escaping () async throws -> Value
) async -> (any Error)? {
  let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
  return await thrown(
    "an error that the predicate accepts", at: site, isolation, operation, isExpected)
}

/// Runs the operation; returns its error if that is the expected one.
@discardableResult
private func thrown<Value>(
  _ expected: String, at site: CallSite, _ isolation: isolated (any Actor)?,
  _ operation: @escaping () async throws -> Value, _ isExpected: (any Error) -> Bool
) async -> (any Error)? {
  let plan = ConditionWaiter.Plan(
    call: "expectThrows", description: nil, evaluator: ConditionEvaluator(.becoming), limit: nil,
    expectation: "the operation to throw \(expected)", shortfall: "it did not end",
    advice: "Does it wait for something that never comes?")
  let waiter = ConditionWaiter(plan, at: site)
  let outcome = await waiter.evaluateApart(nil, isolation: isolation) {
    do {
      return .fulfilled(Result<String, any Error>.success(eventText(of: try await operation())))
    } catch { return .fulfilled(.failure(error)) }
  }
  switch outcome {
  case .failure(let error) where isExpected(error): return error
  case .failure(let error):
    waiter.reporter.fail(
      """
      expectThrows expected the operation to throw \(expected), but it threw \
      \(type(of: error)): \(eventText(of: error)).
      If the operation is right, expect that error.
      """)
  case .success(let value):
    let returned = value == "()" ? "returned" : "returned \(value)"
    waiter.reporter.fail(
      """
      expectThrows expected the operation to throw \(expected), but it \(returned).
      Does it handle the error itself, or was it not made to fail?
      """)
  case nil: break
  }
  return nil
}
