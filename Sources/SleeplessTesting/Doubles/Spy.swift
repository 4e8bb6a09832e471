import Sleepless

/// Records the calls of a function, with their arguments and times.
///
/// Call it in the body of a protocol's function, of an overridden method, or of a closure:
///
/// ```swift
/// struct AnalyticsMock: Analytics {
///   let tracked = Spy<(String, Int)>("track")
///
///   func track(_ event: String, count: Int) { tracked(event, count) }
/// }
/// ```
///
/// ``count``, ``last``, ``arguments`` and ``all`` show the calls without reading them.
/// ``next(isolation:fileID:filePath:line:column:)`` reads one call, and waits for it if it has not
/// come. For everything else that a ``Recorder`` can do, use ``recorder``.
///
/// Any thread may call it and read. Calls are kept in the order in which they come. A call after the
/// end of the test, or by another test, fails the test that made the spy and is not recorded; see
/// <doc:Doubles> for when that is known. The spy keeps the arguments alive. A call costs about as much
/// as an event of a recorder: some tenths of a microsecond.
public final class Spy<Arguments: Sendable>: Sendable {
  /// The recorder of the calls, to read them as events.
  ///
  /// ```swift
  /// let save = Spy<String>("save")
  /// save("Ada")
  /// save("Tom")
  /// save.recorder.expect("Ada", "Tom")
  /// ```
  public let recorder: Recorder<Arguments, Never>

  let owner: DoubleOwner

  /// Makes a spy.
  ///
  /// ```swift
  /// let save = Spy<(String, Int)>("save")
  /// save("Ada", 36)
  /// save("Tom", 7)
  /// #expect(save.count == 2)
  /// #expect(save.last?.0 == "Tom")
  /// #expect(save.arguments.map(\.1) == [36, 7])
  /// ```
  ///
  /// - Parameters:
  ///   - name: Its name in failures.
  ///   - time: The time to note for each call.
  ///   - allowsUnread: Whether calls may be unread, by `next()` or through `recorder`, at the end of the
  ///     test.
  ///   - fileID: The caller's file.
  ///   - filePath: The caller's path.
  ///   - line: The caller's line.
  ///   - column: The caller's column.
  public convenience init(
    _ name: String? = nil, time: RecorderTime = .current, allowsUnread: Bool = true,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let owner = DoubleOwner(name, kind: "spy", at: site)
    self.init(owner, time: time, allowsUnread: allowsUnread)
  }

  init(_ owner: DoubleOwner, time: RecorderTime, allowsUnread: Bool) {
    self.owner = owner
    recorder = Recorder(
      core: RecorderCore(
        called: owner.name, recording: .calls, time: time, allowsUnread: allowsUnread,
        reporter: owner.reporter))
    owner.atEndOfFirstUser { [weak core = recorder.core] in core?.checkAtEnd() }
  }

  // MARK: Being called

  /// Records a call: `spy(query, limit)`.
  ///
  /// It returns at once. Any thread may call it.
  ///
  /// ```swift
  /// let save = Spy<(String, Int)>("save")
  /// save("Ada", 36)
  /// save("Tom", 7)
  /// #expect(save.count == 2)
  /// #expect(save.last?.0 == "Tom")
  /// #expect(save.arguments.map(\.1) == [36, 7])
  /// ```
  public func callAsFunction<each Argument>(
    _ argument: repeat each Argument
  ) where Arguments == (repeat each Argument) {
    _ = record((repeat each argument))
  }

  /// Records a call of the spy's own test and returns nil; for any other call returns the error to throw.
  func record(_ arguments: Arguments) -> (any Error)? {
    if let refusal = owner.refusal(of: argumentText(of: arguments), recorder.core.historyText) {
      return refusal
    }
    recorder.record(arguments)
    return nil
  }

  // MARK: Looking

  /// How many calls there were.
  ///
  /// ```swift
  /// let save = Spy<(String, Int)>("save")
  /// save("Ada", 36)
  /// save("Tom", 7)
  /// #expect(save.count == 2)
  /// #expect(save.last?.0 == "Tom")
  /// #expect(save.arguments.map(\.1) == [36, 7])
  /// ```
  public var count: Int { recorder.core.state.withLock { $0.history.count } }

  /// The arguments of the last call.
  ///
  /// ```swift
  /// let save = Spy<(String, Int)>("save")
  /// save("Ada", 36)
  /// save("Tom", 7)
  /// #expect(save.count == 2)
  /// #expect(save.last?.0 == "Tom")
  /// #expect(save.arguments.map(\.1) == [36, 7])
  /// ```
  public var last: Arguments? { calls { max(0, $0 - 1)..<$0 }.first?.arguments }

  /// The arguments of every call, in order. O(n).
  ///
  /// ```swift
  /// let save = Spy<(String, Int)>("save")
  /// save("Ada", 36)
  /// save("Tom", 7)
  /// #expect(save.count == 2)
  /// #expect(save.last?.0 == "Tom")
  /// #expect(save.arguments.map(\.1) == [36, 7])
  /// ```
  public var arguments: [Arguments] { all.map(\.arguments) }

  /// Every call, in order, with its time. O(n).
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let save = Spy<String>("save", time: .of(scheduler))
  /// scheduler.advance(by: .seconds(2))
  /// save("Ada")
  /// #expect(save.all == [SpyCall(arguments: "Ada", time: .seconds(2))])
  /// ```
  public var all: [SpyCall<Arguments>] { calls { 0..<$0 } }

  private func calls(_ range: (_ count: Int) -> Range<Int>) -> [SpyCall<Arguments>] {
    let core = recorder.core
    let (arguments, times) = core.state.withLock { state in
      let range = range(state.history.count)
      return (core.copy(range, from: state), state.history.times(in: range))
    }
    return zip(arguments, times).map { SpyCall(arguments: $0, time: $1) }
  }

  // MARK: Reading

  /// Reads the next call and returns its arguments; it must have come.
  ///
  /// Otherwise it fails the test at the caller's line, and throws to end it.
  ///
  /// ```swift
  /// let save = Spy<String>("save")
  /// save("Ada")
  /// #expect(try save.next() == "Ada")  // a second next() would fail the test
  /// #expect(save.count == 1)  // reading changes nothing here
  /// ```
  public func next(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> Arguments {
    try recorder.next(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads the next call and returns its arguments, and waits for it if it has not come.
  ///
  /// If none comes it fails the test at the caller's line, and throws to end it.
  ///
  /// ```swift
  /// let save = Spy<String>("save")
  /// Task { save("Ada") }
  /// #expect(try await save.next() == "Ada")  // waits for the call, not for a time
  /// ```
  public func next(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> Arguments {
    try await recorder.next(
      isolation: isolation, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Ends the spy. Later calls fail the test, and so do unread calls unless they are allowed. Only the
  /// first call of this function has an effect.
  package func checkAtEnd() {
    owner.close()
    recorder.checkAtEnd()
  }
}

extension Spy: CustomStringConvertible {
  /// The name, and the latest calls with their times.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let save = Spy<String>("save", time: .of(scheduler))
  /// scheduler.advance(by: .seconds(2))
  /// save("Ada")
  /// print(save.all[0])  // "Ada" at 2 s
  /// print(save)  // "save", and a line for each call
  /// ```
  public var description: String { recorder.description }
}
