import Testing
import TestSupport

// Beside other tests something always goes on, so a process at rest is one of its own.
#if os(Linux)
  @Suite(.serialized, .needs(.capture), .timeLimit(.minutes(10))) struct RestProcessTests {
    private static let rest = "nothing goes on in the process any more, and nothing came for 50 ms"

    private func failures(_ filter: String, _ environment: [String: String] = [:]) async throws
      -> [String]
    {
      let run = try await FixtureRun.swiftTesting("Rest/\(filter)", environment: environment)
      #expect(run.output.contains("Test run with"), "\(run.output)")
      return run.swiftTestingFailures.map {
        // The times and the number of evaluations vary.
        "\($0.place) \($0.message)".replacing(/now: [^,)]*/, with: "now: *")
          .replacing(/evaluated \d+ times/, with: "evaluated * times")
          .replacing(#/ {2}[\d.]+ (?:us|ms|s) {2}/#, with: "  *  ").replacing(#/ x\d+/#, with: "")
      }
    }

    private func place(_ mark: String) throws -> String {
      try FixtureLine("rest \(mark)", in: "Rest.swift").name
    }

    // Release builds run under the thread sanitizer. It has a thread of its own, which is never known to wait.
    #if DEBUG
      @Test func `W3 a condition fails soon after the process has come to rest`() async throws {
        #expect(
          try await failures("condition") == [
            "\(place("condition")) \(FailureText.aConditionAtRest)"
          ]
        )
      }

      @Test func `W3 a condition fails soon at rest after a simulation, too`() async throws {
        #expect(
          try await failures("afterSimulation") == [
            "\(place("after a simulation")) \(FailureText.aConditionAtRest)"
          ]
        )
      }

      @Test
      func `W3 a recorder, AssertState and a clock fail soon after the process has come to rest`()
        async throws
      {
        #expect(
          try await failures("(recorder|comparison|states|sleepers)") == [
            "\(place("recorder")) \(FailureText.aRecorderAtRest)",
            """
            \(place("comparison")) "numbers" differs from what was expected, first at event 1:
                 expected  actual
            > 1  1         -
            No more came: \(Self.rest) (now: *).
            """,
            """
            \(place("states")) assert() expected 3 values from the publisher, but only 1 came: \(Self.rest).
            So far (now: *):
              1  *  0
            \(FailureText.adviceAtRest)
            """,
            """
            \(place("sleepers")) Expected 1 task asleep on the clock, saw 0: \(Self.rest). Pending (now: *):
              nothing
            Was the code under test started? Does it sleep on this clock? A task that has something else to wait for \
            does not count.
            """,
          ])
      }
    #endif

    @Test(arguments: ["event", "timerSignal", "evaluations", "look"])
    func `W1 what may still come to a process is waited for`(test: String) async throws {
      #expect(try await failures(test) == [])
    }

    @Test func `W1 the environment variable gives waits their whole time at rest`() async throws {
      #expect(
        try await failures("unshortened", ["SLEEPLESS_GUARD_SECONDS": "1.2"]) == [
          """
          \(place("unshortened")) eventually expected its condition to become true, but it stayed false: 1.2 s of \
          real time went by.
          So far (now: *, evaluated * times):
            1  *  false
          Was the code started? Does the condition read the right state?
          """
        ])
    }
  }
#endif
