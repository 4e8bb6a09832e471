import CRuntimeHooks
import Foundation
import SleeplessSimulation
import TestSupport
import Testing

// A process samples each fact once. So each test starts the fixture as a new process. The variable
// SLEEPLESS_RUNTIME makes that process treat a fact as missing, or print the report.
#if os(Linux)
  @Suite(.serialized, .timeLimit(.minutes(10))) struct MissingFactProcessTests {
    static let facts = (0..<sleepless_fact_count.rawValue).map {
      String(cString: sleepless_fact_name(sleepless_fact($0)))
    }
    static let factsOfSimulations = facts.prefix(Int(sleepless_fact_of_searches.rawValue))
    static let factsOfSearches = facts.prefix(Int(sleepless_fact_of_better_searches.rawValue))
      .dropFirst(factsOfSimulations.count)

    /// Why a process with `SLEEPLESS_RUNTIME=public` captures no tasks: it also lacks what this one lacks, unless
    /// this one's setting takes a fact away.
    static let reason: String = {
      let setting = ProcessInfo.processInfo.environment["SLEEPLESS_RUNTIME"] ?? ""
      let obstacle = setting.hasPrefix("without:") ? nil : RuntimeVerdict.obstacle
      return obstacle ?? "SLEEPLESS_RUNTIME=public switches that off"
    }()

    #if SLEEPLESS_AS_ON_APPLE
      static let hint = ""
    #else
      static let hint = " SLEEPLESS_RUNTIME=report prints what was checked."
    #endif

    private func run(_ test: String, _ setting: String) async throws -> FixtureRun {
      try await FixtureRun(
        [
          "swift-testing", "calm", "sync", "--testing-library", "swift-testing", "--filter",
          "ReportingFixture.MissingFacts/\(test)",
        ],
        environment: [
          "SLEEPLESS_RUNTIME": setting, "SWIFT_BACKTRACE": "enable=no",
          // Where memory cannot be searched, the check for leaks waits for the whole timeout.
          "SLEEPLESS_GUARD_SECONDS": "1",
        ])
    }

    @Test(.needs(.capture))
    func `X1 every fact is sampled and holds here, and the report lists it`() async throws {
      let run = try await run("outside", "report")
      for fact in Self.facts {
        #expect(run.output.contains("  holds        \(fact) "), "\(run.output)")
      }
      #expect(run.output.contains("\nSleepless: the tasks of this process are captured.\n"))
      #expect(run.status == 0)
    }

    /// One run, because a process starts slowly: `settle` fails because the process is not captured, and
    /// code outside simulations and a simulation of child tasks pass.
    @Test(.needs(.capture), arguments: factsOfSimulations)
    func `X1 without a fact the process is not captured, and the first failure names the fact`(
      fact: String
    ) async throws {
      let cause = fact == "stand-ins" ? " (-static-stdlib is the usual cause)" : ""
      let run = try await run("(outside|settling|simulating)", "without:\(fact)")
      let failures = run.swiftTestingFailures
      let places = try ["first settle", "second settle", "simulated task"].map {
        try FixtureLine($0, in: "MissingFacts.swift").name
      }
      try #require(failures.map(\.place) == places, "\(run.output)")
      #expect(
        failures[0].message == """
          settle() cannot follow the tasks of this test: this process's tasks cannot be captured.
          The reason: with Swift 6.3 on Linux this does not hold: \(statement(of: fact)) (\(fact))\(cause).
          Everything works that needs no capture: schedulers and clocks that the code takes by protocol, \
          recorders, doubles, eventually, always and never. simulate controls async functions, child tasks \
          and actors, but neither Task {} nor sleeps in it. SLEEPLESS_RUNTIME=report prints what was checked.
          Await what the test started, or wait for its effect with eventually.
          """)
      #expect(failures[1].message == FailureText.aRestWithoutTheCapture)
      #expect(
        failures[2].message == """
          Once a task was resumed from outside the simulation.
          The simulation does not control when that happens, so another run may differ. This is usually a \
          dispatch queue, a network call, a timer or a thread of the code's own. Inject a scheduler or a \
          double there, or run the call in Simulation.outside { ... }, which stops virtual time until it returns.
          This process's tasks cannot be captured, so tasks may have run outside the simulation.
          The first failure of this kind says why.
          """)
      for test in ["outside", "simulatingChildTasks"] {
        #expect(run.output.contains("Test \(test)() passed"), "\(run.output)")
      }
    }

    private func statement(of fact: String) -> String {
      let number = Self.facts.firstIndex(of: fact)!
      return String(cString: sleepless_fact_statement(sleepless_fact(UInt32(number))))
    }

    @Test(.needs(.memorySearch), arguments: factsOfSearches)
    func
      `X1 without a fact about memory a leak is found, and the failure says why no path is shown`(
        fact: String
      ) async throws
    {
      let run = try await run("(outside|leaking)", "without:\(fact)")
      let place = try FixtureLine("leak", in: "MissingFacts.swift").name
      #expect(run.swiftTestingFailures.map(\.place) == [place], "\(run.output)")
      #expect(
        run.swiftTestingFailures.first?.message == """
          Owner was not deallocated. Memory is not searched for what holds it, because this does not hold: \
          \(statement(of: fact)) (\(fact)).
          Look for a closure that captures it strongly, for a delegate or parent that is not weak, and for \
          a task, timer or subscription that has not ended.
          """, "\(run.output)")
      #expect(run.output.contains("Test outside() passed"), "\(run.output)")
    }

    @Test(.needs(.threadValues))
    func `X1 without the fact about thread-specific values only these are not searched`()
      async throws
    {
      let run = try await run("(leaking|keepingInAThread)", "without:thread-values")
      let place = try FixtureLine("leak", in: "MissingFacts.swift").name
      let placeOfThread = try FixtureLine("kept by a thread", in: "MissingFacts.swift").name
      let failures = Dictionary(run.swiftTestingFailures.map { ($0.place, $0.message) }) { one, _ in
        one
      }
      #expect(run.swiftTestingFailures.count == 2, "\(run.output)")
      #expect(
        failures[place] == """
          Owner was not deallocated: it keeps itself alive.
            Owner.closure -> closure capturing Owner
          Make one of these references weak or unowned, or release it when its work is done: set it to \
          nil, remove the observer, cancel the timer or the subscription.
          """, "\(run.output)")
      #expect(
        failures[placeOfThread]?.replacing(#/\d+ objects?\b/#, with: "*") == """
          Owner was not deallocated: 1 strong reference to it left, in places that the search does not reach.
          Searched without result: the object itself (*); static properties and global variables (*); \
          NotificationCenter.default (*); OperationQueue.main (*); all memory.
          It may be held by a variable of a function that has not returned, by a closure on a queue, by a \
          thread-specific value, or by C code.
          """, "\(run.output)")
    }

    @Test(.needs(.memorySearch))
    func `X1 without the fact about snapshots a leak is found as with it`() async throws {
      let run = try await run("(leaking|keepingInAThread)", "without:memory-snapshots")
      #expect(
        Set(run.swiftTestingFailures.compactMap(\.message.firstLine)) == [
          "Owner was not deallocated: it keeps itself alive.",
          "Owner was not deallocated: a thread-specific value holds it.",
        ], "\(run.output)")
    }

    @Test(.needs(.objectBirths))
    func `without the fact object-births assertNoGrowth fails and runs nothing`() async throws {
      let run = try await run("growing", "without:object-births")
      let place = try FixtureLine("growth", in: "MissingFacts.swift").name
      #expect(run.swiftTestingFailures.map(\.place) == [place], "\(run.output)")
      #expect(
        run.swiftTestingFailures.first?.message == """
          assertNoGrowth cannot count objects here. Nothing was run.
          It needs Linux, with Swift's runtime as a shared library (not -static-stdlib), and the fact \
          object-births. On Linux SLEEPLESS_RUNTIME=report prints whether that fact holds.
          """, "\(run.output)")
    }

    @Test(.needs(.capture))
    func `X1 X2 without the fact about waits they take real time, and a line says why`()
      async throws
    {
      let run = try await FixtureRun(
        ["xctest", "waiting", "sync"], environment: ["SLEEPLESS_RUNTIME": "without:waits"])
      let fact = String(cString: sleepless_fact_statement(sleepless_fact_waits))
      let text = """
        Sleepless: waits for expectations take real time in simulations. With Swift 6.3 on Linux this does \
        not hold: \(fact) (waits). The page "Where it works" lists what follows. SLEEPLESS_RUNTIME=report \
        prints all facts.
        """
      #expect(run.output.split(separator: "\n").count { $0 == text } == 1, "\(run.output)")
      #expect(run.output.contains("Executed 2 tests, with 0 failures"), "\(run.output)")
    }

    @Test(.needs(.capture))
    func `X1 X2 without the fact about blocking calls they take real time, and a line says why`()
      async throws
    {
      let run = try await run("simulating", "without:blocking-calls")
      let fact = String(cString: sleepless_fact_statement(sleepless_fact_blocking_calls))
      let text = """
        Sleepless: sleeps of threads and waits for semaphores and groups take real time in simulations. With \
        Swift 6.3 on Linux this does not hold: \(fact) (blocking-calls). The page "Where it works" lists what \
        follows. SLEEPLESS_RUNTIME=report prints all facts.
        """
      #expect(run.output.split(separator: "\n").count { $0 == text } == 1, "\(run.output)")
      #expect(run.swiftTestingFailures.isEmpty, "\(run.output)")
    }

    @Test(.needs(.operations))
    func `X1 without the fact about conditions a wait for one on the main thread fails, and ends`()
      async throws
    {
      let run = try await FixtureRun(
        ["xctest", "real-condition", "sync"],
        environment: [
          "SLEEPLESS_RUNTIME": "without:conditions", "SLEEPLESS_GUARD_SECONDS": "1",
          "SWIFT_BACKTRACE": "enable=no",
        ])
      let fact = String(cString: sleepless_fact_statement(sleepless_fact_conditions))
      let place = try FixtureLine("a real wait", in: "MissingFacts.swift").path
      let failure = run.xctestFailures.first
      #expect(failure?.place == place, "\(run.output)")
      // The text of the end of the process follows.
      #expect(
        failure?.message.hasPrefix(
          """
          The test has waited on the main thread for 1 s of real time (virtual time: 0 s), and the simulation \
          cannot go on meanwhile:
            the test: waiting for what takes real time here since 0 s
            task 1 "queue com.apple.root.default-qos": able to run since 0 s
          Such a wait takes real time here: with Swift 6.3 on Linux this does not hold: \(fact) (conditions).
          The process ends, because XCTest could run no other test. Call settle() before the wait, or make the \
          test async and await. If code outside the simulation ends the wait, raise SLEEPLESS_GUARD_SECONDS.

          """) == true, "\(run.output)")
      #expect(run.status != 0)
    }

    @Test(.needs(.runLoops), .needs(.clocks))
    func `X1 X2 without the fact about run loops a real run lets the simulation go on`()
      async throws
    {
      let run = try await FixtureRun(
        ["xctest", "real-run-loop", "sync"], environment: ["SLEEPLESS_RUNTIME": "without:run-loops"]
      )
      #expect(run.output.contains("Executed 1 test, with 0 failures"), "\(run.output)")
    }

    @Test(.needs(.capture))
    func `X1 X2 without the fact about dates they are real, and a line says why`() async throws {
      let run = try await run("simulating", "without:dates")
      let text = FailureText.realDates
      #expect(run.output.split(separator: "\n").count { $0 == text } == 1, "\(run.output)")
      #expect(run.swiftTestingFailures.isEmpty, "\(run.output)")
    }

    @Test func `asyncAssert tries again where tasks cannot be followed, and reports the last try`()
      async throws
    {
      let run = try await run("asserting", "public")
      let places = try ["asserting here", "asserting never"].map {
        try FixtureLine($0, in: "MissingFacts.swift").name
      }
      #expect(run.output.contains("Test assertingLater() passed"), "\(run.output)")
      #expect(run.swiftTestingFailures.map(\.place).sorted() == places.sorted(), "\(run.output)")
      for failure in run.swiftTestingFailures {
        expect(failure, unfulfilled: "one is two", because: "Expectation failed: 1 == 2")
      }
    }

    @Test func `asyncAssert does so in XCTest, in synchronous tests too`() async throws {
      let run = try await FixtureRun(
        ["xctest", "unfollowed", "sync"],
        environment: ["SLEEPLESS_RUNTIME": "public", "SLEEPLESS_GUARD_SECONDS": "1"])
      let places = try ["unfollowed here", "unfollowed"].map {
        try FixtureLine($0, in: "MissingFacts.swift").path
      }
      #expect(run.xctestFailures.map(\.place) == places, "\(run.output)")
      for failure in run.xctestFailures {
        let text = "XCTAssertEqual failed: (\"1\") is not equal to (\"2\") - "
        expect(failure, unfulfilled: "twice", because: text)
      }
    }

    /// Expects the failure of assertions that never held; times and counts differ.
    private func expect(
      _ failure: FixtureRun.Failure, unfulfilled description: String, because text: String
    ) {
      let opening = #"eventually "\#(description)" expected its assertions to hold, but they "#
      #expect(failure.message.hasPrefix(opening) && failure.message.contains(text), "\(failure)")
    }

    @Test func `without the capture the end at the step limit lists no tasks`() async throws {
      let run = try await run("endingAtTheStepLimit", "public")
      let place = try FixtureLine("too many steps", in: "MissingFacts.swift").name
      #expect(run.swiftTestingFailures.map(\.place) == [place], "\(run.output)")
      #expect(
        run.swiftTestingFailures.first?.message == """
          The simulation did not come to an end: 100 steps were taken, and virtual time is 0 s. These \
          tasks took the most:
            (no task is known)
          This is usually a loop that sleeps or yields, or a repeating timer, and nothing cancels it. \
          Cancel it when the test has seen enough, start it in Simulation.background { ... } if it is \
          meant to live on, or raise stepLimit.
          This process's tasks cannot be captured, so tasks may have run outside the simulation.
          The reason: \(Self.reason).
          Everything works that needs no capture: schedulers and clocks that the code takes by protocol, \
          recorders, doubles, eventually, always and never. simulate controls async functions, child \
          tasks and actors, but neither Task {} nor sleeps in it.\(Self.hint)
          """, "\(run.output)")
    }

    @Test func `a SimulatedTestCase runs no test where it cannot simulate, and says so`()
      async throws
    {
      let run = try await FixtureRun(
        ["xctest", "uncaptured", "sync"], environment: ["SLEEPLESS_RUNTIME": "public"])
      // No function has the name of the second test.
      let settings = try FixtureLine("settings of a simulated test case", in: "MissingFacts.swift")
      #if SLEEPLESS_AS_ON_APPLE
        let place = settings.path  // no lines are looked up there
      #else
        let place = try FixtureLine("uncaptured test", in: "MissingFacts.swift").path
      #endif
      let opening = """
        The tests of a SimulatedTestCase cannot be simulated here: this process's tasks cannot be captured. \
        The test was not run.
        """
      let ending = "Make it a test of an XCTestCase, and wrap its code in simulate { ... }."
      #expect(
        run.xctestFailures == [
          FixtureRun.Failure(
            test: "UncapturedTests.testSleep", place: place,
            message: """
              \(opening)
              The reason: \(Self.reason).
              Everything works that needs no capture: schedulers and clocks that the code takes by protocol, \
              recorders, doubles, eventually, always and never. simulate controls async functions, child \
              tasks and actors, but neither Task {} nor sleeps in it.\(Self.hint)
              \(ending)
              """),
          FixtureRun.Failure(
            test: "UncapturedTests.testSleepAgain", place: settings.path,
            message: FailureText.anUncapturedTestCase),
        ], "\(run.output)")
    }

    @Test(arguments: ["report", "public"])
    func `X2 code outside simulations has the same results, captured or not`(
      setting: String
    ) async throws {
      let run = try await run("outside", setting)
      #expect(run.output.contains("Test outside() passed"), "\(run.output)")
      #expect(run.status == 0)
    }

    @Test func `an exploration that cannot capture the process gives the reason in its failure`()
      async throws
    {
      let run = try await run("exploring", "public")
      let reason = "The reason: \(Self.reason).\n"
      #expect(run.swiftTestingFailures.contains { $0.message.contains(reason) }, "\(run.output)")
    }

    @Test func `X3 where the setting switches the capture off, settle fails and names the setting`()
      async throws
    {
      let run = try await run("settling", "public")
      #expect(
        run.swiftTestingFailures.first?.message.contains(
          "The reason: \(Self.reason).\n") == true, "\(run.output)")
    }
  }
#endif
