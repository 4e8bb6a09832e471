import Sleepless
import Testing

/// The test that made a helper, and the way back to it.
enum TestContext: Sendable {
  /// The courier is nil on systems whose runtime cannot run one.
  case swiftTest(Test, (any Sendable)?)
  case testCase(RunningTestCase)
  case nobody

  /// The test that is running here and now. A task's own test comes first: where one process runs
  /// both frameworks, XCTest's test says nothing about the task.
  static func current() -> TestContext {
    if let test = Test.current {
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *) {
        return .swiftTest(test, IssueRelay())
      }
      return .swiftTest(test, nil)
    }
    return XCTestProgress.shared.running.map(TestContext.testCase) ?? .nobody
  }

  var testState: RoutingContext.TestContext {
    switch self {
    case .swiftTest: .swiftTest
    case .testCase(let test): test.isRunning ? .runningTestCase : .endedTestCase
    case .nobody: .nobody
    }
  }

  var swiftTestID: Test.ID? {
    if case .swiftTest(let test, _) = self { test.id } else { nil }
  }

  var testCase: RunningTestCase? {
    if case .testCase(let test) = self { test } else { nil }
  }

  /// Records an issue in the owning Swift Testing test, or in an unknown one without a courier.
  func deliver(_ message: String, severity: Issue.Severity = .error, at site: CallSite) {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, *),
      case .swiftTest(_, let relay as IssueRelay) = self
    {
      relay.deliver(message, severity: severity, at: site)
    } else {
      recordIssue(message, severity: severity, at: site)
    }
  }
}
