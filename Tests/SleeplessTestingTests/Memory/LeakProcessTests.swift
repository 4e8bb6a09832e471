import Testing
import TestSupport

// Whether a failure at the very end of a test still fails it can only be seen from outside.
#if os(Linux)
  @Suite(.serialized, .timeLimit(.minutes(10))) struct LeakProcessTests {
    typealias Failure = FixtureRun.Failure

    private let file = "Leaks.swift"
    /// Where memory is not searched, a leak takes the whole timeout.
    private let timeout = Need.memorySearch.isMet ? [:] : ["SLEEPLESS_GUARD_SECONDS": "1"]

    @Test func `F1 in XCTest a leak is reported once, at its line, and fails the run`() async throws
    {
      let run = try await FixtureRun.xctest("leaks", environment: timeout)
      let line = try FixtureLine("XCTest leak", in: file)
      #expect(
        run.xctestFailures
          == [Failure(test: "LeakTests.testLeaking", place: line.path, message: text)])
      #expect(run.output.contains("Executed 2 tests, with 1 failure (0 unexpected)"))
      #expect(run.status == 1)
    }

    @Test func `F1 in Swift Testing a leak is reported once, at its line, and fails the run`()
      async throws
    {
      let run = try await FixtureRun.swiftTesting("Leaks/", environment: timeout)
      let line = try FixtureLine("Swift leak", in: file)
      #expect(
        run.swiftTestingFailures
          == [Failure(test: "leaking()", place: line.name, message: text)])
      #expect(run.output.contains("with 2 tests") && run.output.contains("with 1 issue"))
      #expect(run.status == 1)
    }

    @Test(.needs(.capture), .needs(.memorySearch))
    func `in a SimulatedTestCase a leak is reported as a leak, and the next test runs`()
      async throws
    {
      let run = try await FixtureRun(
        ["xctest", "simulated-leaks", "sync"], environment: ["SLEEPLESS_GUARD_SECONDS": "0.3"])
      let tests = ["expected", "tracked", "tracked synchronously", "growing"]
      #expect(
        run.xctestFailures.map(\.place)
          == (try tests.map { try FixtureLine("simulated \($0)", in: file).path }))
      let held = "Playlist was not deallocated: a static property or a global variable holds it."
      #expect(
        run.xctestFailures.map { $0.message.prefix { $0 != "\n" } }
          == [
            held[...], held[...], held[...],
            "Objects of 1 type stayed behind in each of 4 rounds:",
          ])
      #expect(run.output.contains("Executed 5 tests, with 4 failures (0 unexpected)"))
      // The first search samples its facts on a thread, which is not the test's.
      #expect(!run.output.contains("begun at"))
    }

    private let text =
      Need.memorySearch.isMet
      ? """
      Playlist was not deallocated: it keeps itself alive.
        Playlist.next -> Playlist
      Make one of these references weak or unowned, or release it when its work is done: set it to \
      nil, remove the observer, cancel the timer or the subscription.
      """ : Leak.unsearched("Playlist")
  }
#endif
