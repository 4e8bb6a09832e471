#if canImport(Combine)
  import Combine
  import Sleepless
  import XCTest

  extension AssertState {
    /// Asserts the values of one of Combine's publishers in a synchronous XCTest test, and waits for
    /// them.
    ///
    /// The main thread goes on with its work meanwhile, so that code on the main actor can run. If the
    /// values do not come the test fails after the hang timeout (see <doc:WaitingForEvents>).
    ///
    /// ```swift
    /// let subject = CurrentValueSubject<Int, Never>(0)
    /// AssertState().assert(
    ///   when: { subject.value = 1 }, type: Int.self, testCase: self, publisher: subject,
    ///   valuesLimit: 2, valuesAssertions: { XCTAssertEqual($0, [0, 1]) })
    /// ```
    public func assert<Value: Sendable>(
      when action: () -> Void, type: Value.Type, testCase: XCTestCase,
      publisher: some Combine.Publisher<Value, Never>, valuesLimit: Int = 3,
      initialAssertions: () -> Void = {}, valuesAssertions: ([Value]) -> Void,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath,
      line: UInt = #line, column: UInt = #column
    ) {
      let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
      StateWatch<Value>(limit: valuesLimit, at: site).run(
        initialAssertions, subscribe: { $0.record(combine: publisher, afterValue: $1) }, action,
        valuesAssertions
      ) { $0.waitInTestCase(valuesLimit) }
    }

    /// Asserts the values of one of Combine's publishers in a synchronous test; they must have come
    /// when `when` returns.
    ///
    /// It does not wait, since a synchronous Swift Testing test must not block its thread: let the
    /// code under test run on a `TestScheduler`, or call it with `await` in an async test.
    ///
    /// ```swift
    /// let subject = CurrentValueSubject<Int, Never>(0)
    /// AssertState().assert(
    ///   when: { subject.value = 1 }, type: Int.self, publisher: subject, valuesLimit: 2,
    ///   valuesAssertions: { #expect($0 == [0, 1]) })  // the current value counts
    /// ```
    public func assert<Value: Sendable>(
      when action: () -> Void, type: Value.Type,
      publisher: some Combine.Publisher<Value, Never>, valuesLimit: Int = 3,
      initialAssertions: () -> Void = {}, valuesAssertions: ([Value]) -> Void,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath,
      line: UInt = #line, column: UInt = #column
    ) {
      let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
      StateWatch<Value>(limit: valuesLimit, at: site).run(
        initialAssertions, subscribe: { $0.record(combine: publisher, afterValue: $1) }, action,
        valuesAssertions
      ) { _ in .notWaited }
    }

    /// Asserts the values of one of Combine's publishers in an async test of either framework, and
    /// waits for them.
    ///
    /// If they do not come the test fails after the hang timeout (see <doc:WaitingForEvents>).
    ///
    /// ```swift
    /// let subject = CurrentValueSubject<Int, Never>(0)
    /// await AssertState().assert(
    ///   when: { subject.value = 1 }, type: Int.self, publisher: subject, valuesLimit: 2,
    ///   valuesAssertions: { #expect($0 == [0, 1]) })
    /// ```
    public func assert<Value: Sendable>(
      when action: () -> Void, type: Value.Type, testCase: XCTestCase? = nil,
      publisher: some Combine.Publisher<Value, Never>, valuesLimit: Int = 3,
      initialAssertions: () -> Void = {}, valuesAssertions: ([Value]) -> Void,
      isolation: isolated (any Actor)? = #isolation,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath,
      line: UInt = #line, column: UInt = #column
    ) async {
      let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
      await StateWatch<Value>(limit: valuesLimit, at: site).run(
        initialAssertions, subscribe: { $0.record(combine: publisher, afterValue: $1) }, action,
        valuesAssertions, isolation: isolation)
    }

    /// Asserts the values of one of Combine's publishers in an async test of either framework: runs
    /// `when` to its end, and waits for what is still to come.
    ///
    /// ```swift
    /// let subject = CurrentValueSubject<Int, Never>(0)
    /// await AssertState().assert(
    ///   when: { subject.value = 1 }, type: Int.self, publisher: subject, valuesLimit: 2,
    ///   valuesAssertions: { #expect($0 == [0, 1]) })
    /// ```
    public func assert<Value: Sendable>(
      when action: () async -> Void, type: Value.Type, testCase: XCTestCase? = nil,
      publisher: some Combine.Publisher<Value, Never>, valuesLimit: Int = 3,
      initialAssertions: () -> Void = {}, valuesAssertions: ([Value]) -> Void,
      isolation: isolated (any Actor)? = #isolation,
      fileID: StaticString = #fileID, filePath: StaticString = #filePath,
      line: UInt = #line, column: UInt = #column
    ) async {
      let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
      await StateWatch<Value>(limit: valuesLimit, at: site).run(
        initialAssertions, subscribe: { $0.record(combine: publisher, afterValue: $1) }, action,
        valuesAssertions, isolation: isolation)
    }
  }
#endif
