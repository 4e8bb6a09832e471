import Sleepless

/// Writes down the calls of a function, with their arguments and times.
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
/// Looking at the calls, with ``count``, ``last``, ``arguments`` and ``all``, reads nothing. What
/// ``next(isolation:fileID:filePath:line:column:)`` returns is read, and it waits for a call that has
/// not come, as a ``Recorder`` does; everything else that recorders can do, ``recorder`` can.
///
/// Any thread may call it and look. Calls are kept in the order in which they come. A call after the
/// end of its test, or by another test, fails the test that made the spy and is not written down; see
/// <doc:Doubles> for when that can be told. It keeps the arguments alive. A call costs about as much as
/// an event of a recorder: some tenths of a microsecond.
public final class Spy<Arguments: Sendable>: Sendable {
  /// The calls, to be read as events.
  public let recorder: Recorder<Arguments, Never>

  let owner: DoubleOwner

  /// Makes a spy that has seen no call.
  ///
  /// - Parameters:
  ///   - name: How failures call it.
  ///   - time: What the times of the calls are.
  ///   - allowsUnread: Whether calls may be left at the end of the test that nothing has read, with
  ///     `next()` or through `recorder`.
  ///   - fileID: Where failures point that no call of the test causes, as the next three.
  ///   - filePath: The full path.
  ///   - line: The line.
  ///   - column: The column.
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

  /// Writes a call down: `spy(query, limit)`.
  public func callAsFunction<each Argument>(
    _ argument: repeat each Argument
  ) where Arguments == (repeat each Argument) {
    _ = record((repeat each argument))
  }

  /// Writes a call down unless it is a stranger's; then returns what to throw.
  func record(_ arguments: Arguments) -> (any Error)? {
    if let refusal = owner.refusal(of: argumentText(of: arguments), recorder.core.historyText) {
      return refusal
    }
    recorder.record(arguments)
    return nil
  }

  // MARK: Looking

  /// How often it has been called.
  public var count: Int { recorder.core.state.withLock { $0.history.count } }

  /// The arguments of the last call.
  public var last: Arguments? { calls { max(0, $0 - 1)..<$0 }.first?.arguments }

  /// The arguments of every call, in order. O(n).
  public var arguments: [Arguments] { all.map(\.arguments) }

  /// Every call, in order, with its time. O(n).
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
  public func next(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> Arguments {
    try recorder.next(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads the next call and returns its arguments, and waits for it if it has not come.
  ///
  /// If none comes it fails the test at the caller's line, and throws to end it.
  public func next(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> Arguments {
    try await recorder.next(
      isolation: isolation, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Ends it: later calls fail the test, and so do unread ones if they may not be. Only the first
  /// time it does something.
  package func checkAtEnd() {
    owner.close()
    recorder.checkAtEnd()
  }
}

extension Spy: CustomStringConvertible {
  /// The name, and the latest calls with their times.
  public var description: String { recorder.description }
}
