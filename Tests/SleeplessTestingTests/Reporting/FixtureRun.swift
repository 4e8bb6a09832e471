import Foundation
import Testing

/// What one run of `ReportingFixture` printed, and how it ended.
struct FixtureRun: Sendable {
  /// A failure as a framework printed it.
  struct Failure: Equatable, Sendable {
    var test: String
    /// File and line: a full path in XCTest, a name in Swift Testing.
    var place: String
    var message: String
  }

  let status: Int32
  let output: String

  /// Runs the fixture and reads stdout and stderr as one text, in the order of writing. `limit` is an option of the
  /// shell's `ulimit` with its value, `executable` another program than the fixture.
  init(
    _ arguments: [String], environment variables: [String: String] = [:], limit: String? = nil,
    executable: URL? = Self.executable
  ) async throws {
    let folder = FileManager.default.temporaryDirectory
    let file = folder.appendingPathComponent("reporting-\(UUID().uuidString).txt")
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    if let limit, let executable {
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      let command = #"ulimit \#(limit) && exec "$0" "$@""#
      process.arguments = ["-c", command, executable.path] + arguments
    }
    var environment = ProcessInfo.processInfo.environment
    environment["NO_COLOR"] = "1"
    // The thread sanitizer would otherwise sleep for a second at the end of every process.
    environment["TSAN_OPTIONS", default: ""] += " atexit_sleep_ms=0"
    process.environment = environment.merging(variables) { $1 }
    process.standardOutput = handle
    process.standardError = handle
    status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    output = try String(contentsOf: file, encoding: .utf8)
  }

  /// Runs XCTest tests.
  static func xctest(
    _ scenario: String, _ context: String = "sync", environment: [String: String] = [:]
  ) async throws -> FixtureRun {
    try await FixtureRun(["xctest", scenario, context], environment: environment)
  }

  /// Runs the Swift Testing tests that match `filter`, as SwiftPM starts them.
  static func swiftTesting(
    _ filter: String, _ scenario: String = "", _ context: String = "sync",
    environment: [String: String] = [:], limit: String? = nil, options: [String] = [],
    executable: URL? = Self.executable
  ) async throws -> FixtureRun {
    try await FixtureRun(
      [
        "swift-testing", scenario, context,
        "--testing-library", "swift-testing", "--filter", "ReportingFixture.\(filter)",
      ] + options, environment: environment, limit: limit, executable: executable)
  }

  /// SwiftPM puts every executable of the package into one folder.
  static var executable: URL? {
    Bundle.main.executableURL?.deletingLastPathComponent()
      .appendingPathComponent("ReportingFixture")
  }
}

extension FixtureRun {
  /// The failures XCTest printed, in order. In the form for Apple's systems, without the errors that say they
  /// have been reported: XCTest on Linux does not know them and reports them again.
  var xctestFailures: [Failure] {
    #if SLEEPLESS_AS_ON_APPLE
      let again = "threw error \"the failure reported before ended the test\""
      return allXCTestFailures.filter { $0.message != again }
    #else
      return allXCTestFailures
    #endif
  }

  private var allXCTestFailures: [Failure] {
    failures(
      begin: /^(.*:\d+): error: (.*?) : (.*)$/,
      continues: {
        $0.wholeMatch(of: /(?:Test Case |Test Suite |\t Executed |.*:\d+: warning: ).*/) == nil
          ? $0 : nil
      })
  }

  /// The warnings that helpers printed in XCTest tests, in order. The names of the tests are empty.
  var xctestWarnings: [Failure] {
    failures(
      begin: /^(.*:\d+): warning: ()(.*)$/,
      continues: {
        $0.wholeMatch(of: /(?:Test Case |Test Suite |\t Executed |.*:\d+: error: ).*/) == nil
          ? $0 : nil
      })
  }

  /// The failures Swift Testing printed, in order.
  var swiftTestingFailures: [Failure] {
    failures(
      begin: /^. Test (.*?) recorded an issue(?: with .*)? at (.*?:\d+):\d+: Issue recorded()$/,
      continues: { $0.wholeMatch(of: /(?:↳ |  )(.*)/).map { String($0.1) } }
    ).map { Failure(test: $0.place, place: $0.test, message: String($0.message.dropFirst())) }
  }

  private func failures(
    begin: Regex<(Substring, Substring, Substring, Substring)>,
    continues: (String) -> String?
  ) -> [Failure] {
    var failures: [Failure] = []
    var isInside = false
    for line in output.components(separatedBy: "\n") where !line.isEmpty {
      if let match = line.wholeMatch(of: begin) {
        failures.append(
          Failure(
            test: String(match.2), place: String(match.1), message: String(match.3)))
        isInside = true
      } else if isInside, let more = continues(line) {
        failures[failures.count - 1].message += "\n" + more
      } else {
        isInside = false
      }
    }
    return failures
  }
}

/// Where the fixture's source says `// MARK: name`: path or name, and line.
struct FixtureLine {
  let path: String
  let name: String

  init(_ mark: String, in file: String) throws {
    let url = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/ReportingFixture/\(file)")
    let lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
    let index = try #require(lines.firstIndex { $0.hasSuffix("// MARK: \(mark)") })
    path = "\(url.path):\(index + 1)"
    name = "\(file):\(index + 1)"
  }
}
