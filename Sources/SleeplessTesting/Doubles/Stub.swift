import Sleepless

/// Stands in for a function: the test gives its answers, and sees its calls.
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
/// ### Which answer a call gets
///
/// Answers given for the call's argument, with `for:` or `where:`, come before answers for all calls.
/// Of these, the answers ``inTurn(_:fileID:filePath:line:column:)`` come first, one for each call; when
/// they are used up, the answer of ``always(_:fileID:filePath:line:column:)`` follows. A call without
/// an answer fails the test at the stub's line, and throws. Unused answers in turn fail the test at its
/// end.
///
/// Any thread may call it and give answers. No lock is held while closures of the test run. A call costs
/// some microseconds, and O(n) in the number of times that answers were given.
public final class Stub<Arguments: Sendable, Value: Sendable>: Sendable {
  /// The calls so far.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .value(36))
  /// #expect(try await age("Ada") == 36)
  /// #expect(age.calls.arguments == ["Ada"])
  /// ```
  public let calls: Spy<Arguments>

  let owner: DoubleOwner
  let state = Locked(StubState<Arguments, Value>())

  /// Makes a stub that has no answer, or a default one for all calls.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .value(36))
  /// #expect(try await age("Ada") == 36)
  /// #expect(age.calls.arguments == ["Ada"])
  /// ```
  ///
  /// - Parameters:
  ///   - name: Its name in failures.
  ///   - answer: The answer until the test gives another one.
  ///   - time: The time to note for each call.
  ///   - fileID: The caller's file.
  ///   - filePath: The caller's path.
  ///   - line: The caller's line.
  ///   - column: The caller's column.
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
  /// It replaces an earlier answer. If no call has had that one yet, the test fails at the caller's
  /// line.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age")
  /// age.always(.value(36))
  /// #expect(try age.now("Ada") == 36)
  /// age.always(.value(37))
  /// #expect(try age.now("Ada") == 37)  // the latest answer counts
  /// ```
  public func always(
    _ answer: StubAnswer<Value>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    stand(.answer(answer), at: site)
  }

  /// Gives every call the result of a closure with its arguments.
  ///
  /// The closure runs on the thread of the call. An error that it throws is the answer.
  ///
  /// ```swift
  /// let length = Stub<String, Int>("length")
  /// length.always { text in text.count }
  /// #expect(try length.now("Ada") == 3)
  /// ```
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
  /// If several conditions are met, the latest one counts.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .value(36))
  /// age.always(.error(Trouble.offline), where: { $0.isEmpty })
  /// #expect(throws: Trouble.offline) { try age.now("") }
  /// #expect(try age.now("Ada") == 36)
  /// ```
  public func always(
    _ answer: StubAnswer<Value>, where condition: @escaping @Sendable (Arguments) -> Bool,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    state.withLock { $0.add(.init(at: site, where: condition, standing: .answer(answer))) }
  }

  // MARK: In turn

  /// Gives the next calls one answer each, after the answers in turn that were given before.
  ///
  /// Unused answers fail the test at its end.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .value(36))
  /// age.inTurn(.error(Trouble.offline), .value(7))
  /// #expect(throws: Trouble.offline) { try age.now("Ada") }
  /// #expect(try age.now("Ada") == 7)
  /// #expect(try age.now("Ada") == 36)  // without a default the third call would fail the test
  /// ```
  public func inTurn(
    _ answers: StubAnswer<Value>...,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    giveInTurn(answers, where: nil, at: site)
  }

  /// Gives the next calls whose arguments meet a condition one answer each.
  ///
  /// Unused answers fail the test at its end.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .value(36))
  /// age.inTurn(.value(7), where: { $0.hasPrefix("T") })
  /// #expect(try age.now("Ada") == 36)
  /// #expect(try age.now("Tom") == 7)
  /// ```
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

  /// Fails because of an answer that was replaced before any call has had it.
  func tellUnused(
    _ replaced: [StubState<Arguments, Value>.Rule], _ call: String, at site: CallSite
  ) {
    guard let unused = replaced.first(where: { !$0.isUsed }) else { return }
    owner.fail(answeredTwiceText(call, unused.site), at: site)
  }

  // MARK: The end

  /// Fails because of unused answers in turn. Only the first call has an effect.
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
  /// It replaces an earlier answer for the argument. If no call has had that one yet, the test fails at
  /// the caller's line.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .value(36))
  /// age.always(.value(7), for: "Tom")
  /// #expect(try age.now("Tom") == 7)
  /// #expect(try age.now("Ada") == 36)
  /// ```
  public func always(
    _ answer: StubAnswer<Value>, for argument: Arguments,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    // The user's `==` must not run under the lock.
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
  ///
  /// Unused answers fail the test at its end.
  ///
  /// ```swift
  /// let age = Stub<String, Int>("age", default: .value(36))
  /// age.inTurn(.value(7), .value(8), for: "Tom")
  /// #expect(try age.now("Tom") == 7)
  /// #expect(try age.now("Ada") == 36)
  /// #expect(try age.now("Tom") == 8)
  /// ```
  public func inTurn(
    _ answers: StubAnswer<Value>..., for argument: Arguments,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    giveInTurn(answers, where: { $0 == argument }, at: site)
  }
}
