// virtual time: the second run of the test's body sleeps in a simulation
import Foundation
import SleeplessTesting

/// The sleeping tests of a sample package are found. The body of one runs as it is, and in a simulation.
struct FindYourWaits: Chapter {
  let title = "Find your waits"

  func run(showing progress: ProgressLine) async -> [String] {
    let clock = ContinuousClock()
    let start = clock.now
    guard let report = report() else { return ["\(Sample.path) cannot be read."] }
    let readingTime = clock.now - start

    progress.show("running one of the tests as it is")
    var isRight = true
    let real = await clock.measure { isRight = await goesAway() }
    let simulated = await clock.measure {
      isRight = (try? await simulate { await goesAway() }) == true && isRight
    }
    progress.clear()

    guard isRight else { return ["The test has failed."] }

    let summary = report.summary
    return [
      "\(Sample.path) has \(summary.tests) tests.",
      "`swift package find-waits` reads them, here in \(readingTime.text):",
      "",
    ] + report.tests.map(\.row) + [
      "",
      "\(summary.waiting) of them wait: \(summary.trait) need only the trait, \(summary.inject) an injection.",
      "`--fix` adds what is certain. For the first test:",
      "",
    ] + change(of: "goesAway") + [
      "",
      "The body of that test, in this program:",
      "",
      "as it is   \(real.text)",
      "simulated  \(simulated.text)",
    ]
  }

  // MARK: find-waits

  private struct Report: Decodable {
    struct Summary: Decodable {
      let tests, waiting, trait, inject: Int
    }
    struct Test: Decodable {
      let test, verdict: String
      let seconds, timeoutSeconds: Double

      var row: String {
        let limit = timeoutSeconds > 0 ? "up to \(Duration.seconds(timeoutSeconds).text)" : ""
        let time = seconds > 0 ? Duration.seconds(seconds).text : limit
        return test.padded(to: -28) + time.padded(to: 13) + "  \(verdict)"
      }
    }
    let summary: Summary
    let tests: [Test]
  }

  private func report() -> Report? {
    try? JSONDecoder().decode(Report.self, from: Data(findWaits(["--format", "json"]).utf8))
  }

  /// The lines with that word before and after the change.
  private func change(of word: String) -> [String] {
    findWaits(["--diff"]).split(separator: "\n").filter { $0.contains(word) }.map(String.init)
  }

  /// The command's output for the sample.
  private func findWaits(_ options: [String]) -> String {
    Sample.findWaits(options + [Sample.root.appendingPathComponent(Sample.path).path])
  }

  // MARK: The test

  /// As in the sample's `ToastTests`.
  private func goesAway() async -> Bool {
    let toast = Toast()
    toast.show()
    try? await Task.sleep(for: .seconds(2.1))  // real time: this is measured
    return !toast.isShown
  }
}

/// The sample's class.
@MainActor private final class Toast {
  private(set) var isShown = false

  func show() {
    isShown = true
    Task {
      try await Task.sleep(for: .seconds(2))  // real time: this is measured
      isShown = false
    }
  }
}
