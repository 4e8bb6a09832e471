import Foundation

/// Builds and tests the package in the current folder.
enum SwiftCommand {
  /// Returns what was printed if the build fails.
  static func build() -> String? {
    // The `swift package` that runs this plugin holds the lock of the build folder.
    let (status, output) = run(["swift", "build", "--build-tests", "--ignore-lock"])
    return status == 0 ? nil : output
  }

  /// Runs the tests that match a filter, and stops them after so many seconds.
  static func test(_ filter: String, atMost limit: Double) -> Fixer.Outcome {
    let command = ["swift", "test", "--skip-build", "--filter", filter, "--ignore-lock"]
    let (status, output) = run(command, atMost: limit)
    guard let status else { return .stopped(after: limit) }
    return outcome(status, output)
  }

  /// Both frameworks say how many tests have run and how long that took. A filter that matches none is no success.
  static func outcome(_ status: Int32, _ output: String) -> Fixer.Outcome {
    var seconds = 0.0
    var count = 0
    // XCTest says it for each suite; the last line is of all.
    if let match = output.matches(of: /Executed (\d+) tests?, with .* in ([\d.]+) \(/).last {
      count += Int(match.1) ?? 0
      seconds += Double(match.2) ?? 0
    }
    if let match = output.matches(of: /Test run with (\d+) tests? .*after ([\d.]+) seconds/).last {
      count += Int(match.1) ?? 0
      seconds += Double(match.2) ?? 0
    }
    guard status != 0 || count == 0 else { return Fixer.Outcome(passes: true, seconds: seconds) }
    return Fixer.Outcome(
      passes: false, seconds: seconds,
      failure: count == 0 && status == 0 ? "no test of that name runs here" : failure(in: output))
  }

  /// The first failure of either framework, without the path of its file and the name of its test.
  private static func failure(in output: String) -> String? {
    let ofXCTest = #": error: \S+ : "#
    let ofSwiftTesting =
      #"recorded an issue(?: with .*)? at \S+:\d+:\d+: (?:Issue recorded\n\S+ )?"#
    guard
      let beginning = output.range(of: "\(ofXCTest)|\(ofSwiftTesting)", options: .regularExpression)
    else { return nil }
    let text = output[beginning.upperBound...].prefix { !$0.isNewline }
    return text.count > 200 ? text.prefix(200) + "..." : String(text)
  }

  /// Runs a command. The status is nil if it was stopped after so many seconds. It is interrupted first, and has
  /// `grace` seconds to end then.
  ///
  /// The output goes to a file: a process that the command has started may live on and keep a pipe open.
  static func run(
    _ command: [String], atMost limit: Double? = nil, grace: Double = 5
  ) -> (status: Int32?, output: String) {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    do {
      try Data().write(to: file)
      let output = try FileHandle(forWritingTo: file)
      process.standardOutput = output
      process.standardError = output
      try process.run()
    } catch {
      return (127, "\(command[0]) cannot be started: \(error)")
    }
    // real time: the command's own
    let hasEnded = limit.map { end.wait(timeout: .now() + $0) == .success } ?? true
    // SwiftPM passes an interrupt on to the process of the tests.
    if !hasEnded { process.interrupt() }
    // real time: what SwiftPM needs for that
    if !hasEnded, end.wait(timeout: .now() + grace) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
    }
    process.waitUntilExit()
    let output = (try? Data(contentsOf: file)) ?? Data()
    return (hasEnded ? process.terminationStatus : nil, String(decoding: output, as: UTF8.self))
  }
}
