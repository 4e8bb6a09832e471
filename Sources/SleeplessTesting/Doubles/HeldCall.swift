import Sleepless

/// One call of a ``Gate``, in flight until the test answers it or its task is cancelled.
///
/// Any thread may answer it, once. It may outlive its gate.
///
/// ```swift
/// let search = Gate<Int>("search")
/// async let found = search("swift")
/// let call = try await search.entered()
/// call.succeed(with: 42)
/// #expect(try await found == 42)
/// ```
public struct HeldCall<Value: Sendable>: Sendable {
  /// The number of the call at its gate, counted from 1.
  ///
  /// ```swift
  /// let load = Gate<Int>("load")
  /// for page in 1...3 { load(page) { _ in } }
  /// try load.entered(2).succeed(with: 0)
  /// #expect(load.inFlight.map(\.number) == [1, 3])
  /// for call in load.inFlight { call.succeed(with: 0) }
  /// ```
  public let number: Int

  let core: GateCore<Value>

  // MARK: Answering

  /// Returns a value from the call.
  ///
  /// A second answer, or one after the cancellation, fails the test at the caller's line.
  ///
  /// ```swift
  /// let search = Gate<Int>("search")
  /// let found = Task { try await search("swift") }
  /// let call = try await search.entered()
  /// call.succeed(with: 42)
  /// #expect(try await found.value == 42)
  /// ```
  public func succeed(
    with value: Value,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    core.answer(number, .success(value), "succeed(with:)", at: site)
  }

  /// Throws an error from the call.
  ///
  /// A second answer, or one after the cancellation, fails the test at the caller's line.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let load = Gate<Int>("load")
  /// let loading = Task { try await load() }
  /// let call = try await load.entered()
  /// call.fail(with: Trouble.offline)
  /// await #expect(throws: Trouble.offline) { try await loading.value }
  /// ```
  public func fail(
    with error: any Error,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    core.answer(number, .failure(error), "fail(with:)", at: site)
  }

  // MARK: Looking

  /// Whether the call waits for an answer.
  ///
  /// ```swift
  /// let load = Gate<Int>("load")
  /// load("page 1") { _ in }
  /// let call = try load.entered()
  /// #expect(call.isInFlight)
  /// call.succeed(with: 1)
  /// #expect(!call.isInFlight)
  /// ```
  public var isInFlight: Bool { core.isInFlight(number) }

  /// Whether the call's task was cancelled before the call was answered.
  ///
  /// ```swift
  /// let load = Gate<Int>("load")
  /// let loading = Task { try await load() }
  /// let call = try await load.entered()
  /// loading.cancel()
  /// try await call.cancelled()
  /// #expect(call.isCancelled)
  /// await #expect(throws: CancellationError.self) { try await loading.value }
  /// ```
  public var isCancelled: Bool { core.isCancelled(number) }

  /// Waits until the call's task is cancelled.
  ///
  /// If the call is answered first, or never cancelled, this fails the test at the caller's line, and
  /// throws to end it.
  ///
  /// ```swift
  /// let load = Gate<Int>("load")
  /// let loading = Task { try await load() }
  /// let call = try await load.entered()
  /// loading.cancel()
  /// try await call.cancelled()
  /// #expect(call.isCancelled)
  /// await #expect(throws: CancellationError.self) { try await loading.value }
  /// ```
  public func cancelled(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    try await core.waitForCancellation(number, isolation: isolation, at: site)
  }
}

extension HeldCall where Value == Void {
  /// Returns from the call.
  ///
  /// A second answer, or one after the cancellation, fails the test at the caller's line.
  ///
  /// ```swift
  /// let save = Gate<Void>("save")
  /// let saving = Task { try await save() }
  /// let call = try await save.entered()
  /// call.succeed()  // with one call in flight, save.succeed() does the same
  /// try await saving.value
  /// ```
  public func succeed(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    succeed(with: (), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

extension HeldCall: CustomStringConvertible {
  /// The arguments and the state of the call: `"swift": in flight`.
  ///
  /// ```swift
  /// let search = Gate<Int>("search")
  /// search("swift") { _ in }
  /// let call = try search.entered()
  /// print(call)  // "swift": in flight
  /// print(search)  // "search", and a line for each call
  /// call.succeed(with: 0)
  /// ```
  public var description: String { core.text(of: number) }
}
