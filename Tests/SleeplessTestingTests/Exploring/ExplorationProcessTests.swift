import Foundation
import Testing
import TestSupport

// Only another process can see what outlives a process: each test runs the fixture, one process at a
// time.
#if os(Linux)
  @Suite(.serialized, .timeLimit(.minutes(10))) struct ExplorationProcessTests {
    /// No schedules of other processes are there.
    private let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("exploration-\(UUID().uuidString)").path

    private func run(
      _ test: String, _ scenario: String = "calm", replay: String = "", attachments: String? = nil
    ) async throws -> FixtureRun {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      return try await FixtureRun(
        [
          "swift-testing", scenario, "sync", "--testing-library", "swift-testing",
          "--filter", "ReportingFixture.Explorations/\(test)",
        ] + (attachments.map { ["--attachments-path", $0] } ?? []),
        environment: [
          "TMPDIR": folder, "SLEEPLESS_REPLAY": replay,
          // A crash that is meant needs no backtrace, and under the thread sanitizer gets none.
          "SWIFT_BACKTRACE": "enable=no",
        ])
    }

    private func replay(in run: FixtureRun) -> String? {
      run.output.firstMatch(of: /SLEEPLESS_REPLAY=(\S+)/).map { String($0.1) }
    }

    @Test func `S7 a failure is replayed in a fresh process, at its line`() async throws {
      let line = try FixtureLine("explored expectation", in: "Explorations.swift")
      let found = try await run("overtaken")
      let string = try #require(replay(in: found), "\(found.output)")
      #expect(found.status != 0 && found.output.contains("at \(line.name):"))
      for _ in 0..<3 {
        let again = try await run("overtaken", replay: string)
        #expect(again.status != 0 && again.output.contains("at \(line.name):"), "\(again.output)")
        #expect(again.output.contains("The replayed schedule fails: "))
        #expect(replay(in: again) == string)
      }
    }

    @Test(.needs(.capture))
    func `S9 a failure in a detached task is its schedule's, found and replayed`()
      async throws
    {
      let line = try FixtureLine("detached expectation", in: "Explorations.swift")
      let found = try await run("detached\\(")
      let string = try #require(replay(in: found), "\(found.output)")
      #expect(found.status != 0 && !found.output.contains("«unknown»"))
      #expect(
        found.output.contains(
          """
          Schedule 2 of 500 fails: a failure at \(line.name). To replay it: .explored(replay: \
          "\(string)"), or in the environment SLEEPLESS_REPLAY=\(string)
          """))
      let again = try await run("detached\\(", replay: string)
      #expect(again.status != 0 && !again.output.contains("«unknown»"))
      #expect(again.output.contains("✘ Test detached() recorded an issue at \(line.name):"))
      #expect(again.output.contains("The replayed schedule fails: "))
      #expect(replay(in: again) == string)
    }

    @Test(.needs(.capture)) func `a failure in a detached task of a simulated test is that test's`()
      async throws
    {
      let line = try FixtureLine("simulated detached", in: "Explorations.swift")
      let found = try await run("simulatedDetached")
      let failure = FixtureRun.Failure(
        test: "simulatedDetached()", place: line.name, message: "a detached task failed")
      #expect(found.status != 0 && found.swiftTestingFailures == [failure])
    }

    @Test func `S9 a failure on a thread is the schedule's that is under way`() async throws {
      let line = try FixtureLine("thread expectation", in: "Explorations.swift")
      let found = try await run("thread")
      try expectSchedule2(in: found, at: line)
      // The framework prints it as well, and nothing can keep it from that.
      #expect(found.output.contains("Test «unknown» recorded an issue at \(line.name):"))
    }

    @Test(.needs(.capture))
    func `S9 a failure on a thread that a simulated test has begun is the test's`() async throws {
      let line = try FixtureLine("simulated thread", in: "Explorations.swift")
      let found = try await run("simulatedThread")
      #expect(found.status != 0)
      let failure =
        "A thread that this test has begun failed at \(line.name): Issue recorded: a thread failed"
      #expect(found.output.ranges(of: failure).count == 1, "\(found.output)")
      // The framework prints each once without its test, although two simulated tests run.
      let unknown = "Test «unknown» recorded an issue at \(line.name):"
      #expect(found.output.ranges(of: unknown).count == 2, "\(found.output)")
      #expect(found.output.contains("✘ Test simulatedThread() failed"), "\(found.output)")
      #expect(
        found.output.contains("✔ Test simulatedThreadThatPasses() passed"), "\(found.output)")
    }

    @Test(.needs(.queues)) func `S9 a failure on a queue is the schedule's and the test's`()
      async throws
    {
      let line = try FixtureLine("queue expectation", in: "Explorations.swift")
      let found = try await run("queue")
      try expectSchedule2(in: found, at: line)
      #expect(!found.output.contains("«unknown»"), "\(found.output)")
    }

    private func expectSchedule2(in found: FixtureRun, at line: FixtureLine) throws {
      let string = try #require(replay(in: found), "\(found.output)")
      #expect(found.status != 0)
      #expect(
        found.output.contains(
          """
          Schedule 2 of 500 fails: a failure at \(line.name). To replay it: .explored(replay: \
          "\(string)"), or in the environment SLEEPLESS_REPLAY=\(string)
          """))
    }

    @Test func `with several explorations at once no test is blamed, and the run fails`()
      async throws
    {
      let found = try await run("severalAtOnce")
      #expect(found.status != 0 && found.output.contains("Test «unknown» recorded an issue"))
      #expect(found.output.contains("✔ Test severalAtOnce() passed"), "\(found.output)")
    }

    @Test(.needs(.capture)) func `a detached task that no schedule has started fails none`()
      async throws
    {
      let found = try await run("detachedBeside")
      #expect(found.status != 0 && found.output.contains("Test «unknown» recorded an issue"))
      #expect(found.output.contains("✔ Test detachedBeside() passed"), "\(found.output)")
    }

    @Test(.needs(.capture)) func `the failing schedule is attached as text and as a page`()
      async throws
    {
      let attachments = "\(folder)/attachments"
      try FileManager.default.createDirectory(
        atPath: attachments, withIntermediateDirectories: true)
      let found = try await run("overtaken", "calm", attachments: attachments)
      let string = try #require(replay(in: found), "\(found.output)")
      let files = try FileManager.default.contentsOfDirectory(atPath: attachments).sorted()
      #expect(files == ["schedule.html", "schedule.txt"])
      func content(_ name: String) throws -> String {
        try String(contentsOfFile: "\(attachments)/\(name)", encoding: .utf8)
      }
      let text = try content("schedule.txt")
      #expect(text.hasPrefix("overtaken()\n\nSchedule "))
      #expect(text.contains("The whole schedule, with 1 switch:\n\ntime |"))
      #expect(text.contains(string))
      let page = try content("schedule.html")
      #expect(page.hasPrefix("<!doctype html>") && page.contains(">SLEEPLESS_REPLAY=\(string)<"))
      #expect(page.contains("<h2>Failure</h2>\n<pre>Expectation failed: "))
    }

    @Test func `a crash says which schedule was running, and that crashes again`() async throws {
      let crash = try await run("crashing", "crash")
      let line = "Sleepless: the process crashed while it explored schedules of "
      let name = "\(line)ReportingFixture/Explorations.swift/crashing(), schedule "
      #expect(crash.output.contains(name), "\(crash.output)")
      let string = try #require(replay(in: crash), "\(crash.output)")
      let again = try await run("crashing", "crash", replay: string)
      #expect(again.status != 0 && again.output.contains("the bug"), "\(again.output)")

      // The schedule of the crash is still there for the next process, once.
      let next = try await run("crashing")
      #expect(
        next.output.contains(
          """
          The last process that explored this test died within schedule 1. To replay it: \
          .explored(replay: "\(string)"), or in the environment SLEEPLESS_REPLAY=\(string)
          """))
      // The table goes up to the crash. Two steps of the tasks come before it in every configuration.
      #expect(next.output.contains("FAILS: the process ended"), "\(next.output)")
      if Need.capture.isMet {
        #expect(next.output.components(separatedBy: "starts").count == 3, "\(next.output)")
      }
      #expect(next.status == 0, "\(next.output)")
      #expect(try await !run("crashing").output.contains("died within schedule"))
    }

    @Test(.needs(.capture))
    func `a crash accuses only the exploration whose schedule crashed`() async throws {
      let crash = try await run("oneOfTwoCrashes", "crash")
      let accused = "Sleepless: the process crashed while it explored schedules of "
      #expect(crash.output.components(separatedBy: accused).count == 2, "\(crash.output)")
      let next = try await run("oneOfTwoCrashes")
      let warning = "The last process that explored this test died within schedule 1."
      #expect(next.output.components(separatedBy: warning).count == 2, "\(next.output)")
      #expect(next.status == 0, "\(next.output)")
    }

    @Test(.needs(.capture))
    func `a crash of a thread that ran no schedule accuses no exploration`() async throws {
      let doubt = "The thread that crashed ran no schedule, so this test may not be the cause."
      let crash = try await run("crashesBeside", "crash")
      #expect(crash.output.contains("crashesBeside(), schedule 1"), "\(crash.output)")
      #expect(crash.output.contains("\n\(doubt)\nReplay"), "\(crash.output)")
      let next = try await run("crashesBeside")
      let warning =
        "The last process that explored this test died within schedule 1. \(doubt) To replay it: "
      #expect(next.output.contains(warning), "\(next.output)")
      #expect(next.status == 0, "\(next.output)")
    }

    @Test(.needs(.capture))
    func `after a signal the next run names the schedule that was running`() async throws {
      let crash = try await run("crashesBeside", "signal")
      #expect(
        crash.output.contains(/crashesBeside\(\), schedule 1 *\nReplay/), "\(crash.output)")
      let next = try await run("crashesBeside")
      let warning =
        "The last process that explored this test died within schedule 1. To replay it: "
      #expect(next.output.contains(warning), "\(next.output)")
      #expect(next.status == 0, "\(next.output)")
    }
  }
#endif
