import Foundation

/// The report for programs: JSON, with sorted keys.
enum ReportJSON {
  static func text(of report: Report) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Only values that always can be encoded.
    return String(decoding: try! encoder.encode(Document(report)), as: UTF8.self) + "\n"
  }

  private struct Document: Encodable {
    let version = 1
    let summary: Summary
    let tests: [Test]
    let problems: [Problem]

    init(_ report: Report) {
      summary = Summary(report)
      tests = report.tests.map(Test.init)
      problems = report.problems.map { Problem(file: $0.path, line: $0.line, message: $0.text) }
    }
  }

  private struct Summary: Encodable {
    let tests, waiting, trait, line, inject, leave: Int
    let seconds, timeoutSeconds: Double

    init(_ report: Report) {
      tests = report.testCount
      waiting = report.tests.count
      (trait, line) = (report.count(.trait), report.count(.line))
      (inject, leave) = (report.count(.inject), report.count(.leave))
      seconds = report.tests.reduce(0) { $0 + $1.seconds }
      timeoutSeconds = report.tests.reduce(0) { $0 + $1.limitSeconds }
    }
  }

  private struct Test: Encodable {
    let test, file, framework: String
    let line: Int
    let verdict: Verdict
    let seconds, timeoutSeconds: Double
    let measuredSeconds: Double?
    let waits: [Wait]

    init(_ test: WaitingTest) {
      self.test = test.name
      (file, line, framework) = (test.file, test.line, test.framework)
      verdict = test.verdict
      (seconds, timeoutSeconds) = (test.seconds, test.limitSeconds)
      measuredSeconds = test.measured
      waits = test.places.map(Wait.init)
    }
  }

  private struct Wait: Encodable {
    let file, function, call, reason: String
    let line: Int
    let kind: WaitKind
    /// Where the helper waits that the test calls.
    let helper: String?
    let seconds: Double?
    let times: Int
    let isTimeout: Bool
    let verdict: Verdict
    let measuredSeconds: Double?
    let replacements: [Replacement]

    init(_ place: Place) {
      (file, line, function, call) = (place.file, place.line, place.function, place.call)
      (kind, helper, seconds, times) = (place.kind, place.helper, place.seconds, place.times)
      (isTimeout, verdict, reason) = (place.isLimit, place.verdict, place.reason)
      (measuredSeconds, replacements) = (place.measured, place.replacements)
    }
  }

  private struct Problem: Encodable {
    let file: String
    let line: Int?
    let message: String
  }
}
