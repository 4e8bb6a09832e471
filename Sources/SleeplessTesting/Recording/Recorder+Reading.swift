import Sleepless

extension Recorder {
  // MARK: Values

  /// Reads the next value, which must have come.
  ///
  /// Otherwise it fails the test at the caller's line, and throws to end it. The error is not
  /// reported once more, except by an XCTest assertion around the call.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// numbers.record(1)
  /// #expect(try numbers.next() == 1)  // a second next() would fail the test
  /// ```
  public func next(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> Value {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return try core.takeValues(1, "next()", .notWaited, at: site)[0]
  }

  /// Reads the next value, and waits for it if it has not come.
  ///
  /// If none comes it fails the test at the caller's line, and throws to end it.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// Task { numbers.record(1) }
  /// #expect(try await numbers.next() == 1)  // waits for the value, not for a time
  /// ```
  public func next(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> Value {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = await core.waitForEvents(1, isolation: isolation)
    return try core.takeValues(1, "next()", end, at: site)[0]
  }

  /// Reads that many values, which must have come.
  ///
  /// If fewer have come, it reads none, fails the test at the caller's line, and throws to end it. So
  /// does a count below 1.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// for number in 1...3 { numbers.record(number) }
  /// #expect(try numbers.next(2) == [1, 2])
  /// #expect(try numbers.next() == 3)
  /// ```
  public func next(
    _ count: Int, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> [Value] {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return try core.takeValues(count, "next(\(count))", .notWaited, at: site)
  }

  /// Reads that many values, and waits for those that have not come.
  ///
  /// If fewer come, it reads none, fails the test at the caller's line, and throws to end it.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// Task { for number in 1...3 { numbers.record(number) } }
  /// #expect(try await numbers.next(2) == [1, 2])
  /// #expect(try await numbers.next() == 3)
  /// ```
  public func next(
    _ count: Int, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> [Value] {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = await core.waitForEvents(count, isolation: isolation)
    return try core.takeValues(count, "next(\(count))", end, at: site)
  }

  /// Skips that many values, which must have come.
  ///
  /// If fewer have come, it fails the test and throws.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// for number in 1...3 { numbers.record(number) }
  /// try numbers.skip(2)
  /// #expect(try numbers.next() == 3)
  /// ```
  public func skip(
    _ count: Int = 1, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    _ = try core.takeValues(count, "skip(\(count))", .notWaited, at: site)
  }

  /// Skips that many values, and waits for those that have not come.
  ///
  /// If fewer come, it fails the test and throws.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// Task { for number in 1...3 { numbers.record(number) } }
  /// try await numbers.skip(2)
  /// #expect(try await numbers.next() == 3)
  /// ```
  public func skip(
    _ count: Int = 1, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = await core.waitForEvents(count, isolation: isolation)
    _ = try core.takeValues(count, "skip(\(count))", end, at: site)
  }

  /// Reads all values that have come, and returns the last of them.
  ///
  /// If there is none, it fails the test and throws. The end stays unread.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// for number in 1...3 { numbers.record(number) }
  /// #expect(try numbers.latest() == 3)
  /// numbers.expectNone()  // 1 and 2 are read as well
  /// ```
  public func latest(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> Value {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return try core.takeLatest(.notWaited, at: site)
  }

  /// Reads all values that have come, waits for one if none has, and returns the last of them.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// Task { numbers.record(1) }
  /// #expect(try await numbers.latest() == 1)  // the latest of those that have come by then
  /// ```
  public func latest(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> Value {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = await core.waitForEvents(1, isolation: isolation)
    return try core.takeLatest(end, at: site)
  }

  /// Returns every value that has come so far, read before or not, and marks them as read.
  ///
  /// It never waits and never fails. The end of the source remains to be read.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// for number in 1...3 { numbers.record(number) }
  /// #expect(try numbers.next() == 1)
  /// #expect(numbers.all() == [1, 2, 3])  // with the 1 that was read before
  /// numbers.expectNone()
  /// ```
  public func all() -> [Value] { core.allValues() }

  /// When each value of ``all()`` came: in virtual time since zero, in real time since the making of
  /// the recorder. It does not count as reading. O(n).
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let ticks = Recorder<Int, Never>("ticks", time: .of(scheduler))
  /// scheduler.schedule(after: .seconds(1)) { ticks.record(1) }
  /// scheduler.schedule(after: .seconds(3)) { ticks.record(2) }
  /// scheduler.run()
  /// #expect(ticks.times == [.seconds(1), .seconds(3)])
  /// ticks.expect(1, 2)  // times has not read them
  /// ```
  public var times: [Duration] {
    core.recordPendingChange()
    return core.state.withLock { $0.history.times(in: 0..<$0.history.count) }
  }

  // MARK: The end

  /// Reads the end of the source: it must have finished, and all values must be read.
  ///
  /// Otherwise the test fails at the caller's line, and the call throws. Once read, the end may be read
  /// again.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// numbers.record(1)
  /// numbers.record(.finished)
  /// #expect(try numbers.next() == 1)  // finish() would fail before
  /// try numbers.finish()
  /// ```
  public func finish(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    try core.takeFinish("finish()", .notWaited, at: site)
  }

  /// Waits until the source finishes, and reads that end.
  ///
  /// An unread value or an error fails the test, and the call throws.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// Task { numbers.record(.finished) }
  /// try await numbers.finish()  // a value before the finish would fail the test
  /// ```
  public func finish(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = await core.waitForEvents(1, isolation: isolation)
    try core.takeFinish("finish()", end, at: site)
  }

  /// Reads the failure of the source and returns its error; all values must be read.
  ///
  /// Otherwise the test fails, and the call throws. `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Trouble>("answers")
  /// answers.record(.failure(.offline))
  /// #expect(try answers.failure() == .offline)
  /// ```
  public func failure(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> Failure {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return try core.takeFailure("failure()", .notWaited, at: site)
  }

  /// Waits until the source fails, reads that end and returns the error.
  ///
  /// An unread value or a finish fails the test, and the call throws. `Trouble` is an
  /// error of the test's own.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Trouble>("answers")
  /// Task { answers.record(.failure(.offline)) }
  /// #expect(try await answers.failure() == .offline)
  /// ```
  public func failure(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> Failure {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = await core.waitForEvents(1, isolation: isolation)
    return try core.takeFailure("failure()", end, at: site)
  }

  /// Fails the test if there is an unread event now, whatever the test's tasks still do.
  ///
  /// Move virtual time first, as far as an event might still come.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// let scheduler = TestScheduler()
  /// scheduler.schedule(after: .seconds(1)) { numbers.record(1) }
  /// scheduler.advance(by: .milliseconds(900))
  /// numbers.expectNone()
  /// scheduler.advance(by: .milliseconds(100))
  /// #expect(try numbers.next() == 1)
  /// ```
  public func expectNone(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    core.expectNone(at: site)
  }

  /// Fails the test if there is an unread event when the tasks that the test has started have come to
  /// rest (see <doc:WaitingForEvents>).
  ///
  /// Virtual time does not move for it: move it first, as far as an event might still come.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// let clock = TestClock()
  /// let task = Task {
  ///   try await clock.sleep(for: .seconds(60))
  ///   numbers.record(1)
  /// }
  /// await clock.waitForSleepers()
  /// task.cancel()
  /// await clock.advance(by: .seconds(60))
  /// await numbers.expectNone()
  /// ```
  public func expectNone(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    _ = await EndOfTest.Rest.reached(.noMoreEvents, orPause: EndOfTest.Rest.pause)
    core.expectNone(at: site)
  }
}

extension RecorderCore {
  /// Whether another task already waits for the recorder's events.
  func isOccupied(_ end: WaitEnd) -> Bool {
    end == .occupied || (end == .notWaited && state.withLock { $0.waiter != nil })
  }

  func takeValues(
    _ count: Int, _ call: String, _ end: WaitEnd, at site: CallSite
  ) throws -> [Value] {
    guard count > 0 else {
      throw failure(
        "\(call) must be asked for at least 1 value (was \(count)). Nothing was read.", at: site)
    }
    guard !isOccupied(end) else { throw failure(occupiedText(call), at: site) }
    recordPendingChange()
    let (values, isOver, came) = state.withLock { state -> ([Value]?, Bool, Int) in
      let range = state.isOver ? nil : state.take(count)
      return (
        range.map { copy($0, from: state) }, state.isOver, state.unreadValueCount
      )
    }
    if let values { return values }
    throw failure(
      shortageText(call, subject.text(count), came: isOver ? 0 : came, end), at: site)
  }

  func takeLatest(_ end: WaitEnd, at site: CallSite) throws -> Value {
    recordPendingChange()
    let count = state.withLock { $0.unreadValueCount }
    return try takeValues(max(1, count), "latest()", end, at: site).last!
  }

  func allValues() -> [Value] {
    recordPendingChange()
    return state.withLock { state in
      _ = state.take(state.history.count - state.readCount)
      return copy(0..<state.history.count, from: state)
    }
  }

  func takeFinish(_ call: String, _ end: WaitEnd, at site: CallSite) throws {
    let ending = try takeEnding(call, "the end", end, at: site)
    guard case .failure(let error) = ending else { return }
    throw failure(
      """
      \(call) expected \(name) to finish, but it failed: \(eventText(of: error)).
      \(historyText)
      To read the error use failure().
      """, at: site)
  }

  func takeFailure(
    _ call: String, _ end: WaitEnd, at site: CallSite
  ) throws -> Failure {
    let ending = try takeEnding(call, "an error", end, at: site)
    if case .failure(let error) = ending { return error }
    throw failure(
      """
      \(call) expected \(name) to fail, but it finished.
      \(historyText)
      To read the finish use finish().
      """, at: site)
  }

  private func takeEnding(
    _ call: String, _ wanted: String, _ end: WaitEnd, at site: CallSite
  ) throws -> PublisherCompletion<Failure> {
    guard !isOccupied(end) else { throw failure(occupiedText(call), at: site) }
    recordPendingChange()
    let (isTaken, unread, isOver) = state.withLock {
      (!$0.isOver && $0.takeEnding(), $0.unreadValueCount, $0.isOver)
    }
    if isTaken, let completion { return completion }
    guard unread > 0, !isOver else {
      throw failure(shortageText(call, wanted, came: 0, end), at: site)
    }
    throw failure(
      """
      \(call) expected the end of \(name) next, but \(unread == 1 ? "a value is" : "\(unread) values are") \
      unread before it.
      \(historyText)
      Read them first, with next(), or leave them out with skip().
      """, at: site)
  }

  func expectNone(at site: CallSite) {
    recordPendingChange()
    let (count, isOver) = state.withLock { ($0.unreadCount, $0.isOver) }
    if isOver {
      return fail(
        "expectNone() was called on \(name) after its test ended. Make a recorder in each test.",
        at: site)
    }
    guard count > 0 else { return }
    fail(
      """
      expectNone() expected nothing unread from \(name), but \
      \(count == 1 ? "1 event is" : "\(count) events are").
      \(historyText)
      Either the code sends too many events, or the test has read too few.
      """, at: site)
  }
}
