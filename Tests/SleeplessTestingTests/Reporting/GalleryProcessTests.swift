import Foundation
import TestSupport
import Testing

// The tests of FailureMessages.md that fail under XCTest, with a setting of the whole process, or after a crash: the
// fixture runs them, and their output is compared with the page.
#if os(Linux)
  @Suite(.needs(.capture), .serialized, .timeLimit(.minutes(10))) struct GalleryProcessTests {
    @Test func `F3 tests of XCTest fail as the page shows`() async throws {
      let run = try await FixtureRun.xctest("gallery", environment: Self.shortTimeout)
      for test in [
        "testNumbersCome", "testAQueueSettles", "testSecond", "testTheServerDoesNotAnswer",
        "testTheMainThreadWaits",
      ] {
        let failure = run.xctestFailures.first { $0.test.hasSuffix(".\(test)") }
        try expect(failure?.message, of: test, in: run)
      }
    }

    @Test func `F3 a test that keeps the main thread fails as the page shows`() async throws {
      let run = try await FixtureRun.xctest("gallery-lock", environment: Self.shortTimeout)
      try expect(run.xctestFailures.first?.message, of: "testALockIsHeldWhileTasksRun", in: run)
    }

    @Test func `F3 a test case that cannot be simulated fails as the page shows`() async throws {
      let run = try await FixtureRun.xctest(
        "gallery-uncaptured", environment: ["SLEEPLESS_RUNTIME": "public"])
      try expect(run.xctestFailures.first?.message, of: "testTheCartIsEmpty", in: run)
    }

    @Test func `F3 a test that keeps a thread fails as the page shows`() async throws {
      let test = "`a task blocks its thread while time is advanced`"
      let run = try await run(test, Self.shortTimeout)
      try expect(run.swiftTestingFailures.first?.message, of: test, in: run)
    }

    @Test(arguments: [
      ("public", "`tasks cannot be followed`"),
      ("public", "`a search is cancelled at each suspension`"),
      ("without:object-births", "`objects cannot be counted`"),
    ])
    func `F3 without a fact about the runtime a test fails as the page shows`(
      setting: String, test: String
    ) async throws {
      let run = try await run(test, ["SLEEPLESS_RUNTIME": setting])
      try expect(run.swiftTestingFailures.first?.message, of: test, in: run)
    }

    @Test func `F3 without the fact about dates a process prints what the page shows`() async throws
    {
      let test = "`a date is an hour later`"
      let run = try await run(test, ["SLEEPLESS_RUNTIME": "without:dates"])
      let lines = run.output.split(separator: "\n").filter { $0.hasPrefix("Sleepless: ") }
      try expect(lines.joined(separator: "\n"), of: test, in: run)
    }

    // The optimiser changes the steps of schedules.
    #if DEBUG
      @Test func `F3 a test that has killed a process warns as the page shows`() async throws {
        let folder = FileManager.default.temporaryDirectory
          .appendingPathComponent("gallery-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let test = "`the process dies in a schedule`"
        let environment = ["TMPDIR": folder.path, "SWIFT_BACKTRACE": "enable=no"]
        _ = try await run(test, environment)
        let next = try await run(test, environment)
        let warning = next.output.firstMatch(of: /↳ (The last process (?:.|\n)*?next await\.)\n/)
        let text = warning.map { $0.1.replacing("\n  ", with: "\n") }
        try expect(text.map(String.init), of: test, in: next)
      }
    #endif

    private static let shortTimeout = ["SLEEPLESS_GUARD_SECONDS": "0.1"]

    private func run(_ test: String, _ environment: [String: String]) async throws -> FixtureRun {
      try await FixtureRun.swiftTesting("ProcessMessages/\(test)", environment: environment)
    }

    private func expect(_ text: String?, of test: String, in run: FixtureRun) throws {
      let shown = try MessageCatalogue.documented.output(of: test)
      // The optimiser may take functions from the lists of tasks.
      #if DEBUG
        let isAsShown = text?.withoutPlaces == shown?.withoutPlaces
      #else
        let isAsShown = text?.firstLine == shown?.firstLine
      #endif
      #expect(
        isAsShown && text != nil,
        """
        FailureMessages.md must show for \(test):
        <<<
        \(text ?? run.output)
        >>>
        """)
    }
  }
#endif
