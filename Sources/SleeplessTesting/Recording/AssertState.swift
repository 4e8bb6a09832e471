import Sleepless
import XCTest

/// Asserts the whole history of a publisher's values, such as the states of a view model.
///
/// ```swift
/// AssertState().assert(
///   when: { model.load() },
///   type: CatState.self,
///   testCase: self,
///   publisher: model.publisher,
///   valuesLimit: 3,
///   initialAssertions: { XCTAssertEqual(model.state, .initial) },
///   valuesAssertions: { values in
///     XCTAssertEqual(values, [.initial, .loading, .loaded("Tom")])
///   })
/// ```
///
/// It runs `initialAssertions`, subscribes, runs `when`, and hands exactly `valuesLimit` values to
/// `valuesAssertions`, in order. It waits for the values themselves and not for a time; each form says
/// how. The test fails at the caller's line if fewer values come, if the publisher ends before, and if
/// more come; the failure lists the values.
///
/// It checks for more values when the test's tasks have come to rest (a loop that sleeps delays it by one
/// second at most) or, where tasks cannot be followed, after half a second. The forms that wait check
/// before they hand the values over, and once more at the end of the test if that is known (XCTest,
/// `.checkedAtEnd`, `.simulated`, `.explored`). In a simulation time does not move for it.
///
/// A publisher's current value counts: a state that goes from initial by loading to loaded has three.
public struct AssertState: Sendable {
  /// Makes the assertion; it has no settings.
  ///
  /// ```swift
  /// await AssertState().assert(
  ///   when: { model.load() }, type: LoadingState.self, publisher: model.$state,
  ///   valuesAssertions: { #expect($0 == [.initial, .loading, .loaded]) })
  /// ```
  public init() {}

  /// Asserts the values in a synchronous XCTest test, and waits for them.
  ///
  /// The main thread goes on with its work meanwhile, so that code on the main actor can run. If the
  /// values do not come the test fails after the hang timeout (see <doc:WaitingForEvents>).
  ///
  /// ```swift
  /// let subject = StateSubject<Int, Never>(0)
  /// AssertState().assert(
  ///   when: { DispatchQueue.main.async { subject.value = 1 } },
  ///   type: Int.self, testCase: self, publisher: subject, valuesLimit: 2,
  ///   valuesAssertions: { XCTAssertEqual($0, [0, 1]) })
  /// ```
  public func assert<Value: Sendable>(
    when action: () -> Void, type: Value.Type, testCase: XCTestCase,
    publisher: some PublisherType<Value, Never>, valuesLimit: Int = 3,
    initialAssertions: () -> Void = {}, valuesAssertions: ([Value]) -> Void,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    StateWatch<Value>(limit: valuesLimit, at: site).run(
      initialAssertions, subscribe: { $0.record(publisher, afterValue: $1) }, action,
      valuesAssertions
    ) { $0.waitInTestCase(valuesLimit) }
  }

  /// Asserts the values in a synchronous test; they must have come when `when` returns.
  ///
  /// It does not wait, since a synchronous Swift Testing test must not block its thread: let the
  /// code under test run on a `TestScheduler`, or call it with `await` in an async test.
  ///
  /// ```swift
  /// let subject = StateSubject<Int, Never>(0)
  /// AssertState().assert(
  ///   when: { subject.value = 1 }, type: Int.self, publisher: subject, valuesLimit: 2,
  ///   valuesAssertions: { #expect($0 == [0, 1]) })  // the current value counts
  /// ```
  public func assert<Value: Sendable>(
    when action: () -> Void, type: Value.Type,
    publisher: some PublisherType<Value, Never>, valuesLimit: Int = 3,
    initialAssertions: () -> Void = {}, valuesAssertions: ([Value]) -> Void,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    StateWatch<Value>(limit: valuesLimit, at: site).run(
      initialAssertions, subscribe: { $0.record(publisher, afterValue: $1) }, action,
      valuesAssertions
    ) { _ in .notWaited }
  }

  /// Asserts the values in an async test of either framework, and waits for them.
  ///
  /// If they do not come the test fails after the hang timeout (see <doc:WaitingForEvents>).
  ///
  /// ```swift
  /// await AssertState().assert(
  ///   when: { model.load() }, type: LoadingState.self, publisher: model.$state,
  ///   valuesAssertions: { #expect($0 == [.initial, .loading, .loaded]) })
  /// ```
  public func assert<Value: Sendable>(
    when action: () -> Void, type: Value.Type, testCase: XCTestCase? = nil,
    publisher: some PublisherType<Value, Never>, valuesLimit: Int = 3,
    initialAssertions: () -> Void = {}, valuesAssertions: ([Value]) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    await StateWatch<Value>(limit: valuesLimit, at: site).run(
      initialAssertions, subscribe: { $0.record(publisher, afterValue: $1) }, action,
      valuesAssertions, isolation: isolation)
  }

  /// Asserts the values in an async test of either framework: runs `when` to its end, and waits for
  /// what is still to come.
  ///
  /// ```swift
  /// await AssertState().assert(
  ///   when: { await model.reload() }, type: LoadingState.self, publisher: model.$state,
  ///   valuesAssertions: { #expect($0 == [.initial, .loading, .loaded]) })
  /// ```
  public func assert<Value: Sendable>(
    when action: () async -> Void, type: Value.Type, testCase: XCTestCase? = nil,
    publisher: some PublisherType<Value, Never>, valuesLimit: Int = 3,
    initialAssertions: () -> Void = {}, valuesAssertions: ([Value]) -> Void,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    await StateWatch<Value>(limit: valuesLimit, at: site).run(
      initialAssertions, subscribe: { $0.record(publisher, afterValue: $1) }, action,
      valuesAssertions, isolation: isolation)
  }
}
