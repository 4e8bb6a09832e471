import Foundation
import Sleepless

/// Settings of explorations in the environment, which override the code's: for a nightly job, and to
/// replay a failure without changing code.
package struct ExplorationEnvironment: Sendable {
  struct Settings: Sendable {
    var schedules: Int?
    var seed: UInt64?
    var shard: (index: Int, count: Int)?
    var stepBudget: Int?
    /// One replay string for each test to replay.
    var replays: [String] = []
  }

  private let variables: [String: String]

  package init(_ variables: [String: String]) { self.variables = variables }

  package static let process = ExplorationEnvironment(ProcessInfo.processInfo.environment)

  /// Chosen once, so that all tests of a process have the same seed.
  private static let randomSeed = UInt64.random(in: 0...UInt64.max)

  func settings() throws(ExplorationMisuse) -> Settings {
    var settings = Settings()
    settings.schedules = try value("SCHEDULES", "a number, 1 or more") { text in
      Int(text).flatMap { $0 > 0 ? $0 : nil }
    }
    settings.seed = try value("SEED", "a number, or the word random") { text in
      text == "random" ? Self.randomSeed : UInt64(text)
    }
    settings.shard = try value("SHARD", "i/n, such as 3/8, with i from 1 to n") { text in
      let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
      guard parts.count == 2, let index = parts[0], let count = parts[1], index >= 1, index <= count
      else { return nil }
      return (index - 1, count)
    }
    settings.stepBudget = try value("TIME_BUDGET", "seconds, more than 0") { text in
      Double(text).flatMap { seconds in
        guard seconds > 0, seconds < 1e9 else { return nil }
        return Int((seconds * Double(ExplorationPlan.stepsPerSecond)).rounded(.up))
      }
    }
    settings.replays = variables["SLEEPLESS_REPLAY", default: ""].split(separator: ",")
      .map(String.init)
    return settings
  }

  private func value<Value>(
    _ name: String, _ form: String, _ read: (String) -> Value?
  ) throws(ExplorationMisuse) -> Value? {
    let name = "SLEEPLESS_\(name)"
    guard let text = variables[name], !text.isEmpty else { return nil }
    if let value = read(text) { return value }
    throw ExplorationMisuse(
      """
      \(name) in the environment must be \(form) (was "\(text)"). Nothing was run.
      Unset it, or correct it.
      """)
  }
}
