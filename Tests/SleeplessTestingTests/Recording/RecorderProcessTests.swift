import Testing
import TestSupport

// Where a recorder's failures appear can only be seen from outside.
#if os(Linux)
  @Suite(.serialized, .timeLimit(.minutes(10))) struct RecorderProcessTests {
    typealias Failure = FixtureRun.Failure

    private let file = "Recorders.swift"

    @Test(arguments: Followed.allCases)
    func `F1 in XCTest a recorder's failure is reported once, in its test, kept or thrown`(
      followed: Followed
    ) async throws {
      let run = try await FixtureRun.xctest("recorders", environment: followed.environment)
      let tests = ["testUnread", "testThrown", "testAsyncThrown", "testLateEvent", "testLateState"]
      let marks = ["unread", "thrown", "async thrown", "late event", "late state"]
      let failures = run.xctestFailures
      try #require(failures.map(\.test) == tests.map { "RecorderTests.\($0)" }, "\(run.output)")
      #expect(
        failures.map(\.place) == (try marks.map { try FixtureLine("XCTest \($0)", in: file).path }))
      #expect(failures[0].message == unread)
      #expect(failures[3].message.withoutTimes.hasPrefix(lateEvent))
      #expect(failures[4].message.withoutTimes == lateState)
      // Without the capture of tasks XCTest also records the error that a read throws.
      if Need.capture.isMet {
        #expect(run.output.contains("Executed 6 tests, with 5 failures (0 unexpected)"))
      }
      #expect(run.status != 0)
    }

    @Test(arguments: [
      ("unread", "Swift unread"), ("thrown", "Swift thrown"), ("asyncThrown", "Swift async thrown"),
      ("insideExpect", "Swift inside expect"),
    ])
    func `F1 in Swift Testing a recorder's failure is reported once, left over or thrown`(
      test: String, mark: String
    ) async throws {
      let run = try await FixtureRun.swiftTesting("Recorders/\(test)")
      #expect(run.swiftTestingFailures.map(\.test) == ["\(test)()"])
      #expect(
        run.swiftTestingFailures.map(\.place) == [try FixtureLine(mark, in: file).name])
      if test == "unread" { #expect(run.swiftTestingFailures.first?.message == unread) }
      #expect(run.output.contains("failed after") && run.output.contains("with 1 issue"))
      #expect(run.status != 0)
    }

    @Test(arguments: [("lateEvent", "late event"), ("lateState", "late state")], Followed.allCases)
    func `an event that comes after the test's body fails the test`(
      names: (test: String, mark: String), followed: Followed
    ) async throws {
      let run = try await FixtureRun.swiftTesting(
        "Recorders/\(names.test)", environment: followed.environment)
      #expect(run.swiftTestingFailures.map(\.test) == ["\(names.test)()"], "\(run.output)")
      #expect(
        run.swiftTestingFailures.map(\.place)
          == [try FixtureLine("Swift \(names.mark)", in: file).name])
      let text = names.test == "lateEvent" ? lateEvent : lateState
      #expect(run.swiftTestingFailures.first?.message.withoutTimes.hasPrefix(text) == true)
      #expect(run.status != 0)
    }

    /// On a busy machine the event comes before the recorder is released, and the text ends here.
    private var lateEvent: String {
      """
      1 event of "numbers" was never read:
        1  *  0
        2  *  1
        3  *  2  (unread)
      Read the events that matter to the test with next(), expect() or all(), and leave out the \
      others with skip(). If none matters, make the recorder with allowsUnread: true.
      """
    }

    private var lateState: String {
      """
      assert() expected 2 values from the publisher, but 3 came.
      So far (now: *):
        1  *  0
        2  *  1
        3  *  2
      Does the code under test send a state twice, or go on after its result? If this number is \
      right, set valuesLimit.
      """
    }

    private var unread: String {
      """
      1 event of "numbers" was never read:
        1  0 s  1  (unread)
      Read the events that matter to the test with next(), expect() or all(), and leave out the \
      others with skip(). If none matters, make the recorder with allowsUnread: true.
      """
    }
  }
#endif
