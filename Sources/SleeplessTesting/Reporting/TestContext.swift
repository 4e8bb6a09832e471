import Sleepless
import Testing

/// The test that made a helper.
package enum TestContext: Sendable {
  case swiftTest(SwiftTest)
  /// An XCTest test, running or ended.
  case testCase(RunningTestCase)
  /// The helper was made outside every test: in a global, or in a stored property of a test case.
  case outsideTests

  /// A Swift Testing test, running or ended.
  package struct SwiftTest: Sendable {
    let test: Test
    /// The arguments that the test runs with.
    let testCase: Test.Case?
    /// Records issues with the test's task-local values; nil on systems whose runtime cannot do that.
    let relay: IssueRelay?

    /// Whether the test runs with the same arguments in that case.
    ///
    /// Nothing public tells one case from another, but they print their arguments.
    func hasSameArguments(as other: Test.Case) -> Bool {
      guard let testCase, testCase.isParameterized else { return true }
      return "\(other)" == "\(testCase)"
    }
  }

  /// The test that the caller runs in.
  ///
  /// A task's own test comes first: in a process that runs both frameworks, XCTest's running test says
  /// nothing about the task.
  package static func current() -> TestContext {
    if let test = Test.current {
      return .swiftTest(SwiftTest(test: test, testCase: Test.Case.current, relay: IssueRelay()))
    }
    return XCTestProgress.shared.running.map(TestContext.testCase) ?? .outsideTests
  }

  var testCase: RunningTestCase? {
    if case .testCase(let test) = self { test } else { nil }
  }

  /// Whether both are one test and, if that has arguments, one case of it. Cases may run side by side.
  func isSameTest(as other: TestContext) -> Bool {
    switch (self, other) {
    case (.swiftTest(let a), .swiftTest(let b)):
      guard a.test.id == b.test.id else { return false }
      guard let testCase = b.testCase else { return a.testCase?.isParameterized != true }
      return a.hasSameArguments(as: testCase)
    case (.testCase(let a), .testCase(let b)): return a === b
    default: return false
    }
  }
}
