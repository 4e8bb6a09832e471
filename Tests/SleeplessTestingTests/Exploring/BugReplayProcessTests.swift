import Foundation
import Testing
import TestSupport

#if os(Linux)
  /// Each bug of the suite is found in one process and replayed in another, by the environment alone.
  ///
  /// An ordinary run takes one seed; `.ci/explore` sets the environment for more.
  @Suite(.needs(.capture))
  struct BugReplayProcessTests {
    private static let seeds =
      ProcessInfo.processInfo.environment["SLEEPLESS_REPLAYED_SEEDS"].flatMap { Int($0) } ?? 1

    @Test func `S7 every failure that is found is replayed in a fresh process`() async throws {
      let found = replays(in: try await run())
      let bugs = followsQueues ? 46 : 42
      #expect(found.count == bugs * Self.seeds && Set(found).count == found.count)
      // Whatever is drawn from the seed now.
      let again = try await run([
        "SLEEPLESS_REPLAY": found.joined(separator: ","), "SLEEPLESS_SEED": "99",
      ])
      #expect(Set(replays(in: again)) == Set(found))
      let count = again.output.matches(of: /The replayed schedule fails: [^:]/).count
      #expect(count == found.count)
      print("\(count) of \(found.count) failures were replayed in a fresh process.")
    }

    /// Whether simulations follow the code of the bugs with queues.
    private let followsQueues = [Need.queues, .blockingCalls, .clocks].allSatisfy(\.isMet)

    private func run(_ environment: [String: String] = [:]) async throws -> FixtureRun {
      try await FixtureRun(
        [
          "swift-testing", "calm", "sync", "--testing-library", "swift-testing",
          "--filter", "ReportingFixture.Explorations/bugs",
        ],
        environment: environment.merging([
          "SLEEPLESS_BUG_SEEDS": "\(Self.seeds)",
          "SLEEPLESS_BUGS_OF_QUEUES": followsQueues ? "1" : "0",
        ]) { $1 })
    }

    private func replays(in run: FixtureRun) -> [String] {
      run.output.matches(of: /SLEEPLESS_REPLAY=(\S+)/).map { String($0.1) }
    }
  }
#endif
