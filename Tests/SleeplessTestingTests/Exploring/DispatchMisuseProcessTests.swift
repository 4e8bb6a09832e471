import Foundation
import TestSupport
import Testing

// Misuse of Dispatch stops the process, and only another process can see that.
#if os(Linux)
  @Suite(.needs(.queues), .timeLimit(.minutes(10))) struct DispatchMisuseProcessTests {
    @Test(arguments: ["leavesAGroupTooOften", "releasesASemaphoreInUse", "callsDispatchMain"])
    func `misuse of Dispatch stops the process, which says what replays the schedule`(
      test: String
    ) async throws {
      // No schedules of other processes are there.
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("misuse-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let run = try await FixtureRun(
        [
          "swift-testing", "misuse", "sync", "--testing-library", "swift-testing",
          "--filter", "ReportingFixture.DispatchMisuse/\(test)",
        ], environment: ["TMPDIR": folder, "SWIFT_BACKTRACE": "enable=no"])
      // Dispatch stops the process, and prints nothing.
      #expect(run.status != 0 && run.status != 1, "\(run.output)")
      #expect(!run.output.contains("Fatal error"), "\(run.output)")
      let place = "ReportingFixture/DispatchMisuse.swift/\(test)(), schedule 1"
      #expect(
        run.output.contains("the process crashed while it explored schedules of \(place)"),
        "\(run.output)")
      #expect(run.output.contains(/SLEEPLESS_REPLAY=\S+/), "\(run.output)")
    }

    /// A misuse, where the fixture commits it, and in a test of which framework.
    static let misuses = [
      ("leavesAGroupTooOften", "task"), ("leavesAGroupTooOften", "queue"),
      ("releasesASemaphoreInUse", "task"), ("releasesASemaphoreInUse", "queue"),
      // On Linux this stops the process only in a block.
      ("callsDispatchMain", "queue"),
    ]

    @Test(arguments: misuses, ["swift-testing", "xctest"])
    func `misuse of Dispatch stops a simulated test as any other program`(
      misuse: (name: String, place: String), framework: String
    ) async throws {
      let options = ["--testing-library", "swift-testing", "--filter", "SimulatedDispatchMisuse"]
      let run = try await FixtureRun(
        [framework, misuse.name, misuse.place] + (framework == "xctest" ? [] : options),
        environment: ["SWIFT_BACKTRACE": "enable=no"])
      // Dispatch stops the process by an illegal instruction, and prints nothing.
      #expect([SIGILL, SIGTRAP].contains(run.status), "\(run.output)")
      #expect(run.output.contains("misuses Dispatch\n"), "\(run.output)")
      #expect(!run.output.contains("went on"), "\(run.output)")
      #expect(!run.output.contains("Fatal error"), "\(run.output)")
    }
  }
#endif
