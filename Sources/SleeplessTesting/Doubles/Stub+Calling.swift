import Sleepless

extension Stub {
  // Synchronous calls have a name of their own. As overloads of `callAsFunction`, Swift 6.3 would choose
  // them for `{ id in try await stub(id) }` in a synchronous function, with only a warning.

  // MARK: Functions that throw any error

  /// Answers a synchronous throwing function: `try stub.now(id)`.
  ///
  /// It cannot wait: an answer that is held back or delayed fails the test at the stub's line.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .value(36))
  /// #expect(try age.now("Ada") == 36)
  /// ```
  public func now<each Argument>(
    _ argument: repeat each Argument
  ) throws -> Value where Arguments == (repeat each Argument) {
    try answerNow((repeat each argument)).get()
  }

  /// Answers an async throwing function: `try await stub(id)`.
  ///
  /// If its task is cancelled while the answer is held back or delayed, it throws
  /// `CancellationError`. When ten calls have failed, the next failing call waits until its task is
  /// cancelled and then throws it too: otherwise code that retries would never end.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .value(36))
  /// #expect(try await age("Ada") == 36)
  /// #expect(age.calls.arguments == ["Ada"])
  /// ```
  public func callAsFunction<each Argument>(
    _ argument: repeat each Argument
  ) async throws -> Value where Arguments == (repeat each Argument) {
    try await owner.endAsync(answer((repeat each argument))).get()
  }

  /// Answers a function with a completion handler, which is called once.
  ///
  /// It is called immediately on the caller's thread, or later on the thread that opens the gate or
  /// moves time.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .value(36))
  /// let answers = Recorder<Int, Never>("answers")
  /// age("Ada") { result in answers.record((try? result.get()) ?? 0) }
  /// answers.expect(36)  // called before the call returned
  /// ```
  public func callAsFunction<each Argument>(
    _ argument: repeat each Argument,
    completion: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) where Arguments == (repeat each Argument) {
    answer((repeat each argument)) { completion($0.result) }
  }

  // MARK: Functions that cannot throw

  /// Answers a synchronous function that cannot throw: `stub.now(id, orReturn: [])`.
  ///
  /// After a failure it returns the fallback. An error given as the answer fails the test at the stub's
  /// line.
  ///
  /// ```swift
  /// struct SearchMock {
  ///   let fetch = Stub<String, [String]>("fetch")
  ///   func found(_ query: String) -> [String] { fetch.now(query, orReturn: []) }
  /// }
  /// let search = SearchMock()
  /// search.fetch.always(.value(["Ada"]))
  /// #expect(search.found("a") == ["Ada"])  // [] only after a failure of the test
  /// ```
  public func now<each Argument>(
    _ argument: repeat each Argument, orReturn fallback: Value
  ) -> Value where Arguments == (repeat each Argument) {
    fitting.end(of: answerNow((repeat each argument))).value(or: fallback)
  }

  /// Answers an async function that cannot throw: `await stub(id, orReturn: [])`.
  ///
  /// After a failure or a cancellation it returns the fallback. An error given as the answer fails the
  /// test at the stub's line.
  ///
  /// ```swift
  /// struct SearchMock {
  ///   let fetch = Stub<String, [String]>("fetch")
  ///   func found(_ query: String) async -> [String] { await fetch(query, orReturn: []) }
  /// }
  /// let search = SearchMock()
  /// search.fetch.always(.value(["Ada"]))
  /// #expect(await search.found("a") == ["Ada"])  // [] after a failure or a cancellation
  /// ```
  public func callAsFunction<each Argument>(
    _ argument: repeat each Argument, orReturn fallback: Value
  ) async -> Value where Arguments == (repeat each Argument) {
    await owner.endAsync(fitting.end(of: answer((repeat each argument)))).value(or: fallback)
  }

  /// Answers a function whose completion handler takes a value and no error.
  ///
  /// After a failure it gets the fallback. An error given as the answer fails the test at the stub's
  /// line.
  ///
  /// ```swift
  /// let fetch = Stub<String, [String]>("fetch", default: .value(["Ada"]))
  /// let answers = Recorder<[String], Never>("answers")
  /// fetch("a", orReturn: []) { names in answers.record(names) }
  /// answers.expect(["Ada"])  // [] only after a failure of the test
  /// ```
  public func callAsFunction<each Argument>(
    _ argument: repeat each Argument, orReturn fallback: Value,
    completion: @escaping @Sendable (Value) -> Void
  ) where Arguments == (repeat each Argument) {
    answer((repeat each argument)) { [fitting] end in
      completion(fitting.end(of: end).value(or: fallback))
    }
  }

  // MARK: Functions that throw errors of one type

  /// Answers a synchronous function with a typed throw: `try stub.now(id, orThrow: NetError.offline)`.
  ///
  /// After a failure it throws the fallback. An error of another type fails the test at the stub's
  /// line.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// struct PeopleMock {
  ///   let fetch = Stub<String, Int>("fetch")
  ///   func age(_ name: String) throws(Trouble) -> Int {
  ///     try fetch.now(name, orThrow: Trouble.offline)
  ///   }
  /// }
  /// let people = PeopleMock()
  /// people.fetch.always(.error(Trouble.signedOut))
  /// #expect(throws: Trouble.signedOut) { try people.age("Ada") }
  /// ```
  public func now<each Argument, Failure: Error>(
    _ argument: repeat each Argument, orThrow fallback: Failure
  ) throws(Failure) -> Value where Arguments == (repeat each Argument) {
    try fitting.end(of: answerNow((repeat each argument)), but: Failure.self).get(or: fallback)
  }

  /// Answers an async function with a typed throw: `try await stub(id, orThrow: NetError.offline)`.
  ///
  /// After a failure or a cancellation it throws the fallback. An error of another type fails the test
  /// at the stub's line.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// struct PeopleMock {
  ///   let fetch = Stub<String, Int>("fetch")
  ///   func age(_ name: String) async throws(Trouble) -> Int {
  ///     try await fetch(name, orThrow: Trouble.offline)
  ///   }
  /// }
  /// let people = PeopleMock()
  /// people.fetch.always(.error(Trouble.signedOut))
  /// await #expect(throws: Trouble.signedOut) { try await people.age("Ada") }
  /// ```
  public func callAsFunction<each Argument, Failure: Error>(
    _ argument: repeat each Argument, orThrow fallback: Failure
  ) async throws(Failure) -> Value where Arguments == (repeat each Argument) {
    let end = await fitting.end(of: answer((repeat each argument)), but: Failure.self)
    return try await owner.endAsync(end).get(or: fallback)
  }

  /// Answers a function whose completion handler takes errors of one type.
  ///
  /// After a failure it gets the fallback. An error of another type fails the test at the stub's line.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .error(Trouble.signedOut))
  /// let answers = Recorder<Result<Int, Trouble>, Never>("answers")
  /// age("Ada", orThrow: Trouble.offline) { answers.record($0) }
  /// answers.expect(.failure(.signedOut))  // .offline only after a failure of the test
  /// ```
  public func callAsFunction<each Argument, Failure: Error>(
    _ argument: repeat each Argument, orThrow fallback: Failure,
    completion: @escaping @Sendable (Result<Value, Failure>) -> Void
  ) where Arguments == (repeat each Argument) {
    answer((repeat each argument)) { [fitting] end in
      completion(
        Result { () throws(Failure) in
          try fitting.end(of: end, but: Failure.self).get(or: fallback)
        })
    }
  }

  private var fitting: Fitting<Arguments> {
    Fitting(owner: owner, core: calls.recorder.core)
  }
}

/// Fits the end of a call to functions that cannot throw, or throw errors of one type only.
///
/// It does not keep the stub, whose release may count as the end of its test.
private struct Fitting<Arguments: Sendable>: Sendable {
  let owner: DoubleOwner
  let core: RecorderCore<Arguments, Never>

  /// Returns the end; an error fails the test, because the function cannot throw it.
  func end<Value>(of end: CallEnd<Value>) -> CallEnd<Value> {
    guard case .error(let error) = end else { return end }
    return .reported(owner.failure(owner.cannotThrowText(error, core.historyText)))
  }

  /// Returns the end; an error of another type fails the test.
  func end<Value, Failure: Error>(
    of end: CallEnd<Value>, but type: Failure.Type
  ) -> CallEnd<Value> {
    guard case .error(let error) = end, !(error is Failure) else { return end }
    return .reported(owner.failure(owner.cannotThrowText(error, but: type, core.historyText)))
  }
}

extension CallEnd {
  fileprivate func value(or fallback: Value) -> Value {
    if case .value(let value) = self { value } else { fallback }
  }

  fileprivate func get<Failure: Error>(or fallback: Failure) throws(Failure) -> Value {
    switch self {
    case .value(let value): return value
    case .error(let error as Failure): throw error
    case .error, .cancelled, .reported: throw fallback
    }
  }
}
