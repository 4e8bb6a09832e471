import Sleepless

/// Records every event of a source, for the test to read one after another.
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
/// Each event is read once: `next()` returns the first unread value. In a synchronous function the event
/// must have come. In an async function a read waits for the event itself. If none comes the test fails
/// after the hang timeout (see <doc:WaitingForEvents>), and at once where it is certain that none can come. One
/// task reads at a time.
///
/// ### The end of the test
///
/// Unread events fail the test, unless the recorder is made with `allowsUnread: true`. The check runs
/// at the end of the test, when the test's tasks have come to rest (Linux; a loop that sleeps delays it
/// by one second at most). It runs whether or not the recorder has been released; ``cancel()`` ends the
/// recording sooner. In a simulation time does not move for it. A Swift Testing test needs
/// `.checkedAtEnd`, `.simulated` or `.explored`; without one, the recorder's release counts as the end,
/// and later events are not seen.
///
/// A source that breaks its contract, such as by sending after its end, fails the test when it does.
/// After one failure a recorder reports no failures that follow from it. XCTest makes its test cases
/// before any test runs and keeps them until the process ends. So make recorders in the test or in
/// `setUp`: one made in the declaration of a stored property belongs to no test.
///
/// Any thread may record. Events are kept in the order in which they come. Recording takes a lock for
/// some ten nanoseconds, calls no code of the user's, and costs the same for the millionth event as for
/// the first.
public final class Recorder<Value: Sendable, Failure: Error>: Sendable {
  let core: RecorderCore<Value, Failure>

  /// Makes a recorder for callbacks, which call `record(_:)`.
  ///
  /// ```swift
  /// let answers = Recorder<String, Never>("answers")
  /// let queue = TestScheduler()
  /// queue.async { answers.record("Ada") }
  /// queue.advance()
  /// #expect(try answers.next() == "Ada")
  /// ```
  ///
  /// - Parameters:
  ///   - name: Its name in failures.
  ///   - time: The time to note for each event.
  ///   - allowsUnread: Whether events may be left unread at the end of the test.
  ///   - fileID: The caller's file.
  ///   - filePath: The caller's path.
  ///   - line: The caller's line.
  ///   - column: The caller's column.
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
  ///
  /// Any thread may call it.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// numbers.record(1)
  /// numbers.record(.finished)
  /// numbers.expect(1, then: .finished)
  /// ```
  public func record(_ value: Value) { core.record(value) }

  /// Records that the source has ended.
  ///
  /// Any thread may call it. An event after the end fails the test when it comes.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// numbers.record(1)
  /// numbers.record(.finished)
  /// numbers.expect(1, then: .finished)
  /// ```
  public func record(_ ending: PublisherCompletion<Failure>) { core.record(ending) }

  /// Stops recording and ends the subscription.
  ///
  /// A source that keeps the rules sends nothing more; an event that reaches the recorder all the same
  /// fails the test. An event under way on another thread is neither recorded nor a failure. The
  /// recorded events remain to be read.
  ///
  /// ```swift
  /// let subject = EventSubject<Int, Never>()
  /// let numbers = Recorder(subject)
  /// subject.send(1)
  /// numbers.cancel()
  /// subject.send(2)  // not delivered: the subscription has ended
  /// numbers.expect(1)
  /// ```
  public func cancel() { core.cancel() }

  /// Ends the recording and fails the test if events are unread. Only the first call has an effect.
  package func checkAtEnd() { core.checkAtEnd() }
}

extension Recorder: CustomStringConvertible {
  /// The name, and the latest events with their times.
  ///
  /// ```swift
  /// let numbers = Recorder<Int, Never>("numbers")
  /// numbers.record(1)
  /// print(numbers)  // its name, then a line for each event with its time
  /// numbers.expect(1)
  /// ```
  public var description: String { "\(core.name)\n\(core.historyText)" }
}
