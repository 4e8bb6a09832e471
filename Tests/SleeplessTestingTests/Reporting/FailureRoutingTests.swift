import SleeplessTesting
import Testing

@Suite struct FailureRoutingTests {
  private func route(
    _ owner: RoutingContext.TestContext, _ change: (inout RoutingContext) -> Void = { _ in }
  ) -> FailureDestination {
    var routingContext = RoutingContext(owner: owner)
    change(&routingContext)
    return FailureDestination(in: routingContext)
  }

  @Test func `F1 in the task of its own Swift Testing test a helper records there`() {
    #expect(route(.swiftTest) { $0.currentSwiftTest = .owner } == .issue)
  }

  @Test(arguments: [RoutingContext.CurrentSwiftTest.none, .other])
  func `F1 anywhere else it sends the courier`(current: RoutingContext.CurrentSwiftTest) {
    #expect(route(.swiftTest) { $0.currentSwiftTest = current } == .relay)
  }

  @Test func `F1 a running XCTest test gets its failure, whatever else runs`() {
    let route = route(.runningTestCase) {
      $0.currentSwiftTest = .other
      $0.isTestCaseRunning = true
    }
    #expect(route == .owningTestCase)
  }

  @Test func `F2 the failure of an ended XCTest test goes to the running one, else is printed`() {
    #expect(route(.endedTestCase) { $0.isTestCaseRunning = true } == .runningTestCase)
    #expect(route(.endedTestCase) { $0.host = .xctest } == .printed)
  }

  @Test func `F2 a helper without a test uses the test it fails in`() {
    #expect(route(.nobody) { $0.currentSwiftTest = .other } == .issue)
    #expect(route(.nobody) { $0.isTestCaseRunning = true } == .runningTestCase)
  }

  @Test func `F2 without any test Swift Testing's runner takes it until the process exits`() {
    #expect(route(.nobody) { $0.host = .swiftTesting } == .issue)
    let exiting = route(.nobody) {
      $0.host = .swiftTesting
      $0.isExiting = true
    }
    #expect(exiting == .printed)
  }

  @Test(arguments: [RoutingContext.Host.xctest, .none])
  func `F2 a failure that nobody would count is printed`(host: RoutingContext.Host) {
    #expect(route(.nobody) { $0.host = host } == .printed)
  }
}
