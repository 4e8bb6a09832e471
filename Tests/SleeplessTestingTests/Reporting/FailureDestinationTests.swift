import SleeplessTesting
import Testing
import XCTest

/// Remembers the ID of a suite: that of a test other than the running one.
private struct SuiteIDTrait: SuiteTrait, TestScoping {
  @TaskLocal static var suite: Test.ID?

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.$suite.withValue(test.id) { try await function() }
  }
}

@Suite(SuiteIDTrait()) struct FailureDestinationTests {
  private let running = RunningTestCase(XCTestCase.named("running"))
  private let ended = RunningTestCase(XCTestCase.named("ended"))

  init() { ended.end() }

  private func destination(
    of test: TestContext, _ change: (inout ProcessState) -> Void = { _ in }
  ) -> String {
    var process = ProcessState()
    change(&process)
    return switch FailureDestination(of: test, in: process) {
    case .currentTask: "current task"
    case .unknownTest: "unknown test"
    case .relay: "relay"
    case .testCase(let test, nil): test === running ? "running test" : "ended test"
    case .testCase(let test, let maker?):
      test === running && maker === ended ? "running test, for the ended one" : "ended test"
    case .printed(nil): "printed"
    case .printed(let test?): test === ended ? "printed, for the ended test" : "printed"
    }
  }

  @Test func `F1 in the task of its own Swift Testing test a helper records there`() {
    #expect(destination(of: .current()) { $0.currentTest = Test.current?.id } == "current task")
  }

  @Test func `F1 anywhere else it records through the relay`() throws {
    #expect(destination(of: .current()) == "relay")
    let suite = try #require(SuiteIDTrait.suite)
    #expect(suite != Test.current?.id)
    #expect(destination(of: .current()) { $0.currentTest = suite } == "relay")
  }

  @Test func `F1 a running XCTest test gets its failure, whatever else runs`() {
    let destination = destination(of: .testCase(running)) {
      $0.currentTest = Test.current?.id
      $0.runningTestCase = ended
    }
    #expect(destination == "running test")
  }

  @Test func `F2 the failure of an ended XCTest test goes to the running one, else is printed`() {
    let toRunning = destination(of: .testCase(ended)) { $0.runningTestCase = running }
    #expect(toRunning == "running test, for the ended one")
    #expect(destination(of: .testCase(ended)) == "printed, for the ended test")
  }

  @Test func `F2 a helper without a test uses the test it fails in`() {
    let inSwiftTest = destination(of: .outsideTests) { $0.currentTest = Test.current?.id }
    #expect(inSwiftTest == "current task")
    #expect(destination(of: .outsideTests) { $0.runningTestCase = running } == "running test")
  }

  @Test func `F2 without any test Swift Testing's runner takes it until the process exits`() {
    #expect(destination(of: .outsideTests) { $0.isSwiftTestingHost = true } == "unknown test")
    let inExitTest = destination(of: .outsideTests) {
      $0.isSwiftTestingHost = true
      $0.isExitTest = true
    }
    #expect(inExitTest == "current task")
    let exiting = destination(of: .outsideTests) {
      $0.isSwiftTestingHost = true
      $0.isExiting = true
    }
    #expect(exiting == "printed")
  }

  @Test func `F2 a failure that no framework would count is printed`() {
    #expect(destination(of: .outsideTests) == "printed")
  }
}
