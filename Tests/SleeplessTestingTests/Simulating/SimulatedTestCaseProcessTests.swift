import Testing
import TestSupport

// Whether tests run after a test that cannot go on can only be seen from outside.
#if os(Linux)
  @Suite(.needs(.capture), .serialized, .timeLimit(.minutes(10)))
  struct SimulatedTestCaseProcessTests {
    typealias Failure = FixtureRun.Failure

    @Test func `a test that cannot go on fails at its line, is torn down, and the next test runs`()
      async throws
    {
      let run = try await FixtureRun.xctest("hanging")
      let expected = [
        try failure("testSpins", at: "spins", tooManySteps("task 1: suspended")),
        try failure("testSpinsForEver", at: "spins for ever", tooManySteps("task 1: suspended")),
        try failure("testHangs", at: "hangs", deadlock),
        try failure("testHangsForEver", at: "hangs for ever", deadlock),
        try failure("testSleepsTooLong", at: "sleeps too long", tooLate),
        try failure("testSettles", at: "settles", tooManySteps("task 1: suspended")),
        try failure("testAdvances", at: "advances", tooManySteps("task 1: suspended")),
        // Time does not move on to the end of a sleep while something can run.
        try failure(
          "testLeavesTaskSpinning", at: "tear down",
          tooManySteps(
            "task 1: able to run since 0 s, 499 steps\n  task 2: asleep until 3600 s",
            "1 step")),
      ]
      #expect(run.xctestFailures.map(\.withoutFunctionsAndOutput) == expected, "\(run.output)")
      let lines = run.output.split(separator: "\n")
      #expect(lines.count { $0 == "torn down" } == expected.count, "\(run.output)")
      #expect(lines.contains("the rest ran, cancelled: true"), "\(run.output)")
      #expect(lines.contains("went on at 3600.0 seconds"), "\(run.output)")
      #expect(!lines.contains("an abandoned test ran on"), "\(run.output)")
      #expect(run.output.contains("Executed 9 tests, with 8 failures (0 unexpected)"))
      #expect(run.status == 1)
    }

    @Test func `a test whose setUp cannot go on runs all the same`() async throws {
      let run = try await FixtureRun.xctest("hanging-setup")
      let line = try FixtureLine("hanging set up", in: "Hanging.swift")
      #expect(
        run.xctestFailures.map(\.withoutFunctionsAndOutput) == [
          Failure(
            test: "HangingSetUpTests.testAfterSetUp", place: line.path,
            message: deadlock.replacing("task 1:", with: "the body:")
          ).withoutFunctionsAndOutput
        ], "\(run.output)")
      #expect(run.output.contains("\nran after setUp\n"))
      #expect(run.output.contains("Executed 1 test, with 1 failure (0 unexpected)"))
    }

    private func failure(_ test: String, at mark: String, _ message: String) throws -> Failure {
      Failure(
        test: "HangingTests.\(test)", place: try FixtureLine(mark, in: "Hanging.swift").path,
        message: message
      ).withoutFunctionsAndOutput
    }

    private func tooManySteps(_ task: String, _ steps: String = "500 steps") -> String {
      """
      The simulation did not come to an end: 1000 steps were taken, and virtual time is 0 s. These \
      tasks took the most:
        \(task) since 0 s, \(steps)
      This is usually a loop that sleeps or yields and that is never cancelled. Cancel it when the test \
      has seen enough, start it in Simulation.background { … } if it is meant to live on, or raise \
      stepLimit.
      """
    }

    private var deadlock: String {
      """
      The simulation is deadlocked at 0 s: nothing can run, nothing is due, and the body has \
      not ended.
        task 1: suspended since 0 s
      This is usually a continuation that is never resumed, a stream that is never finished, or tasks \
      that wait for each other.
      Queues, threads and the network are not simulated; the simulation waits 500 ms for \
      them. Inject a scheduler there, or run the call in Simulation.outside { … }.
      """
    }

    private var tooLate: String {
      """
      The simulation did not come to an end: virtual time is 0 s, and the next deadline lies beyond \
      timeLimit: 7200 s.
        task 1: asleep until 7201 s since 0 s
      This is usually a loop that sleeps and that is never cancelled.
      """
    }
  }

  extension FixtureRun.Failure {
    /// Without the functions that tasks wait in, which differ with the optimiser, and without what the
    /// test printed next.
    fileprivate var withoutFunctionsAndOutput: Self {
      var failure = self
      #if !DEBUG
        // In optimised code the line of a suspension is imprecise.
        failure.place = String(place.prefix { $0 != ":" })
      #endif
      failure.message = message.split(separator: "\n")
        .filter { $0 != "torn down" && !$0.hasPrefix("the rest ran") && $0 != "ran after setUp" }
        .map { $0.prefix(upTo: $0.firstRange(of: ", in ")?.lowerBound ?? $0.endIndex) }
        .joined(separator: "\n")
      return failure
    }
  }
#endif
