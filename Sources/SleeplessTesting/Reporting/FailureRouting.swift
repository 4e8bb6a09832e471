/// What is known about the process at the moment a helper fails.
///
/// Only `owner` was settled when the helper was made; everything else may have changed since.
package struct RoutingContext: Sendable {
  /// The test that made the helper.
  package enum TestContext: Sendable {
    /// A Swift Testing test, running or not: its task-local values are kept by a courier.
    case swiftTest
    /// An XCTest test that has not ended.
    case runningTestCase
    /// An XCTest test that has ended. It must not be touched any more.
    case endedTestCase
    /// The helper was made outside every test: in a global, or in a stored property of a test case.
    case nobody
  }

  /// The framework that runs this process's tests, as far as one can tell without a test.
  package enum Host: Sendable { case swiftTesting, xctest, none }

  package var owner: TestContext
  /// Whether the failing task belongs to a Swift Testing test, and to which.
  package var currentSwiftTest: CurrentSwiftTest = .none
  /// Whether any XCTest test is running.
  package var isTestCaseRunning = false
  package var host: Host = .none
  /// Whether the process has begun to exit, so that no framework counts failures any more.
  package var isExiting = false

  package enum CurrentSwiftTest: Sendable { case none, owner, other }

  package init(owner: TestContext) { self.owner = owner }
}

/// The one place a failure goes to.
package enum FailureDestination: Equatable, Sendable {
  /// Records an issue right here, in the task that failed, so that `withKnownIssue` around it holds.
  case issue
  /// Records an issue with the task-local values of the test that made the helper.
  case relay
  /// Fails the XCTest test that made the helper.
  case owningTestCase
  /// Fails the XCTest test that happens to be running.
  case runningTestCase
  /// Prints the failure and makes the process end with a non-zero status: nobody else would.
  case printed

  /// Picks the route. Every situation has exactly one, so nothing is lost and nothing told twice.
  package init(in routingContext: RoutingContext) {
    switch routingContext.owner {
    case .swiftTest:
      self = routingContext.currentSwiftTest == .owner ? .issue : .relay
    case .runningTestCase:
      self = .owningTestCase
    case .endedTestCase:
      self = routingContext.isTestCaseRunning ? .runningTestCase : .printed
    case .nobody:
      if routingContext.currentSwiftTest != .none {
        self = .issue
      } else if routingContext.isTestCaseRunning {
        self = .runningTestCase
      } else if routingContext.host == .swiftTesting && !routingContext.isExiting {
        self = .issue
      } else {
        self = .printed
      }
    }
  }
}
