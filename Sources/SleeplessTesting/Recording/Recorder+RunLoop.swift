import Sleepless

/// The same reads for synchronous XCTest tests: they run the main run loop until the event has come, so that code on
/// the main queue and the main actor can run. A test that can be asynchronous awaits the functions without `waitFor`.
extension Recorder {
  /// Waits for the next value and returns it, in a synchronous XCTest test.
  ///
  /// While it waits, it serves the main run loop. In a Swift Testing test it does not wait, and fails if
  /// the events have not come. In all else it is like `next()` with `await`.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Never>("answers")
  /// DispatchQueue.main.async { for number in 1...3 { answers.record(number) } }
  /// XCTAssertEqual(try answers.waitForNext(), 1)
  /// XCTAssertEqual(try answers.waitForNext(2), [2, 3])
  /// ```
  @available(*, noasync, message: "In asynchronous code write await next().")
  public func waitForNext(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> Value {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = core.waitInTestCase(1)
    return try core.takeValues(1, "waitForNext()", end, at: site)[0]
  }

  /// Waits for that many values and returns them, in a synchronous XCTest test.
  ///
  /// While it waits, it serves the main run loop. In a Swift Testing test it does not wait, and fails if
  /// the events have not come. In all else it is like `next(_:)` with `await`.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Never>("answers")
  /// DispatchQueue.main.async { for number in 1...3 { answers.record(number) } }
  /// XCTAssertEqual(try answers.waitForNext(), 1)
  /// XCTAssertEqual(try answers.waitForNext(2), [2, 3])
  /// ```
  @available(*, noasync, message: "In asynchronous code write await next(_:).")
  public func waitForNext(
    _ count: Int,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> [Value] {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = core.waitInTestCase(count)
    return try core.takeValues(count, "waitForNext(\(count))", end, at: site)
  }

  /// Waits for the finish and reads it, in a synchronous XCTest test.
  ///
  /// While it waits, it serves the main run loop. In a Swift Testing test it does not wait, and fails if
  /// the events have not come. In all else it is like `finish()` with `await`.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Never>("answers")
  /// DispatchQueue.main.async { answers.record(.finished) }
  /// try answers.waitForFinish()  // a value before the finish would fail the test
  /// ```
  @available(*, noasync, message: "In asynchronous code write await finish().")
  public func waitForFinish(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = core.waitInTestCase(1)
    try core.takeFinish("waitForFinish()", end, at: site)
  }

  /// Waits for the failure and returns its error, in a synchronous XCTest test.
  ///
  /// While it waits, it serves the main run loop. In a Swift Testing test it does not wait, and fails if
  /// the events have not come. In all else it is like `failure()` with `await`.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Trouble>("answers")
  /// DispatchQueue.main.async { answers.record(.failure(.offline)) }
  /// XCTAssertEqual(try answers.waitForFailure(), .offline)
  /// ```
  @available(*, noasync, message: "In asynchronous code write await failure().")
  public func waitForFailure(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> Failure {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = core.waitInTestCase(1)
    return try core.takeFailure("waitForFailure()", end, at: site)
  }

  /// Waits for the finish and returns every value, in a synchronous XCTest test.
  ///
  /// While it waits, it serves the main run loop. In a Swift Testing test it does not wait, and fails if
  /// the events have not come. In all else it is like `elements()` with `await`.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Never>("answers")
  /// DispatchQueue.main.async {
  ///   for number in 1...3 { answers.record(number) }
  ///   answers.record(.finished)
  /// }
  /// XCTAssertEqual(try answers.waitForElements(), [1, 2, 3])
  /// XCTAssertEqual(try answers.waitForLast(), 3)
  /// ```
  @available(*, noasync, message: "In asynchronous code write await elements().")
  public func waitForElements(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> [Value] {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = core.waitInTestCase(.max)
    return try core.takeElements("waitForElements()", end, at: site)
  }

  /// Waits for the end and returns it, in a synchronous XCTest test.
  ///
  /// While it waits, it serves the main run loop. In a Swift Testing test it does not wait, and fails if
  /// the events have not come. In all else it is like `completion()` with `await`.
  ///
  /// `Trouble` is an error of the test's own.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Trouble>("answers")
  /// DispatchQueue.main.async { answers.record(.failure(.offline)) }
  /// XCTAssertEqual(try answers.waitForCompletion(), .failure(.offline))
  /// ```
  @available(*, noasync, message: "In asynchronous code write await completion().")
  public func waitForCompletion(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> PublisherCompletion<Failure> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = core.waitInTestCase(.max)
    return try core.takeCompletion("waitForCompletion()", end, at: site)
  }

  /// Waits for the finish and returns the last value, in a synchronous XCTest test.
  ///
  /// While it waits, it serves the main run loop. In a Swift Testing test it does not wait, and fails if
  /// the events have not come. In all else it is like `last()` with `await`.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Never>("answers")
  /// DispatchQueue.main.async {
  ///   for number in 1...3 { answers.record(number) }
  ///   answers.record(.finished)
  /// }
  /// XCTAssertEqual(try answers.waitForElements(), [1, 2, 3])
  /// XCTAssertEqual(try answers.waitForLast(), 3)
  /// ```
  @available(*, noasync, message: "In asynchronous code write await last().")
  public func waitForLast(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> Value? {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = core.waitInTestCase(.max)
    return try core.takeElements("waitForLast()", end, at: site).last
  }

  /// Waits for the finish and returns the only value, in a synchronous XCTest test.
  ///
  /// While it waits, it serves the main run loop. In a Swift Testing test it does not wait, and fails if
  /// the events have not come. In all else it is like `single()` with `await`.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Never>("answers")
  /// DispatchQueue.main.async {
  ///   answers.record(1)
  ///   answers.record(.finished)
  /// }
  /// XCTAssertEqual(try answers.waitForSingle(), 1)  // no value, or two, would fail the test
  /// ```
  @available(*, noasync, message: "In asynchronous code write await single().")
  public func waitForSingle(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> Value {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = core.waitInTestCase(core.missing(2))
    return try core.takeSingle("waitForSingle()", end, at: site)
  }

  /// Waits for that many values, or for the finish, and returns them, in a synchronous XCTest test.
  ///
  /// While it waits, it serves the main run loop. In a Swift Testing test it does not wait, and fails if
  /// the events have not come. In all else it is like `prefix(_:)` with `await`.
  ///
  /// ```swift
  /// let answers = Recorder<Int, Never>("answers")
  /// DispatchQueue.main.async { for number in 1...3 { answers.record(number) } }
  /// XCTAssertEqual(try answers.waitForPrefix(2), [1, 2])
  /// ```
  @available(*, noasync, message: "In asynchronous code write await prefix(_:).")
  public func waitForPrefix(
    _ count: Int,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) throws -> [Value] {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let end = core.waitInTestCase(core.missing(count))
    return try core.takePrefix(count, "waitForPrefix(\(count))", end, at: site)
  }
}
