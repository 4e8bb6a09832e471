import CRuntimeHooks
import Testing

// A process samples the facts once, when it loads. So each test runs the fixture with the variable
// SLEEPLESS_RUNTIME, which denies a fact.
#if os(Linux) && !SLEEPLESS_PUBLIC_EXECUTORS
  @Suite(.serialized, .timeLimit(.minutes(10))) struct MissingFactTests {
    static let facts = (0..<sleepless_fact_count.rawValue).map {
      String(cString: sleepless_fact_name(sleepless_fact($0)))
    }
    static let factsOfSimulations = facts.prefix(Int(sleepless_fact_of_searches.rawValue))
    static let factsOfSearches = facts.dropFirst(factsOfSimulations.count)

    private func run(_ test: String, _ setting: String) async throws -> FixtureRun {
      try await FixtureRun(
        [
          "swift-testing", "calm", "sync", "--testing-library", "swift-testing", "--filter",
          "ReportingFixture.MissingFacts/\(test)",
        ],
        environment: ["SLEEPLESS_RUNTIME": setting, "SWIFT_BACKTRACE": "enable=no"])
    }

    @Test func `X1 every fact is sampled and holds here, and the report lists it`() async throws {
      let run = try await run("outside", "report")
      for fact in Self.facts {
        #expect(run.output.contains("  holds        \(fact) "), "\(run.output)")
      }
      #expect(run.output.contains("\nSleepless: the tasks of this process are captured.\n"))
      #expect(run.status == 0)
    }

    @Test(arguments: factsOfSimulations)
    func `X1 without a fact nothing is replaced, and a helper says once which fact it is`(
      fact: String
    ) async throws {
      let statement = String(
        cString: sleepless_fact_statement(
          sleepless_fact(UInt32(try #require(Self.facts.firstIndex(of: fact))))))
      let cause = fact == "stand-ins" ? " (-static-stdlib is the usual cause)" : ""
      let run = try await run("settling", "without:\(fact)")
      let places = try ["first settle", "second settle"].map {
        try FixtureLine($0, in: "MissingFacts.swift").name
      }
      #expect(run.swiftTestingFailures.map(\.place) == places, "\(run.output)")
      #expect(
        run.swiftTestingFailures.map(\.message) == [
          """
          settle() cannot follow the tasks of this test: this process's tasks cannot be captured.
          The reason: with Swift 6.3 on Linux this does not hold: \(statement) (\(fact))\(cause).
          Everything works that needs no capture: schedulers and clocks that the code takes by protocol, \
          recorders, doubles, eventually, always and never. simulate controls async functions, child tasks \
          and actors, but neither Task {} nor sleeps in it. SLEEPLESS_RUNTIME=report prints what was checked.
          Await what the test started, or wait for its effect with eventually.
          """,
          """
          settle() cannot follow the tasks of this test: this process's tasks cannot be captured.
          The first failure of this kind says why.
          Await what the test started, or wait for its effect with eventually.
          """,
        ])
    }

    @Test(arguments: facts + ["public"])
    func `X2 without a fact code outside simulations runs as it does without the library`(
      fact: String
    ) async throws {
      let run = try await run("outside", fact == "public" ? fact : "without:\(fact)")
      #expect(run.status == 0, "\(run.output)")
      #expect(run.output.contains("Test run with 1 test in 1 suite passed"), "\(run.output)")
    }

    @Test(arguments: factsOfSimulations)
    func `X1 without a fact a simulation runs child tasks, and says why it cannot run others`(
      fact: String
    ) async throws {
      let run = try await run("simulating", "without:\(fact)")
      let place = try FixtureLine("simulated task", in: "MissingFacts.swift").name
      #expect(run.swiftTestingFailures.map(\.place) == [place], "\(run.output)")
      let message = run.swiftTestingFailures.first?.message ?? ""
      #expect(
        message.hasPrefix("Once a task was resumed from outside the simulation:\n"), "\(message)")
      #expect(
        message.contains(
          """

          This process's tasks cannot be captured, so tasks may have run outside the simulation.
          The reason: with Swift 6.3 on Linux this does not hold: 
          """), "\(message)")
      #expect(message.contains(" (\(fact))"))
      #expect(run.output.contains("Test simulatingChildTasks() passed"), "\(run.output)")
    }

    @Test(arguments: factsOfSearches)
    func
      `X1 without a fact about memory a leak is found, and the failure says why no path is shown`(
        fact: String
      ) async throws
    {
      let statement = String(
        cString: sleepless_fact_statement(
          sleepless_fact(UInt32(try #require(Self.facts.firstIndex(of: fact))))))
      let run = try await run("leaking", "without:\(fact)")
      let place = try FixtureLine("leak", in: "MissingFacts.swift").name
      #expect(run.swiftTestingFailures.map(\.place) == [place], "\(run.output)")
      #expect(
        run.swiftTestingFailures.first?.message == """
          Owner was not deallocated. Memory is not searched for what holds it, because this does not hold: \
          \(statement) (\(fact)).
          Look for a closure that captures it strongly, for a delegate or parent that is not weak, and for \
          a task, timer or subscription that has not ended.
          """, "\(run.output)")
    }

    @Test func `the setting "public" is named as the reason`() async throws {
      let run = try await run("settling", "public")
      #expect(
        run.swiftTestingFailures.first?.message.contains(
          "The reason: SLEEPLESS_RUNTIME=public switches that off.\n") == true, "\(run.output)")
    }
  }
#endif
