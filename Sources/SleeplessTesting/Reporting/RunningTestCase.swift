import Foundation
import Sleepless
import XCTest

/// One XCTest test, from its start to its end.
///
/// XCTest on Linux counts failures without a lock, and stops the process when one is recorded on a test
/// that has ended. This class records them one at a time, and none after the end.
package final class RunningTestCase: @unchecked Sendable {
  // `@unchecked` because `XCTestCase` is not `Sendable`: it is used only in `turn`. It is released at
  // the end, so that a test case that keeps a helper makes no cycle.

  /// The test's name as XCTest prints it.
  let name: String
  /// The checks at its end.
  let endOfTest = EndOfTest()

  private var testCase: XCTestCase?
  /// How many of its failures report something left over.
  private var leftoverCount = 0
  // Recursive: recording calls every observer, and a user's observer may fail a helper in turn.
  private let turn = NSRecursiveLock()

  package init(_ testCase: XCTestCase) {
    name = testCase.name
    self.testCase = testCase
  }

  /// Whether failures can still be recorded.
  var isRunning: Bool { turn.withLock { canRecord } }

  /// Records a failure from any thread; false when the test has ended.
  ///
  /// Between the check and the recording the main thread may stop the test; XCTest then ends the
  /// process with the failure's file and line. It gives no hook to close these few instructions.
  func record(_ message: String, inFile path: String, line: Int) -> Bool {
    turn.withLock {
      guard canRecord, let testCase else { return false }
      testCase.fail(message, inFile: path, line: line)
      return true
    }
  }

  /// Whether the test has failed by anything but leftovers.
  var hasFailed: Bool {
    turn.withLock { failureCount > leftoverCount }
  }

  /// Runs a closure that fails because of something left over.
  func noteLeftover(_ fail: () -> Void) {
    turn.withLock {
      let before = failureCount
      fail()
      // Only if it was counted: a test case may override the recording and drop the failure.
      if failureCount > before { leftoverCount += 1 }
    }
  }

  var failureCount: Int { turn.withLock { testCase?.testRun?.totalFailureCount ?? 0 } }

  /// The test case, for code that knows that the test is still running.
  var unsafeTestCase: XCTestCase? { turn.withLock { testCase } }

  /// The address of the test case, for the search for retain paths through it.
  var address: UInt? {
    turn.withLock { testCase.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } }
  }

  /// Releases the test case. XCTest's observer calls it when the test has finished.
  package func end() { turn.withLock { testCase = nil } }

  /// XCTest stops a run before it tells observers, so having the test case is not enough.
  private var canRecord: Bool { testCase.map { $0.testRun?.stopDate == nil } ?? false }
}

extension XCTestCase {
  fileprivate func fail(_ message: String, inFile path: String, line: Int) {
    #if canImport(Darwin)
      let location = XCTSourceCodeLocation(filePath: path, lineNumber: line)
      record(
        XCTIssue(
          type: .assertionFailure, compactDescription: message,
          sourceCodeContext: XCTSourceCodeContext(location: location)))
    #else
      recordFailure(
        withDescription: message, inFile: path, atLine: line, expected: true)
    #endif
  }
}
