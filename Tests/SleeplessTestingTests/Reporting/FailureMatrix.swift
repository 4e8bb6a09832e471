import Testing
import TestSupport

#if os(Linux)
  /// When a test of the matrix fails. The raw value is the fixture's scenario.
  enum MatrixMoment: String, CaseIterable {
    case during = "matrix-during"
    /// Something is left over.
    case atEnd = "matrix-at-end"
    /// Code that the test has left behind fails.
    case afterEnd = "matrix-after-end"
  }

  enum MatrixFramework: CaseIterable {
    case xctest, swiftTesting

    /// The kinds of test, in the order in which XCTest runs them.
    var tests: [String] {
      let all =
        ["synchronous", "asynchronous", "task", "detached", "queue", "thread"]
        + ["simulating", "exploring"]
      switch self {
      // Swift Testing does not know the test of a helper that is made elsewhere.
      case .swiftTesting: return all + ["simulated", "explored"]
      // These two cannot run where tasks are not captured.
      case .xctest:
        return all + ["elsewhere"] + (Need.capture.isMet ? ["simulated", "explored"] : [])
      }
    }

    func run(_ test: String, _ moment: MatrixMoment) async throws -> FixtureRun {
      switch self {
      case .xctest: try await .xctest(moment.rawValue, test)
      case .swiftTesting:
        try await .swiftTesting(
          test == "elsewhere" ? "MatrixElsewhere" : "Matrix/\(test)\\(", moment.rawValue, test)
      }
    }

    /// Runs all tests, and one during which what they have left behind fails.
    func runAll(_ moment: MatrixMoment) async throws -> FixtureRun {
      let names = (tests + ["later"]).joined(separator: ",")
      return switch self {
      case .xctest: try await .xctest(moment.rawValue, names)
      case .swiftTesting:
        try await .swiftTesting("Matrix(/|Neighbour)", moment.rawValue, names)
      }
    }

    /// The failures that were printed, each with the first line of its text, without a replay string.
    func failures(in run: FixtureRun) -> [FixtureRun.Failure] {
      let all = self == .xctest ? run.xctestFailures : run.swiftTestingFailures
      return all.map { failure in
        var failure = failure
        failure.message = failure.message.firstLine.replacing(#/ To replay it: .*/#, with: "")
        return failure
      }
    }
  }

  /// The failures that are not told in their own test. The raw values are in the table of the page FailureReports.
  enum MatrixException: String, CaseIterable {
    case xctestStray = "XCTest: after the end, while another test runs"
    case xctestLastStray = "XCTest: after the end of the last test"
    case swiftTestingElsewhere =
      "Swift Testing: of a helper made in a detached task, on a queue, on a thread or in a global, and failing there"
  }

  /// One test of the matrix in one run.
  struct MatrixCell {
    let framework: MatrixFramework
    let name: String
    let moment: MatrixMoment
    let isAlone: Bool

    /// What of it is not as in other cells.
    private var exception: MatrixException? {
      if framework == .swiftTesting { return name == "elsewhere" ? .swiftTestingElsewhere : nil }
      guard moment == .afterEnd else { return nil }
      return isAlone ? .xctestLastStray : .xctestStray
    }

    /// The failures that a user sees.
    var failures: [FixtureRun.Failure] {
      get throws {
        let test = exception == .xctestStray ? "MatrixTests.testLater" : ownTest
        let told = exception == .swiftTestingElsewhere ? "«unknown»" : test
        let failure = FixtureRun.Failure(test: told, place: try place(name), message: try message)
        guard isExploration, moment != .afterEnd else { return [failure] }
        // The text about the failing schedule follows at the line of the exploration.
        let cause = "a failure at \(try FixtureLine(mark(name), in: Self.file).name)"
        let schedule = FixtureRun.Failure(
          test: ownTest, place: try place("\(name) test"),
          message: "Schedule 1 of 1 fails: \(cause).")
        return [failure, schedule]
      }
    }

    private var isExploration: Bool { name == "exploring" || name == "explored" }

    private static let file = "Matrix.swift"

    private func mark(_ name: String) -> String {
      "\(framework == .xctest ? "XCTest" : "Swift") \(name)"
    }

    private func place(_ name: String) throws -> String {
      let line = try FixtureLine(mark(name), in: Self.file)
      return framework == .xctest ? line.path : line.name
    }

    private var ownTest: String {
      guard framework == .xctest else { return "\(name)()" }
      let kind = name == "simulated" || name == "explored" ? name.capitalized : ""
      return "\(kind)MatrixTests.test\(name.capitalized)"
    }

    private var message: String {
      get throws {
        switch (moment, exception) {
        case (.atEnd, _):
          let place = try FixtureLine("in turn", in: Self.file).name
          return "1 of 1 answers in turn of \"user\", given in \(place), was never asked for."
        case (.afterEnd, .xctestStray):
          return "made in \(ownTest), which has ended: \"user\" was called by another test, "
            + "MatrixTests.testLater, with 7."
        case (.afterEnd, nil), (.afterEnd, .xctestLastStray):
          return "\"user\" was called after its test had ended, with 7."
        default: return "\"user\" was called with 7, and it has no answer for that."
        }
      }
    }
  }
#endif
