import Sleepless

/// Stands in for a function: the test says what it answers, and sees how it was called.
///
/// Call it in the body of a protocol's function, of an overridden method, or of a closure:
///
/// ```swift
/// struct WeatherMock: WeatherSource {
///   let fetch = Stub<String, Int>("temperature")
///
///   func temperature(in city: String) async throws -> Int { try await fetch(city) }
/// }
/// ```
///
/// One stub serves synchronous, throwing and async functions and those with a completion handler;
/// see <doc:Doubles> for functions that cannot throw, or only errors of one type.
///
/// ### What a call gets
///
/// First what was said for its argument, with `for:` or `where:`, then what was said for all calls;
/// of these first the answers ``inTurn(_:fileID:filePath:line:column:)``, one call each, and when they
/// are used up the one for ``always(_:fileID:filePath:line:column:)``. A call for which nothing is left
/// fails the test at the stub's line, and throws. Answers in turn that no call has asked for fail it
/// at the end.
///
/// Any thread may call it and say what it answers. No lock is held while closures of the test run. A
/// call costs some microseconds, and O(n) in how often answers were given.
public final class Stub<Arguments: Sendable, Value: Sendable>: Sendable {
  /// How it was called.
  public let calls: Spy<Arguments>

  let owner: DoubleOwner
  let state = Locked(StubState<Arguments, Value>())

  /// Makes a stub that has no answer, or a default one for all calls.
  ///
  /// - Parameters:
  ///   - name: How failures call it.
  ///   - answer: What it says until the test says something else.
  ///   - time: What the times of the calls are.
  ///   - fileID: Where failures point that no call of the test causes, as the next three.
  ///   - filePath: The full path.
  ///   - line: The line.
  ///   - column: The column.
  public init(
    _ name: String? = nil, default answer: StubAnswer<Value>? = nil,
    time: RecorderTime = .current,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    owner = DoubleOwner(name, kind: "stub", at: site)
    calls = Spy(owner, time: time, allowsUnread: true)
    owner.atEndOfTest { [weak self] in self?.checkAtEnd() }
    guard let answer else { return }
    state.withLock { $0.add(.init(at: site, standing: .answer(answer), isUsed: true)) }
  }

  deinit { checkAtEnd() }

  // MARK: Always

  /// Gives every call the same answer.
  ///
  /// What was said before is replaced, and fails the test at the caller's line if no call has had it
  /// yet.
  public func always(
    _ answer: StubAnswer<Value>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    stand(.answer(answer), at: site)
  }

  /// Gives every call what a closure makes of its arguments.
  public func always(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column,
    _ answer: @escaping @Sendable (Arguments) throws -> Value
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    stand(.closure(answer), at: site)
  }

  /// Gives every call whose arguments meet a condition the same answer.
  ///
  /// Of several conditions that are met the latest counts.
  public func always(
    _ answer: StubAnswer<Value>, where condition: @escaping @Sendable (Arguments) -> Bool,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    state.withLock { $0.add(.init(at: site, where: condition, standing: .answer(answer))) }
  }

  // MARK: In turn

  /// Gives the next calls one answer each, after those in turn that were given before.
  ///
  /// Answers that no call asks for fail the test at its end.
  public func inTurn(
    _ answers: StubAnswer<Value>...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    giveInTurn(answers, where: nil, at: site)
  }

  /// Gives the next calls whose arguments meet a condition one answer each.
  public func inTurn(
    _ answers: StubAnswer<Value>..., where condition: @escaping @Sendable (Arguments) -> Bool,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    giveInTurn(answers, where: condition, at: site)
  }

  private func stand(_ answer: StubState<Arguments, Value>.Standing, at site: CallSite) {
    owner.noteUse()
    let replaced = state.withLock { state in
      defer { state.add(.init(at: site, standing: answer)) }
      return state.replace(state.numbers { $0.condition == nil && !$0.isInTurn })
    }
    tellUnused(replaced, "always(_:)", at: site)
  }

  func giveInTurn(
    _ answers: [StubAnswer<Value>], where condition: (@Sendable (Arguments) -> Bool)?,
    at site: CallSite
  ) {
    guard !answers.isEmpty else {
      return owner.fail("inTurn() must be given at least 1 answer (was 0).", at: site)
    }
    owner.noteUse()
    state.withLock { $0.add(.init(at: site, where: condition, inTurn: answers)) }
  }

  /// Tells of an answer that another one stands in for before any call has had it.
  func tellUnused(
    _ replaced: [StubState<Arguments, Value>.Rule], _ call: String, at site: CallSite
  ) {
    guard let unused = replaced.first(where: { !$0.isUsed }) else { return }
    owner.fail(answeredTwiceText(call, unused.site), at: site)
  }

  // MARK: The end

  /// Tells of answers in turn that nobody has asked for. Only the first time it does something.
  package func checkAtEnd() {
    owner.close()
    let leftovers = state.withLock { $0.close() }
    guard !owner.hasFailed, !leftovers.isEmpty else { return }
    owner.reporter.tellLeftover(leftoverText(leftovers))
  }
}

extension Stub where Arguments: Equatable {
  /// Gives every call with an argument the same answer.
  ///
  /// What was said for it before is replaced, and fails the test at the caller's line if no call has
  /// had it yet.
  public func always(
    _ answer: StubAnswer<Value>, for argument: Arguments,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    // The user's `==` is not to run under the lock.
    let earlier = state.withLock { $0.standingForArguments }
    let replaced = Set(earlier.filter { $0.argument == argument }.map(\.number))
    let rules = state.withLock { state in
      defer {
        state.add(
          .init(
            at: site, where: { $0 == argument }, for: argument, standing: .answer(answer)))
      }
      return state.replace(replaced)
    }
    tellUnused(rules, "always(_:for:)", at: site)
  }

  /// Gives the next calls with an argument one answer each.
  public func inTurn(
    _ answers: StubAnswer<Value>..., for argument: Arguments,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    giveInTurn(answers, where: { $0 == argument }, at: site)
  }
}
