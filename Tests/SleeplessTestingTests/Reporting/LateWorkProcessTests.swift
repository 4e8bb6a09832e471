import Testing
import TestSupport

// What the frameworks tell of a test that is judged late, followed or not, can only be seen from outside.
#if os(Linux)
  /// A test is judged after what its task does 5 ms later: where tasks are followed, when they have come to rest;
  /// elsewhere after a short real wait. `LateJudgementTests` show the first in this process, idle and busy.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct LateWorkProcessTests {
    private static let pendingWork =
      "The test ended, and a scheduler has work pending that will now never run (now: 0 s):"

    /// The failing tests, in the order of the fixture's, and the first lines of their failures.
    private static let failures = [
      ("unreadCallOfSpy", "1 event of \"a spy\" was never read:"),
      ("callWithoutAnswer", "\"a stub\" was called with 1, and it has no answer for that."),
      ("callOfGate", "1 call of \"a gate\" was still held back at the end of the test."),
      ("workOfScheduler", pendingWork), ("sleeper", pendingWork),
      (
        "secondCallback",
        """
        expectExactlyOnce expected its callback to be called once, but it was called again: with 1, and then with 2.
        """
      ),
      (
        "unreadEvent", "expectNone() expected nothing unread from \"numbers\", but 1 event is."
      ),
    ]

    @Test(arguments: Followed.allCases)
    func `in XCTest the failures of late work are told in their tests`(followed: Followed)
      async throws
    {
      let run = try await FixtureRun.xctest("late", environment: followed.environment)
      let expected = try Self.failures.map { name, text in
        FixtureRun.Failure(
          test: "LateWorkTests.\(name)", place: try line(of: name).path, message: text)
      }
      #expect(run.xctestFailures.map(\.shortened) == expected, "\(run.output)")
      #expect(run.output.contains("Executed 11 tests, with 7 failures (0 unexpected)"))
    }

    @Test(arguments: Followed.allCases)
    func `in Swift Testing the failures of late work are told in their tests`(followed: Followed)
      async throws
    {
      let run = try await FixtureRun.swiftTesting(
        "LateWorkSuite/", environment: followed.environment)
      let expected = try Self.failures.map { name, text in
        FixtureRun.Failure(
          test: "late(work:)", place: try line(of: name).name, message: text)
      }
      #expect(run.swiftTestingFailures.map(\.shortened) == expected, "\(run.output)")
    }

    private func line(of name: String) throws -> FixtureLine {
      try FixtureLine("late \(name)", in: "LateWork.swift")
    }
  }

  extension FixtureRun.Failure {
    fileprivate var shortened: Self {
      var failure = self
      failure.message = message.firstLine
      return failure
    }
  }

  /// Whether the fixture's tasks can be followed until they come to rest.
  enum Followed: CaseIterable {
    case asHere, never

    var environment: [String: String] { self == .never ? ["SLEEPLESS_RUNTIME": "public"] : [:] }
  }
#endif
