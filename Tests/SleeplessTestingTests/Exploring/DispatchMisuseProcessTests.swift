import Foundation
import TestSupport
import Testing

// Misuse of Dispatch stops the process, and only another process can see that.
#if os(Linux)
  @Suite(.needs(.capture), .timeLimit(.minutes(10))) struct DispatchMisuseProcessTests {
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
  }
#endif
