import Testing

// The setting is read once in a process, so each test needs one of its own.
#if os(Linux)
  @Suite(.timeLimit(.minutes(10))) struct GuardProcessTests {
    @Test func `W1 the environment variable says how long to wait at most`() async throws {
      let run = try await FixtureRun(
        ["waiting"], environment: ["SLEEPLESS_GUARD_SECONDS": "0.001"])
      let line = try FixtureLine("waiting", in: "Fixture.swift")
      let text = """
        \(line.path): error: Expected 1 task asleep on the clock, saw 0: 1 ms of real time went by \
        without it. Pending (now: 0 s):
          nothing
        Was the code under test started? Does it sleep on this clock? A task that has \
        something else to wait for does not count.

        """
      #expect(run.output == text)
      #expect(run.status == 1)
    }
  }
#endif
