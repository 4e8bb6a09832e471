import Sleepless

/// Writes down every event of a source, for the test to read one after another.
///
/// One type for every source: publishers, asynchronous sequences, properties of `@Observable`
/// objects, and, through `record(_:)`, callbacks and delegates.
///
/// ```swift
/// let states = Recorder(model.$state)
/// model.load()
/// await states.expect(.initial, .loading, .loaded("Tom"))
/// ```
///
/// ### Reading
///
/// What is read is consumed: `next()` gives the first value that nobody has read. In a synchronous function a read looks at what has come so far. In an async
/// function it waits for the event itself; if none comes the test fails after the guard (see
/// <doc:WaitingForEvents>), and at once where it is certain that none can come. One task reads at a
/// time.
///
/// ### The end of the test
///
/// Events that nobody has read fail the test, unless it is made with `allowsUnread: true`. This is
/// judged at the end of the test, when the tasks that the test has started have come to rest (Linux;
/// for a loop that goes on sleeping one second), whether the recorder has been released by then or not;
/// ``cancel()`` ends the recording sooner. In a simulation time does not move for it. A Swift Testing
/// test needs `.checkedAtEnd` or `.simulated` for that; without, the recorder's release counts as its
/// end, and later events are not seen. What a source
/// may not do, such as sending after its end, fails the test when it happens. After one failure the
/// recorder keeps quiet about what follows from it. XCTest keeps its test cases until the process
/// ends and makes them before: make recorders in the test or in `setUp`, not in the declaration of a
/// stored property, or nobody knows their test and its end.
///
/// Any thread may record. Events are kept in the order in which they come; recording takes a lock
/// for some ten nanoseconds, calls nothing of the user's, and costs the same for the millionth
/// event as for the first.
public final class Recorder<Value: Sendable, Failure: Error>: Sendable {
  let core: RecorderCore<Value, Failure>

  /// Makes a recorder for callbacks: it records what it is given.
  ///
  /// ```swift
  /// let answers = Recorder<String, Never>("answers")
  /// service.fetchName { answers.record($0) }
  /// service.answer("Ada")
  /// #expect(try answers.next() == "Ada")
  /// ```
  ///
  /// - Parameters:
  ///   - name: How failures call it.
  ///   - time: What the times of the events are.
  ///   - allowsUnread: Whether events may be left unread at the end of the test.
  ///   - fileID: Where failures point that no call of the test causes, as the next three.
  ///   - filePath: The full path.
  ///   - line: The line.
  ///   - column: The column.
  public init(
    _ name: String? = nil, time: RecorderTime = .current, allowsUnread: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    core = RecorderCore(name, time: time, allowsUnread: allowsUnread, at: site)
  }

  init(core: RecorderCore<Value, Failure>) { self.core = core }

  deinit { core.recorderWasReleased() }

  // MARK: Recording

  /// Records a value.
  public func record(_ value: Value) { core.record(value) }

  /// Records that the source has ended.
  public func record(_ ending: PublisherCompletion<Failure>) { core.record(ending) }

  /// Stops recording: the source is told to stop, and what it still sends fails the test.
  ///
  /// What was recorded remains to be read. An event that is under way on another thread is neither
  /// recorded nor a failure.
  public func cancel() { core.cancel() }

  /// Ends the recording and fails the test if events are unread. Only the first call does something.
  package func checkAtEnd() { core.checkAtEnd() }
}

extension Recorder: CustomStringConvertible {
  /// The name, and the latest events with their times.
  public var description: String { "\(core.name)\n\(core.historyText)" }
}
