import Foundation
import TestSupport
import Testing

// What frameworks print can only be seen from outside.
#if os(Linux)
  /// Swift Testing, XCTest and the measure of waits read real time while days pass in simulations (S4).
  @Suite(.needs(.blockingCalls), .serialized, .timeLimit(.minutes(10)))
  struct FrameworkTimeProcessTests {
    private let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("days-\(UUID().uuidString).json").path

    @Test func `S4 Swift Testing limits and reports the real time of a simulated test`()
      async throws
    {
      defer { try? FileManager.default.removeItem(atPath: file) }
      let run = try await FixtureRun.swiftTesting(
        "VirtualDayTests/", environment: ["SLEEPLESS_WAITS": file])
      #expect(run.status == 0, "\(run.output)")
      #expect(run.virtualTimes == [86_400], "\(run.output)")
      // The test, its suite and the run.
      #expect(run.durations.count == 3, "\(run.output)")
      #expect(run.durations.allSatisfy { $0 < 3600 }, "\(run.output)")
      let measured = try measuredDurations()
      #expect(measured.count == 1 && measured.allSatisfy { $0 < 3600 }, "\(measured)")
    }

    @Test(.needs(.virtualWaits), .needs(.queues))
    func `S4 XCTest measures, reports and dates in real time what a simulated test does`()
      async throws
    {
      defer { try? FileManager.default.removeItem(atPath: file) }
      let run = try await FixtureRun.xctest(
        "virtual-days", environment: ["SLEEPLESS_WAITS": file])
      // XCTest measures ten times. If the real times differ by much, as on a busy machine, it fails the test.
      #expect(run.virtualTimes == [86_400, 864_000], "\(run.output)")
      // Both tests and three suites.
      #expect(run.durations.count == 5, "\(run.output)")
      #expect(run.durations.allSatisfy { $0 < 3600 }, "\(run.output)")
      let average = try #require(
        run.output.firstMatch(of: /measured \[Time, seconds\] average: ([\d.]+),/)?.1)
      #expect(try #require(Double(average)) < 3600)
      let dates = try run.dates
      // When each of those began, and when each suite ended. Clocks may be put forward in between.
      #expect(dates.count == 8, "\(run.output)")
      #expect(try #require(dates.max()) < #require(dates.min()) + 43_200, "\(run.output)")
      let measured = try measuredDurations()
      #expect(measured.count == 2 && measured.allSatisfy { $0 < 3600 }, "\(measured)")
    }

    /// How long each test took by the measure of waits.
    private func measuredDurations() throws -> [Double] {
      struct Written: Decodable {
        struct Test: Decodable { let seconds: Double }
        let tests: [Test]
      }
      let data = try Data(contentsOf: URL(fileURLWithPath: file))
      return try JSONDecoder().decode(Written.self, from: data).tests.map(\.seconds)
    }
  }

  extension FixtureRun {
    /// The times that the tests printed of their simulations, in seconds.
    fileprivate var virtualTimes: [Int] {
      output.matches(of: /passed: (\d+) s/).compactMap { Int($0.1) }
    }

    /// The durations that the framework printed for tests, in seconds.
    fileprivate var durations: [Double] {
      output.matches(of: /(?:after | \(|in )([\d.]+) (?:\([\d.]+\) )?seconds/)
        .compactMap { Double($0.1) }
    }

    /// The dates that the framework printed.
    fileprivate var dates: [Date] {
      get throws {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return try output.matches(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/)
          .map { try #require(format.date(from: String($0.0))) }
      }
    }
  }
#endif
