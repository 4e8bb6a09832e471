import Sleepless

/// The whole of a recording: what the source sends until its end.
///
/// With `await` these wait for the end, ``Recorder/prefix(_:isolation:fileID:filePath:line:column:)`` for that many
/// values or the end; without `await`, these must have come. Reading a value twice is no failure here.
extension Recorder {
  /// Returns every value of the source, which must have finished, and reads all.
  ///
  /// Values that were read before count, too. If the source fails, so does the test: ``all()`` returns the
  /// values before an error.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// for number in 1...3 { numbers.record(number) }
  /// numbers.record(.finished)
  /// #expect(try numbers.elements() == [1, 2, 3])  // without the finish it would fail
  /// ```
  public func elements(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> [Value] {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return try core.takeElements("elements()", .notWaited, at: site)
  }

  /// Returns every value of the source when it has finished, and reads all.
  ///
  /// Values that were read before count, too. If the source fails, so does the test: ``all()`` returns the
  /// values before an error.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// Task {
  ///   for number in 1...3 { numbers.record(number) }
  ///   numbers.record(.finished)
  /// }
  /// #expect(try await numbers.elements() == [1, 2, 3])
  /// ```
  public func elements(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> [Value] {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = await core.waitForEvents(.max, isolation: isolation)
    return try core.takeElements("elements()", end, at: site)
  }

  /// Reads how the source has ended. It must have ended. Unread values before the end stay unread.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Trouble>("answers")
  /// answers.record(1)
  /// answers.record(.failure(.offline))
  /// #expect(try answers.completion() == .failure(.offline))
  /// #expect(try answers.next() == 1)  // was still unread
  /// ```
  public func completion(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> PublisherCompletion<Failure> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return try core.takeCompletion("completion()", .notWaited, at: site)
  }

  /// Waits for the end of the source and reads it. Unread values before the end stay unread.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Trouble>("answers")
  /// Task { answers.record(.failure(.offline)) }
  /// #expect(try await answers.completion() == .failure(.offline))
  /// ```
  public func completion(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> PublisherCompletion<Failure> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = await core.waitForEvents(.max, isolation: isolation)
    return try core.takeCompletion("completion()", end, at: site)
  }

  /// Returns the last value of the source, which must have finished, and reads all; nil if there was none.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// for number in 1...3 { numbers.record(number) }
  /// numbers.record(.finished)
  /// #expect(try numbers.last() == 3)  // nil if nothing came before the finish
  /// ```
  public func last(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> Value? {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return try core.takeElements("last()", .notWaited, at: site).last
  }

  /// Returns the last value of the source when it has finished, and reads all; nil if there was none.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// Task {
  ///   for number in 1...3 { numbers.record(number) }
  ///   numbers.record(.finished)
  /// }
  /// #expect(try await numbers.last() == 3)
  /// ```
  public func last(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> Value? {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = await core.waitForEvents(.max, isolation: isolation)
    return try core.takeElements("last()", end, at: site).last
  }

  /// Returns the only value of the source, which must have finished after one value, and reads all.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// numbers.record(1)
  /// numbers.record(.finished)
  /// #expect(try numbers.single() == 1)  // no value, or two, would fail the test
  /// ```
  public func single(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> Value {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return try core.takeSingle("single()", .notWaited, at: site)
  }

  /// Returns the only value of the source when it has finished, and reads all. A second value fails the test at once.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// Task {
  ///   numbers.record(1)
  ///   numbers.record(.finished)
  /// }
  /// #expect(try await numbers.single() == 1)  // no value, or two, would fail the test
  /// ```
  public func single(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> Value {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = await core.waitForEvents(core.missing(2), isolation: isolation)
    return try core.takeSingle("single()", end, at: site)
  }

  /// Returns the first values of the source: that many, which must have come, or fewer if the source has
  /// finished.
  ///
  /// The first value is the first of the recording, read before or not. The returned values count as
  /// read.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// for number in 1...3 { numbers.record(number) }
  /// #expect(try numbers.prefix(2) == [1, 2])
  /// numbers.record(.finished)
  /// #expect(try numbers.prefix(5) == [1, 2, 3])  // fewer, since the source has finished
  /// ```
  public func prefix(
    _ count: Int,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> [Value] {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return try core.takePrefix(count, "prefix(\(count))", .notWaited, at: site)
  }

  /// Waits for that many values, or for the finish, and returns the first values of the source.
  ///
  /// The first value is the first of the recording, read before or not. The returned values count as
  /// read.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// Task { for number in 1...3 { numbers.record(number) } }
  /// #expect(try await numbers.prefix(2) == [1, 2])
  /// #expect(try await numbers.next() == 3)
  /// ```
  public func prefix(
    _ count: Int, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async throws -> [Value] {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = await core.waitForEvents(core.missing(count), isolation: isolation)
    return try core.takePrefix(count, "prefix(\(count))", end, at: site)
  }
}

extension RecorderCore {
  /// How many more events a read of the first `count` values has to wait for.
  func missing(_ count: Int) -> Int { state.withLock { max(0, max(0, count) - $0.readCount) } }

  func takeElements(_ call: String, _ end: WaitEnd, at site: CallSite) throws -> [Value] {
    try begin(call, end, at: site)
    return try takeAllAtEnd(call, end, at: site)
  }

  func takeCompletion(
    _ call: String, _ end: WaitEnd, at site: CallSite
  ) throws -> PublisherCompletion<Failure> {
    try begin(call, end, at: site)
    return try takeEnd(call, end, at: site)
  }

  func takeSingle(_ call: String, _ end: WaitEnd, at site: CallSite) throws -> Value {
    try begin(call, end, at: site)
    var count = state.withLock { $0.history.count }
    if count <= 1 {
      // More may come until the end is read.
      let values = try takeAllAtEnd(call, end, at: site)
      if values.count == 1 { return values[0] }
      count = values.count
    }
    throw failure(
      """
      \(call) expected exactly one value from \(name), but \(count == 0 ? "none" : "\(count)") came.
      \(historyText)
      If another number is right, read with elements() or last().
      """, at: site)
  }

  func takePrefix(
    _ count: Int, _ call: String, _ end: WaitEnd, at site: CallSite
  ) throws -> [Value] {
    guard count >= 0 else {
      throw failure(
        "\(call) must be asked for at least 0 values (was \(count)). Nothing was read.", at: site)
    }
    try begin(call, end, at: site)
    let (values, came, isOver) = state.withLock { state -> ([Value]?, Int, Bool) in
      guard !state.isOver, state.history.count >= count else {
        return (nil, state.history.count, state.isOver)
      }
      _ = state.take(max(0, count - state.readCount))
      return (copy(0..<count, from: state), count, false)
    }
    if let values { return values }
    guard !isOver, completion != nil else {
      throw failure(
        shortageText(call, subject.text(count), came: isOver ? 0 : came, end), at: site)
    }
    return try takeAllAtEnd(call, end, at: site)
  }

  /// Begins a read of the whole, which waited until that end.
  private func begin(_ call: String, _ end: WaitEnd, at site: CallSite) throws {
    guard !isOccupied(end) else { throw failure(occupiedText(call), at: site) }
    recordPendingChange()
  }

  /// Reads the end of the source, and returns all values that came before it.
  private func takeAllAtEnd(_ call: String, _ end: WaitEnd, at site: CallSite) throws -> [Value] {
    let ending = try takeEnd(call, end, at: site)
    if case .failure(let error) = ending { throw failure(instead(of: call, error), at: site) }
    return allValues()
  }

  /// Reads the end of the source, whatever is unread before it.
  private func takeEnd(
    _ call: String, _ end: WaitEnd, at site: CallSite
  ) throws -> PublisherCompletion<Failure> {
    let isTaken = state.withLock { $0.takeEnd() }
    if isTaken, let completion { return completion }
    throw failure(shortageText(call, "the end", came: 0, end), at: site)
  }

  private func instead(of call: String, _ error: Failure) -> String {
    """
    \(call) expected \(name) to finish, but it failed: \(eventText(of: error)).
    \(historyText)
    To read the values before an error use all(), to read the error failure() or completion().
    """
  }
}
