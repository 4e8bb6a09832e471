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
        try failure(
          "testSpins", at: "spins", tooManySteps("task 1: suspended since 0 s, 500 steps")),
        try failure(
          "testSpinsForEver", at: "spins for ever",
          tooManySteps("task 1: suspended since 0 s, 500 steps")),
        try failure("testHangs", at: "hangs", deadlock),
        try failure("testHangsForEver", at: "hangs for ever", deadlock),
        try failure("testSleepsTooLong", at: "sleeps too long", tooLate),
        try failure(
          "testSettles", at: "settles", tooManySteps("task 1: suspended since 0 s, 500 steps")),
        try failure(
          "testAdvances", at: "advances", tooManySteps("task 1: suspended since 0 s, 500 steps")),
        // Time does not move on to the end of a sleep while something can run.
        try failure(
          "testLeavesTaskSpinning", at: "tear down",
          tooManySteps(
            """
            task 1: able to run since 0 s, 499 steps
              task 2: asleep until 3600 s since 0 s, 1 step
            """)),
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

    @Test func `each end is reported at the test's line, and the next test runs`() async throws {
      let run = try await FixtureRun.xctest("simulated-ends")
      func failure(_ test: String, at mark: String, _ message: String) throws -> Failure {
        try self.failure(test, at: mark, in: "SimulatedEnds.swift", message)
      }
      let sleepsOn = """
        The body has ended (at 0 s), but 1 task still sleeps:
          task 1: asleep until 60 s since 0 s
        The rest of their work is not tested. Run it with settle() or a sleep of the test's own, cancel \
        them, start them in Simulation.background { ... } if they are meant to live on, or allow it with \
        allowing: .sleepingTasks.
        """
      let sleepsForEver = tooManySteps(
        "task 1: able to run since 3332 s, 3333 steps", of: 10_000, at: "3333 s")
      let expected = [
        try failure("SimulatedEndTests.testSleepsOn", at: "sleeps on", sleepsOn),
        try failure(
          "SimulatedEndTests.testWaitsOn", at: "waits on",
          """
          The body has ended (at 1 s), but 1 task has not:
            task 2: suspended since 0 s
          The rest of their work is not tested. Await them, cancel them, start them in \
          Simulation.background { ... } if they are meant to live on, or allow it with allowing: \
          .suspendedTasks.
          """),
        try failure(
          "SimulatedEndTests.testIgnoresCancellation", at: "ignores cancellation",
          """
          1 task did not end when cancelled at the end of the simulation:
            task 1: suspended since 0 s
          They and what they hold are never released. This is usually a continuation: resume it in a \
          cancellation handler.
          """),
        try failure(
          "SimulatedEndTests.testLeavesABlockOutside", at: "fails beside a block outside",
          "failed - failed"),
        try failure(
          "SimulatedEndTests.testFailsInBlocks", at: "fails in a block", "failed - in a block"),
        try failure(
          "SimulatedEndTests.testFailsInBlocks", at: "fails on the main queue", "failed - on main"),
        try failure(
          "SimulatedEndTests.testFailsInBlocks", at: "fails in a late block",
          """
          XCTAssertNotEqual failed: ("Optional(3600.0 seconds)") is equal to ("Optional(3600.0 seconds)") -\u{20}
          """),
        try failure(
          "SimulatedEndTests.testFailsInABlockAtItsEnd", at: "fails in a block at its end",
          "failed - at the end"),
        try failure(
          "SimulatedEndTests.testLeavesWorkPending", at: "leaves work pending",
          """
          The body has ended (at 0 s) with work pending that will now never run:
            at 5 s: \(FixtureLine("pending work", in: "SimulatedEnds.swift").name)
          Let it run with settle() or Simulation.advance(by:), cancel it, or allow it with allowing: \
          .pendingWork.
          """),
        try failure(
          "SimulatedEndTests.testAwaitsAGlobalsTask", at: "awaits a global's task",
          deadlock.replacing(
            "task 1: suspended since 0 s",
            with: """
              task 1: suspended since 0 s
                task 2 "consumer" of the global variable Mailbox.shared: suspended since 0 s
              """)),
        try failure("InheritedEndTests.testSleepsOn", at: "sleeps on", sleepsOn),
        try failure(
          "SimulatedEndTests.testSpinsOn", at: "spins on",
          tooManySteps("task 1: able to run since 0 s, 4999 steps", of: 10_000)),
        try failure(
          "SimulatedEndTests.testSpinsInTheScheduler", at: "spins in the scheduler",
          tooManySteps("task 1: able to run since 0 s, 4999 steps", of: 10_000, at: "1 s")),
        // These tasks keep their threads when they are cancelled.
        try failure("SimulatedEndTests.testSleepsForEver", at: "sleeps for ever", sleepsForEver),
        try failure(
          "SimulatedEndTests.testSleepsForEverSynchronously",
          at: "sleeps for ever synchronously", sleepsForEver),
      ]
      #expect(run.xctestFailures.map(\.withoutFunctionsAndOutput) == expected, "\(run.output)")
      let place = try FixtureLine("leaves a block outside", in: "SimulatedEnds.swift").path
      let leftOutside = """
        \(place): warning: The code has begun work that the simulation does not control, and that may still go on:
          a block on queue com.example.workloop, which the simulation does not follow, begun at 0 s
        """
      #expect(run.output.contains("\n\(leftOutside)"), "\(run.output)")
      #expect(run.output.contains("\nran outside\n"), "\(run.output)")
      #expect(run.output.contains("\nwent on at 3600.0 seconds\n"), "\(run.output)")
      #expect(run.status == 1)
    }

    @Test func `a test that does not advance its manual time fails, and the next test runs`()
      async throws
    {
      let run = try await FixtureRun.xctest("manual-time")
      func deadlock(_ state: String, _ advice: String) -> String {
        """
        The simulation is deadlocked at 0 s: nothing can run, nothing advances time, and the body has not ended.
          task 1: \(state) since 0 s
        Time is manual: \(advice) calls Simulation.advance(by:).
        """
      }
      let expected = [
        try failure(
          "ManualTimeTests.testSleeps", at: "sleeps in manual time", in: "SimulatedEnds.swift",
          deadlock("asleep until 60 s", "the tasks that sleep go on when the test")),
        try failure(
          "ManualTimeTests.testWaits", at: "waits in manual time", in: "SimulatedEnds.swift",
          """
          Asynchronous wait failed - Exceeded timeout of 60.0 seconds, with unfulfilled expectations: never
          """),
        try failure(
          "ManualTimeTests.testWaitsForAnInvertedExpectation", at: "fulfills in manual time",
          in: "SimulatedEnds.swift",
          "Asynchronous wait failed - Fulfilled inverted expectation 'early'"),
        try failure(
          "ManualTimeTests.testWaitsInATask", at: "awaits in manual time",
          in: "SimulatedEnds.swift",
          deadlock(
            "waiting for expectations",
            "a wait for expectations reaches its timeout when a task")),
      ]
      #expect(run.xctestFailures.map(\.withoutFunctionsAndOutput) == expected, "\(run.output)")
      #expect(run.output.contains("\nwent on at 60.0 seconds\n"), "\(run.output)")
    }

    @Test func `a resumption from outside is told as the settings say`() async throws {
      let run = try await FixtureRun(
        ["xctest", "resumed-from-outside", "sync"], environment: ["SLEEPLESS_GUARD_SECONDS": "1"])
      let resumption = """
        Once a task was resumed from outside the simulation:
          task 2 "request": suspended from 0 s to 10 s
        The simulation does not control when that happens, so another run may differ, and virtual time did not \
        wait for it. This is usually a network call or a thread of the code's own. Inject a double there, or run \
        the call in Simulation.outside { ... }, which stops virtual time until it returns.
        """
      let thread = "a thread, begun at 10 s"
      let expected = [
        try failure(
          "ResumedFromOutsideTests.testIsAnsweredAndFails", at: "fails after an answer",
          in: "SimulatedEnds.swift", "failed - failed"),
        try failure(
          "ResumedFromOutsideTests.testIsAnsweredOnce", at: "is answered once",
          in: "SimulatedEnds.swift",
          """
          The simulation is possibly deadlocked at 10 s: nothing can run, nothing came from outside for 1 s \
          of real time, nothing is due, and the body has not ended.
            task 1: suspended since 10 s
          This is usually a continuation that is never resumed, a stream that is never finished, or tasks \
          that wait for each other.
          Once a task was resumed from outside the simulation, so something outside may still answer. \
          With externalResumptions: .failed the test says which tasks these were.
          Begun outside:
            \(thread)
          """),
        try failure(
          "FailedByResumptionTests.testIsAnswered", at: "is answered from outside",
          in: "SimulatedEnds.swift", resumption),
      ]
      #expect(run.xctestFailures.map(\.withoutFunctionsAndOutput) == expected, "\(run.output)")
      let begun = """
        The code has begun work that the simulation does not control, and that may still go on:
          \(thread)
        Virtual time does not wait for it, so the failure may follow from that. Use a double there, or run the call \
        in Simulation.outside { ... }, which stops virtual time until it returns.
        """
      // The first two are of the test that fails, although its settings ignore resumptions.
      let warnings = try [
        ("is answered and fails", resumption), ("is answered and fails", begun),
        ("is answered from outside", resumption),
      ].map { try failure("", at: $0.0, in: "SimulatedEnds.swift", $0.1) }
      #expect(run.xctestWarnings.map(\.withoutFunctionsAndOutput) == warnings, "\(run.output)")
      #expect(run.output.contains("\nwent on at 3600.0 seconds\n"), "\(run.output)")
      #expect(run.output.contains("Executed 6 tests, with 3 failures (0 unexpected)"))
    }

    @Test(.needs(.queues))
    func `a job that keeps its thread fails its test, and then the next test runs`() async throws {
      let run = try await FixtureRun(
        ["xctest", "blocked", "sync"], environment: ["SLEEPLESS_GUARD_SECONDS": "1"])
      func failure(_ test: String, at mark: String, _ tasks: String) throws -> Failure {
        let message = FailureText.aBlockedMainThread.replacing(
          """
            task 1: suspended since 0 s
            task 2: running since 0 s
          """, with: tasks)
        return try self.failure(
          "BlockedTests.\(test)", at: mark, in: "SimulatedEnds.swift", message)
      }
      let expected = [
        try failure(
          "testBlocks", at: "blocks",
          "  task 1: suspended since 0 s\n  task 2: running since 0 s"),
        try failure(
          "testSpinsInABlock", at: "spins in a block",
          "  task 1 \"queue com.example.busy\": running since 0 s"),
        try failure(
          "testSpinsInABlockOfTheMainQueue", at: "spins in a block of the main queue",
          "  task 1 \"queue com.apple.main-thread\": running since 0 s"),
        try failure(
          "testSyncsWithAQueueThatSpins", at: "syncs with a queue that spins",
          "  task 1 \"queue com.example.busy\": running since 0 s"),
      ]
      #expect(run.xctestFailures.map(\.withoutFunctionsAndOutput) == expected, "\(run.output)")
      let lines = run.output.split(separator: "\n")
      #expect(
        lines.count { $0 == "went on after the failure" } == expected.count, "\(run.output)")
      #expect(lines.contains("went on at 3600.0 seconds"), "\(run.output)")
    }

    @Test(.needs(.queues))
    func `too many blocked threads fail the test at its line, and the next test runs`()
      async throws
    {
      let run = try await FixtureRun.xctest("parked")
      func failure(
        _ test: String, at mark: String, sleeper: String? = nil, waiter: String? = nil
      ) throws -> Failure {
        let first = sleeper == nil ? 1 : 2
        let blocks = (first...10).map {
          "task \($0) \"queue com.apple.root.default-qos\": waiting for a semaphore since 0 s"
        }
        let tasks = ([waiter, sleeper].compactMap { $0 } + blocks).map { "  \($0)" }
        return try self.failure(
          "ParkedTests.\(test)", at: mark, in: "SimulatedEnds.swift",
          """
          The simulation was given up at 0 s, because 512 of its threads are blocked at the same \
          time.
          \(tasks.joined(separator: "\n"))
            and \(more(test)) more tasks
          Each call that sleeps or waits keeps a thread of the system, also without a simulation. \
          Await instead of blocking, or use fewer queues.
          """)
      }
      // XCTest runs an asynchronous function in a task.
      func more(_ test: String) -> Int { test == "testAwaits" || test == "testEnds" ? 591 : 590 }
      let expected = [
        try failure("testSettles", at: "settles beside parked threads"),
        try failure("testSleeps", at: "sleeps beside parked threads"),
        try failure(
          "testAwaits", at: "awaits beside parked threads",
          sleeper: "task 1: asleep until 5 s since 0 s"),
        try failure(
          "testWaits", at: "waits beside parked threads",
          waiter: "the test: waiting for a semaphore since 0 s"),
        // Its blocks run when its `tearDown` waits, which is cancelled.
        try failure("testEnds", at: "ends beside parked threads"),
      ]
      #expect(run.xctestFailures.map(\.withoutFunctionsAndOutput) == expected, "\(run.output)")
      let lines = run.output.split(separator: "\n")
      // The three synchronous tests.
      #expect(lines.count { $0 == "went on after the failure" } == 3, "\(run.output)")
      // All tests but the one that is cancelled in its `tearDown`.
      #expect(lines.count { $0 == "torn down" } == 5, "\(run.output)")
      #expect(lines.contains("went on at 3600.0 seconds"), "\(run.output)")
      #expect(run.output.contains("Executed 6 tests, with 5 failures (0 unexpected)"))
    }

    @Test func `a lock that a blocked job has fails the test that waits for it`() async throws {
      let run = try await FixtureRun(
        ["xctest", "locked", "sync"], environment: ["SLEEPLESS_GUARD_SECONDS": "1"])
      let expected = try failure(
        "LockedTests.testWaitsForALock", at: "waits for a lock", in: "SimulatedEnds.swift",
        """
        A job of the test has kept its thread for 1 s of real time (virtual time: 1 s):
          task 1 "queue com.apple.root.default-qos": asleep until 5 s since 0 s
        XCTest runs no other test until the job returns.
        This is usually a lock or a synchronous call that waits for something that only another job can do, or an \
        endless loop. Await instead of blocking, and end a loop when Task.isCancelled is true.
        """)
      #expect(run.xctestFailures.map(\.withoutFunctionsAndOutput) == [expected], "\(run.output)")
      #expect(run.output.contains("\nwent on after the failure\n"), "\(run.output)")
    }

    @Test func `a job that waits for ever fails its test, on the main thread at once`() async throws
    {
      let run = try await FixtureRun.xctest("deadlocked")
      func deadlock(
        _ tasks: String, isRunLoop: Bool = false, isQueue: Bool = false, _ more: String = ""
      ) -> String {
        let reason =
          isRunLoop
          ? "a run loop that is never stopped"
          : isQueue
            ? "a sync with the queue that the code runs on"
            : "a semaphore or a condition that is never signalled, a group that is never left"
        let wayOut =
          isQueue
          ? "Inject a double there, or run the call in Simulation.outside { ... }."
          : "If one of them is to \(isRunLoop ? "stop the run loop" : "signal"), run the whole waiting call in "
            + "Simulation.outside { ... }."
        return """
          The simulation is deadlocked at 0 s: nothing can run, nothing is due, and the body has not ended.
            \(tasks)
          This is usually \(reason), a continuation that is never resumed, or tasks that wait for each other.
          Threads and the network are not simulated; the simulation waits 500 ms for them. \(wayOut)\(more)
          """
      }
      let expected = [
        try failure(
          "DeadlockedTests.testAwaitsABlockedThread", at: "awaits a blocked thread",
          in: "SimulatedEnds.swift",
          deadlock(
            """
            task 1: suspended since 0 s
              task 2: waiting for a condition since 0 s
            """)),
        try failure(
          "DeadlockedTests.testBlocksTheMainThread", at: "blocks the main thread",
          in: "SimulatedEnds.swift",
          deadlock(
            "task 1: waiting for a condition since 0 s",
            "\nOne of these tasks blocks the main thread. XCTest runs no other test until it goes on."
          )),
        try failure(
          "DeadlockedTests.testEndsWithABlockedMainThread", at: "ends with a blocked main thread",
          in: "SimulatedEnds.swift", FailureText.aBlockedMainThreadAtTheEnd),
        try failure(
          "DeadlockedTests.testWaitsInItsOwnCode", at: "waits in its own code",
          in: "SimulatedEnds.swift",
          deadlock(
            """
            the test: waiting for a condition since 0 s
              task 1: suspended since 0 s
            """)),
        try failure(
          "DeadlockedTests.testSyncsWithTheMainQueue", at: "syncs with the main queue",
          in: "SimulatedEnds.swift",
          deadlock(
            "the test: waiting for the queue com.apple.main-thread since 0 s", isQueue: true)),
        try failure(
          "DeadlockedTests.testSyncsWithAQueueThatTargetsTheMainQueue",
          at: "syncs with a queue that targets the main queue", in: "SimulatedEnds.swift",
          deadlock(
            "the test: waiting for the queue com.example.targeting since 0 s", isQueue: true)),
        try failure(
          "DeadlockedTests.testRunsARunLoop", at: "runs a run loop", in: "SimulatedEnds.swift",
          deadlock("the test: waiting for a stop of the main run loop since 0 s", isRunLoop: true)),
        try failure(
          "DeadlockedTests.testRunsARunLoopInAJob", at: "runs a run loop in a job",
          in: "SimulatedEnds.swift",
          deadlock(
            "task 1: waiting for a stop of the main run loop since 0 s", isRunLoop: true,
            "\nOne of these tasks blocks the main thread. XCTest runs no other test until it goes on."
          )),
      ]
      // A failure opens the gate, and so lets a thread go on from outside. A warning says that.
      let failures = run.xctestFailures.map(\.withoutFunctionsAndOutput).map { failure in
        let text = failure.message.prefix(
          upTo: failure.message.firstRange(of: #/\n\S+: warning: /#)?.lowerBound
            ?? failure.message.endIndex)
        return Failure(test: failure.test, place: failure.place, message: String(text))
      }
      #expect(failures == expected, "\(run.output)")
      #expect(
        run.output.split(separator: "\n").count { $0 == "went on after the failure" } == 8,
        "\(run.output)")
    }

    @Test func `S10 a wait for expectations fails with XCTest's text at its line`() async throws {
      let run = try await FixtureRun.xctest("expectations")
      // A wait in real time. XCTest fulfills the expectation, so the line is one of its own.
      let real = try #require(run.xctestFailures.last)
      func failure(_ test: String, at mark: String, _ message: String) throws -> Failure {
        let test = test.contains(".") ? test : "ExpectationFailureTests.\(test)"
        return try self.failure(test, at: mark, in: "Expectations.swift", message)
      }
      func timeout(_ seconds: Double, _ expectations: String) -> String {
        """
        Asynchronous wait failed - Exceeded timeout of \(seconds) seconds, with unfulfilled \
        expectations: \(expectations)
        """
      }
      let expected = [
        try failure("testTimesOut", at: "times out", timeout(3600, "never")),
        try failure(
          "testTimesOutSynchronously", at: "times out synchronously", timeout(1.5, "never")),
        try failure("testWaitForExpectations", at: "wait for all", timeout(0.1, "one, other")),
        try failure(
          "testInverted", at: "inverted",
          "Asynchronous wait failed - Fulfilled inverted expectation 'inverted'"),
        try failure(
          "testWrongOrder", at: "wrong order",
          """
          Failed due to expectation fulfilled in incorrect order: requires 'first', actually fulfilled \
          'second'
          """),
        try failure("testPredicate", at: "predicate", timeout(3600, "predicate")),
        try failure(
          "testNotification", at: "notification",
          timeout(3600, "Expect notification 'never' from any object")),
        Failure(
          test: "ExpectationFailureTests.testInvertedNotification", place: real.place,
          message: real.message
        ).withoutFunctionsAndOutput,
        try failure(
          "testOverFulfilled", at: "over-fulfilled",
          "API violation - multiple calls made to XCTestExpectation.fulfill() for once."),
        try failure("testTwoWaits", at: "first wait", timeout(1, "first")),
        try failure("testTwoWaits", at: "second wait", timeout(2, "second")),
        try failure(
          "testNotWaitedFor", at: "not waited for",
          "Failed due to unwaited expectation 'forgotten'"),
        try failure(
          "testSpinsInAWait", at: "spins in a wait",
          tooManySteps(
            """
            task 2: able to run since 0 s, 499 steps
              task 1: waiting for expectations since 0 s, 1 step
            """)),
        try failure(
          "testSpinsInASynchronousWait", at: "spins in a synchronous wait",
          tooManySteps("task 1: suspended since 0 s, 500 steps")),
        try failure(
          "testRecorderWaitsInVain", at: "recorder waits in vain",
          """
          waitForNext() expected a value from "states", but none came: nothing else could run, and a day of \
          virtual time went by.
          Nothing has come so far (now: 86400 s).
          Nothing left to run can send the event. Look for code that was not started, or that waits for a queue, a thread or a server.
          """),
        try failure(
          "SimulateExpectationFailureTests.testSimulateTimesOut", at: "times out in simulate",
          timeout(3600, "never")),
        Failure(
          test: "RealExpectationFailureTests.testInvertedNotification", place: real.place,
          message: """
            Asynchronous wait failed - Fulfilled inverted expectation 'Expect notification 'inverted' from any \
            object'
            """
        ).withoutFunctionsAndOutput,
      ]
      #expect(run.xctestFailures.map(\.withoutFunctionsAndOutput) == expected, "\(run.output)")
      let lines = run.output.split(separator: "\n")
      for line in [
        "went on at 3600.0 seconds", "went on at 1.5 seconds", "went on at 1.0 seconds",
        "error: true", "the last test ran to its end",
      ] {
        #expect(lines.contains { $0 == line }, "\(run.output)")
      }
      #expect(run.status == 1)
    }

    private func failure(_ test: String, at mark: String, _ message: String) throws -> Failure {
      try failure("HangingTests.\(test)", at: mark, in: "Hanging.swift", message)
    }

    private func failure(
      _ test: String, at mark: String, in file: String, _ message: String
    ) throws -> Failure {
      Failure(test: test, place: try FixtureLine(mark, in: file).path, message: message)
        .withoutFunctionsAndOutput
    }

    private func tooManySteps(
      _ tasks: String, of limit: Int = 1000, at now: String = "0 s"
    ) -> String {
      """
      The simulation did not come to an end: \(limit) steps were taken, and virtual time is \(now). These \
      tasks took the most:
        \(tasks)
      This is usually a loop that sleeps or yields, or a repeating timer, and nothing cancels it. \
      Cancel it when the test has seen enough, start it in Simulation.background { ... } if it is \
      meant to live on, or raise stepLimit.
      """
    }

    private var deadlock: String {
      """
      The simulation is deadlocked at 0 s: nothing can run, nothing is due, and the body has \
      not ended.
        task 1: suspended since 0 s
      This is usually a continuation that is never resumed, a stream that is never finished, or tasks \
      that wait for each other.
      Threads and the network are not simulated; the simulation waits 500 ms for \
      them. Inject a double there, or run the call in Simulation.outside { ... }.
      """
    }

    private var tooLate: String {
      """
      The simulation did not come to an end: virtual time is 0 s, and the next deadline lies beyond \
      timeLimit: 7200 s.
        task 1: asleep until 7201 s since 0 s
      This is usually a loop that sleeps, or a repeating timer, and nothing cancels it. \
      Cancel it, start it in Simulation.background { ... }, or raise timeLimit. A sleep until a distant \
      date has the same effect.
      """
    }
  }

  extension FixtureRun.Failure {
    private static let printed = [
      "torn down", "the rest ran", "ran after setUp", "went on", "error: true", "the last test",
      "ran outside",
    ]

    /// Without the functions that tasks wait in, which differ with the optimiser, and without what the
    /// test printed next.
    fileprivate var withoutFunctionsAndOutput: Self {
      var failure = self
      #if !DEBUG
        // In optimised code the line of a suspension is imprecise.
        failure.place = String(place.prefix { $0 != ":" })
      #endif
      failure.message = message.split(separator: "\n")
        .filter { line in !Self.printed.contains { line.hasPrefix($0) } }
        .map { $0.prefix(upTo: $0.firstRange(of: ", in ")?.lowerBound ?? $0.endIndex) }
        .joined(separator: "\n")
      return failure
    }
  }
#endif
