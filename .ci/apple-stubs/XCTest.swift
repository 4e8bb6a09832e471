// XCTest with Apple's signatures, as far as the sources use it.
@_exported import Foundation

open class XCTestRun: NSObject {
  open var stopDate: Date? { nil }
  open var startDate: Date? { nil }
  open var totalFailureCount: Int { 0 }
  open var failureCount: Int { 0 }
  open var unexpectedExceptionCount: Int { 0 }
  open var hasSucceeded: Bool { true }
  open var hasBeenSkipped: Bool { false }
}

open class XCTestCaseRun: XCTestRun {}

open class XCTest: NSObject {
  open var name: String { "" }
  open var testRun: XCTestRun? { nil }
  open func run() {}
  open func setUp() async throws {}
  open func setUpWithError() throws {}
  open func setUp() {}
  open func tearDown() {}
  open func tearDownWithError() throws {}
  open func tearDown() async throws {}
}

open class XCTestCase: XCTest {
  public override init() {}
  open var continueAfterFailure: Bool { get { true } set {} }
  open func invokeTest() {}
  open func record(_ issue: XCTIssue) {}
  @available(*, deprecated, message: "Use record(_:) instead.")
  open func recordFailure(
    withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
    expected: Bool
  ) {}
  open func addTeardownBlock(_ block: @escaping () -> Void) {}
  @preconcurrency
  open func addTeardownBlock(_ block: @escaping @Sendable () async throws -> Void) {}
  open func expectation(description: String) -> XCTestExpectation { fatalError() }
  @available(*, noasync, message: "Use await fulfillment(of:timeout:enforceOrder:) instead.")
  open func wait(for expectations: [XCTestExpectation], timeout seconds: TimeInterval) {}
  @available(*, noasync, message: "Use await fulfillment(of:timeout:enforceOrder:) instead.")
  open func waitForExpectations(
    timeout: TimeInterval, handler: (((any Error)?) -> Void)? = nil
  ) {}
  nonisolated(nonsending) open func fulfillment(
    of expectations: [XCTestExpectation], timeout seconds: TimeInterval = .infinity,
    enforceOrder: Bool = false
  ) async {}
}

open class XCTestExpectation: NSObject, @unchecked Sendable {
  public init(description: String) {}
  open var expectedFulfillmentCount: Int { get { 1 } set {} }
  open var isInverted: Bool { get { false } set {} }
  open func fulfill() {}
}

public protocol XCTWaiterDelegate: NSObjectProtocol {}

open class XCTWaiter: NSObject {
  public enum Result: Int, Sendable {
    case completed = 1, timedOut, incorrectOrder, invertedFulfillment, interrupted
  }
  public init(delegate: (any XCTWaiterDelegate)?) {}
  @available(*, noasync, message: "Use await fulfillment(of:timeout:enforceOrder:) instead.")
  open func wait(for expectations: [XCTestExpectation], timeout seconds: TimeInterval) -> Result {
    .completed
  }
}

public struct XCTSourceCodeLocation: Hashable, Sendable {
  public init(fileURL: URL, lineNumber: Int) {}
  public init(filePath: String, lineNumber: Int) {}
  public var fileURL: URL { fatalError() }
  public var lineNumber: Int { 0 }
}

public struct XCTSourceCodeContext: Sendable {
  public init() {}
  public init(location: XCTSourceCodeLocation?) {}
  public var location: XCTSourceCodeLocation? { nil }
}

public struct XCTIssue {
  public enum IssueType: Int, Sendable {
    case assertionFailure, thrownError, uncaughtException, performanceRegression, system
    case unmatchedExpectedFailure
  }
  public init(
    type: IssueType, compactDescription: String, detailedDescription: String? = nil,
    sourceCodeContext: XCTSourceCodeContext = XCTSourceCodeContext(),
    associatedError: (any Error)? = nil, attachments: [XCTAttachment] = []
  ) {}
  public var type: IssueType { .system }
  public var compactDescription: String { get { "" } set {} }
  public var sourceCodeContext: XCTSourceCodeContext { fatalError() }
  public var associatedError: (any Error)? { nil }
}

open class XCTAttachment: NSObject, @unchecked Sendable {}

open class XCTExpectedFailure: NSObject {
  open class Options: NSObject {
    open var issueMatcher: (XCTIssue) -> Bool { get { { _ in true } } set {} }
    open var isEnabled: Bool { get { true } set {} }
    open var isStrict: Bool { get { true } set {} }
    open class func nonStrict() -> Options { Options() }
  }
}

public func XCTExpectFailure(_ failureReason: String? = nil, options: XCTExpectedFailure.Options) {}
public func XCTExpectFailure<R>(
  _ failureReason: String? = nil, options: XCTExpectedFailure.Options,
  failingBlock: () throws -> R
) rethrows -> R { try failingBlock() }

public protocol XCTestObservation: NSObjectProtocol {
  func testBundleWillStart(_ testBundle: Bundle)
  func testBundleDidFinish(_ testBundle: Bundle)
  func testCaseWillStart(_ testCase: XCTestCase)
  func testCaseDidFinish(_ testCase: XCTestCase)
}

// Optional requirements in Objective-C.
extension XCTestObservation {
  public func testBundleWillStart(_ testBundle: Bundle) {}
  public func testBundleDidFinish(_ testBundle: Bundle) {}
  public func testCaseWillStart(_ testCase: XCTestCase) {}
  public func testCaseDidFinish(_ testCase: XCTestCase) {}
}

open class XCTestObservationCenter: NSObject {
  open class var shared: XCTestObservationCenter { XCTestObservationCenter() }
  open func addTestObserver(_ testObserver: any XCTestObservation) {}
  open func removeTestObserver(_ testObserver: any XCTestObservation) {}
}

public struct XCTSkip: Error {
  public let message: String?
  public init(
    _ message: @autoclosure () -> String? = nil, file: StaticString = #filePath, line: UInt = #line
  ) { self.message = nil }
}

public func XCTSkipUnless(
  _ expression: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String? = nil,
  file: StaticString = #filePath, line: UInt = #line
) throws {}

public func XCTUnwrap<T>(
  _ expression: @autoclosure () throws -> T?, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line
) throws -> T { fatalError() }
public func XCTFail(
  _ message: String = "", file: StaticString = #filePath, line: UInt = #line
) {}
public func XCTAssert(
  _ expression: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line
) {}
public func XCTAssertTrue(
  _ expression: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line
) {}
public func XCTAssertFalse(
  _ expression: @autoclosure () throws -> Bool, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line
) {}
public func XCTAssertNil(
  _ expression: @autoclosure () throws -> Any?, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line
) {}
public func XCTAssertNotNil(
  _ expression: @autoclosure () throws -> Any?, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line
) {}
public func XCTAssertEqual<T: Equatable>(
  _ a: @autoclosure () throws -> T, _ b: @autoclosure () throws -> T,
  _ message: @autoclosure () -> String = "", file: StaticString = #filePath, line: UInt = #line
) {}
public func XCTAssertNotEqual<T: Equatable>(
  _ a: @autoclosure () throws -> T, _ b: @autoclosure () throws -> T,
  _ message: @autoclosure () -> String = "", file: StaticString = #filePath, line: UInt = #line
) {}
public func XCTAssertGreaterThanOrEqual<T: Comparable>(
  _ a: @autoclosure () throws -> T, _ b: @autoclosure () throws -> T,
  _ message: @autoclosure () -> String = "", file: StaticString = #filePath, line: UInt = #line
) {}
public func XCTAssertThrowsError<T>(
  _ expression: @autoclosure () throws -> T, _ message: @autoclosure () -> String = "",
  file: StaticString = #filePath, line: UInt = #line, _ errorHandler: (any Error) -> Void = { _ in }
) {}
