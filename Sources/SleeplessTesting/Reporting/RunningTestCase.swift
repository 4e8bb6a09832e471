import Foundation
import Sleepless
import XCTest

/// One XCTest test, from its start to its end.
///
/// XCTest on Linux counts failures without a lock and stops the process when one is recorded on a
/// test that has ended. Here they pass one at a time, and are refused after the end.
final class RunningTestCase: @unchecked Sendable {
  // `@unchecked` because `XCTestCase` is not `Sendable`: it is touched only in `turn`, and let go
  // at the end, so that a helper kept by its own test case is no cycle.

  /// The test's name as XCTest prints it.
  let name: String
  /// What is to be checked at its end.
  let endOfTest = EndOfTest()

  private var testCase: XCTestCase?
  /// How many of its failures tell of something left over.
  private var leftoverCount = 0
  // Recursive: recording tells every observer, and one of the user's may fail a helper in turn.
  private let turn = NSRecursiveLock()

  init(_ testCase: XCTestCase) {
    name = testCase.name
    self.testCase = testCase
  }

  /// Whether failures can still be recorded.
  var isRunning: Bool { turn.withLock { canRecord } }

  /// Records a failure from any thread; false when the test has ended.
  ///
  /// Between the check and the recording the main thread may stop the test; XCTest then ends the
  /// process with the failure's file and line. It gives no hook to close these few instructions.
  func record(_ message: String, at site: CallSite) -> Bool {
    record(message, inFile: site.filePath.description, line: Int(site.line))
  }

  func record(_ message: String, inFile path: String, line: Int) -> Bool {
    turn.withLock {
      guard canRecord, let testCase else { return false }
      testCase.fail(message, inFile: path, line: line)
      return true
    }
  }

  /// Whether the test has failed by something else than leftovers.
  var hasFailed: Bool {
    turn.withLock { failureCount > leftoverCount }
  }

  /// Runs what tells a failure because of something left over.
  func noteLeftover(_ fail: () -> Void) {
    turn.withLock {
      let before = failureCount
      fail()
      // If it was counted: a test case may keep a failure to itself.
      if failureCount > before { leftoverCount += 1 }
    }
  }

  var failureCount: Int { turn.withLock { testCase?.testRun?.totalFailureCount ?? 0 } }

  /// The test case, for whoever knows that it is still running.
  var unsafeTestCase: XCTestCase? { turn.withLock { testCase } }

  /// Where the test case lies in memory, for those who look for what it holds.
  var address: UInt? {
    turn.withLock { testCase.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } }
  }

  /// Lets go of the test case. Called when XCTest says that the test has finished.
  func end() { turn.withLock { testCase = nil } }

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
