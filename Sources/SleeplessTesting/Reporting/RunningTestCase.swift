import Foundation
import Sleepless
import XCTest

/// One XCTest test, from its start to its end.
///
/// XCTest on Linux counts failures without a lock, and stops the process when one is recorded on a test
/// that has ended. This class records them one at a time, and none after the end.
package final class RunningTestCase: @unchecked Sendable {
  // Unchecked because `XCTestCase` is not `Sendable`. It is used only while `lock` is held, except through
  // `unsafeTestCase`.

  /// The test's name as XCTest prints it.
  let name: String
  /// The checks at its end.
  let endOfTest = EndOfTest()

  // Released at the end: a test case may retain a helper, and the helper retains this object.
  private var testCase: XCTestCase?
  /// How many of its failures are no reason for a leftover: leftovers, and failures of tests that have ended.
  private var unrelatedCount = 0
  /// How many helpers hold failures back, and the end of that.
  private var holding: (count: Int, end: () -> Void) = (0, {})
  // Recursive: recording calls every observer, and a user's observer may fail a helper in turn.
  private let lock = NSRecursiveLock()

  package init(_ testCase: XCTestCase) {
    name = testCase.name
    self.testCase = testCase
  }

  /// Whether failures can still be recorded.
  var canRecord: Bool {
    // XCTest stops a run before it tells observers, so having the test case is not enough.
    lock.withLock { testCase.map { $0.testRun?.stopDate == nil } ?? false }
  }

  /// Records a failure, and returns whether it could: not after the test has ended. Any thread may call it.
  ///
  /// Between the check and the recording the main thread may stop the test; XCTest then ends the
  /// process with the failure's file and line. XCTest has no hook that would prevent this.
  func record(_ message: String, inFile path: String, line: Int) -> Bool {
    lock.withLock {
      guard canRecord, let testCase else { return false }
      testCase.fail(message, inFile: path, line: line)
      return true
    }
  }

  /// Records a failure of a helper whose test has ended.
  func recordStray(_ message: String, inFile path: String, line: Int) -> Bool {
    var isRecorded = false
    noteUnrelated { isRecorded = record(message, inFile: path, line: line) }
    return isRecorded
  }

  /// Whether the test has failed, in a manner that may be the reason for a leftover.
  var hasFailed: Bool {
    lock.withLock { failureCount > unrelatedCount }
  }

  /// Calls `fail`, and counts its failure as no reason for a leftover.
  func noteUnrelated(_ fail: () -> Void) {
    lock.withLock {
      let before = failureCount
      fail()
      // Only if it was counted: a test case may override the recording and drop the failure.
      if failureCount > before { unrelatedCount += 1 }
    }
  }

  /// Whether failures are offered to such a closure.
  var holdsFailures: Bool { lock.withLock { holding.count > 0 } }

  /// Begins to offer failures to a closure, which returns whether it holds them back; returns a closure that ends
  /// that. Calls may overlap if their closures are the same.
  func holdFailures(_ take: @escaping @Sendable (CaughtFailure) -> Bool) -> () -> Void {
    lock.withLock {
      if holding.count == 0 { holding.end = divertFailures(to: take) }
      holding.count += 1
    }
    return { [self] in
      lock.withLock {
        holding.count -= 1
        if holding.count == 0 { holding.end() }
      }
    }
  }

  /// Whether the test has skipped itself.
  var isSkipped: Bool { lock.withLock { testCase?.testRun?.hasBeenSkipped ?? false } }

  var failureCount: Int { lock.withLock { testCase?.testRun?.totalFailureCount ?? 0 } }

  /// The test case. Not protected by the lock. Use it only while the test runs.
  var unsafeTestCase: XCTestCase? { lock.withLock { testCase } }

  /// The address of the test case, for the search for retain paths through it.
  var address: UInt? {
    lock.withLock { testCase.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } }
  }

  /// Releases the test case. XCTest's observer calls it when the test has finished.
  package func end() { lock.withLock { testCase = nil } }
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
