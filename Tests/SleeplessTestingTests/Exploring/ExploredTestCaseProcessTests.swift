import Testing
import TestSupport

// The failures of an XCTest test case can only be seen from outside.
#if os(Linux)
  @Suite(.needs(.capture), .timeLimit(.minutes(10))) struct ExploredTestCaseProcessTests {
    private let file = "ExploredCases.swift"

    @Test
    func `each test of the case is explored, and S7 its failures come with what replays them`()
      async throws
    {
      let run = try await FixtureRun.xctest("explored-case")
      let failures = run.xctestFailures.map(\.firstLine)
      let expected =
        try pair(
          of: "testSpendsTwice", at: "spends twice", negative, in: "spends twice test",
          "a failure at \(FixtureLine("spends twice", in: file).name)")
        + pair(
          of: "testSpendsTwiceSynchronously", at: "synchronously", negative,
          in: "synchronous test",
          "a failure at \(FixtureLine("synchronously", in: file).name)")
        + pair(
          of: "testSpendsTwiceOnQueues", at: "on queues", negative, in: "queues test",
          "a failure at \(FixtureLine("on queues", in: file).name)")
        + pair(
          of: "testReadsBesideTheMainQueue", at: "beside the main queue", negative,
          in: "main queue test",
          "a failure at \(FixtureLine("beside the main queue", in: file).name)")
        + pair(
          of: "testSpendsTwiceInBlocks", at: "in a block", negative, in: "blocks test",
          "a failure at \(FixtureLine("in a block", in: file).name)")
        + pair(
          of: "testWaitsInVain", at: "waits in vain",
          """
          Asynchronous wait failed - Exceeded timeout of 3600.0 seconds, with unfulfilled expectations: solvent
          """, in: "waits in vain test",
          "a failure at \(FixtureLine("waits in vain", in: file).name)")
        + pair(
          of: "testIsOverdrawn", at: "is overdrawn",
          "Asynchronous wait failed - Fulfilled inverted expectation 'overdrawn'",
          in: "is overdrawn test", "a failure at \(FixtureLine("is overdrawn", in: file).name)")
        + pair(
          of: "testThrows", at: nil, "threw error \"Overdrawn()\"", in: "throws test",
          "the test threw error \"Overdrawn()\"")
        + pair(
          of: "testWaitsForEver", at: "waits",
          "The simulation is deadlocked at 1 s: nothing can run, nothing is due, and the body has not ended.",
          in: "waits for ever test", "a deadlock")
        + pair(
          of: "testLeavesTask", at: "leaves a task",
          "The body has ended (at 2 s), but 1 task still sleeps:", in: "leaves a task",
          "something left over")
      #expect(failures == expected, "\(run.output)")
      #expect(run.output.contains("testSkipsItself : Test skipped - no purse"), "\(run.output)")
      #expect(
        run.output.contains("Executed 12 tests, with 1 test skipped and 20 failures (1 unexpected)")
      )
    }

    @Test func `each schedule has an instance of its own, with its setUp and tearDown`()
      async throws
    {
      let run = try await FixtureRun.xctest("explored-case")
      // Of the twenty schedules the 1st, 2nd, 4th, 8th and 16th run twice.
      let count = run.output.split(separator: "\n").count { $0 == "torn down at 3.0 seconds" }
      #expect(count == 25, "\(run.output)")
      #expect(run.output.contains("testPasses' passed"), "\(run.output)")
    }

    @Test func `S7 the environment replays one schedule of one test`() async throws {
      let found = try await FixtureRun.xctest("explored-case")
      let text = found.xctestFailures.first { $0.message.hasPrefix("Schedule 1 of 20") }
      let replay = try #require(text?.message.firstMatch(of: #/SLEEPLESS_REPLAY=(\S+)/#)?.1)
      let run = try await FixtureRun.xctest(
        "explored-case", environment: ["SLEEPLESS_REPLAY": String(replay)])
      let openings = run.xctestFailures.filter { $0.test == "ExploredCaseTests.testSpendsTwice" }
        .map(\.firstLine.message)
      #expect(
        openings == [
          negative,
          "The replayed schedule fails: a failure at \(try FixtureLine("spends twice", in: file).name).",
        ], "\(run.output)")
      // The other tests are explored.
      #expect(run.output.contains("testThrows : Schedule 1 of 20 fails"), "\(run.output)")
    }

    private let negative =
      "XCTAssertGreaterThanOrEqual failed: (\"-60\") is less than (\"0\") - "

    /// The first lines of a test's failure, and of the text about its schedule.
    private func pair(
      of test: String, at mark: String?, _ message: String, in testMark: String, _ cause: String
    ) throws -> [FixtureRun.Failure] {
      [
        FixtureRun.Failure(
          test: "ExploredCaseTests.\(test)",
          place: try mark.map { try FixtureLine($0, in: file).path } ?? "<EXPR>:0", message: message
        ),
        FixtureRun.Failure(
          test: "ExploredCaseTests.\(test)", place: try FixtureLine(testMark, in: file).path,
          message: "Schedule 1 of 20 fails: \(cause)."),
      ].map(\.firstLine)
    }

    @Test func `where the process is not captured each test fails and says so`() async throws {
      let run = try await FixtureRun(
        ["xctest", "explored-case", "sync"], environment: ["SLEEPLESS_RUNTIME": "public"])
      let text = """
        The tests of an ExploredTestCase cannot be simulated here: this process's tasks cannot be captured. \
        The test was not run.
        """
      #expect(run.xctestFailures.count == 12, "\(run.output)")
      #expect(run.xctestFailures.allSatisfy { $0.message.hasPrefix(text) }, "\(run.output)")
      #expect(
        run.xctestFailures.allSatisfy {
          $0.message.hasSuffix(
            "Make it a test of an XCTestCase, and wrap its code in explore { ... }.")
        }, "\(run.output)")
    }
  }

  extension FixtureRun.Failure {
    /// The failure with the first line of its text, without the replay string.
    fileprivate var firstLine: Self {
      var failure = self
      #if !DEBUG
        // In optimised code the line of a suspension is imprecise.
        failure.place = String(place.prefix { $0 != ":" })
      #endif
      let line = message.split(separator: "\n").first ?? ""
      failure.message = String(
        line.prefix(upTo: line.firstRange(of: " To replay it")?.lowerBound ?? line.endIndex))
      return failure
    }
  }
#endif
