import Foundation

/// Builds and tests the package in the current folder.
enum SwiftCommand {
  /// Returns what was printed if the build fails.
  static func build() -> String? {
    let (status, output) = run(["build", "--build-tests"])
    return status == 0 ? nil : output
  }

  static func test(_ filter: String) -> Fixer.Outcome {
    let (status, output) = run(["test", "--skip-build", "--filter", filter])
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

  private static func run(_ arguments: [String]) -> (status: Int32, output: String) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // The `swift package` that runs this plugin holds the lock of the build folder.
    process.arguments = ["swift"] + arguments + ["--ignore-lock"]
    process.standardOutput = pipe
    process.standardError = pipe
    do { try process.run() } catch { return (127, "swift cannot be started: \(error)") }
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
