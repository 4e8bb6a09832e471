import SleeplessTesting
import Testing
import TestSupport
import XCTest

/// A failure that a helper reported: its whole text and where it points.
struct Failure: Equatable, CustomStringConvertible {
  var text: String
  let file: String
  let line: Int

  init(_ text: String, file: String = #fileID, line: Int) {
    self.text = text
    self.file = String(file.split(separator: "/").last!)
    self.line = line
  }

  var description: String { "\(file):\(line): \(text)" }
}

extension Failure {
  /// The same without the functions that tasks wait in, which differ with the optimiser.
  var withoutFunctions: Failure {
    var failure = self
    failure.text = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.prefix(upTo: $0.firstRange(of: ", in ")?.lowerBound ?? $0.endIndex) }
      .joined(separator: "\n")
    return failure
  }
}

extension Failure {
  /// The same without the function that has called a stand-in, which is not known everywhere.
  var withoutCaller: Failure {
    var failure = self
    failure.text = text.replacing(/, called in (?!\S+\.swift:\d)[^\n]*\.(?:\n|$)/, with: ".\n")
    return failure
  }
}

extension Failure {
  /// The same without the note that tasks may have run outside, where they cannot be captured.
  var withoutMissingCapture: Failure {
    var failure = self
    let note =
      "\nThis process's tasks cannot be captured, so tasks may have run outside the simulation.\n"
    if let range = text.firstRange(of: note) { failure.text = String(text[..<range.lowerBound]) }
    return failure
  }
}

/// Runs code that is to fail, keeps its failures from the Swift Testing test, and returns them.
func failures(
  isolation: isolated (any Actor)? = #isolation, of body: () async -> Void
) async -> [Failure] {
  let log = Log<Failure>()
  await withKnownIssue(isIntermittent: true) {
    await body()
  } matching: { issue in
    log.append(Failure(issue))
    return true
  }
  return log.values
}

/// Runs code that is to fail, keeps its failures from the Swift Testing test, and returns them.
func failures(of body: () -> Void) -> [Failure] {
  let log = Log<Failure>()
  withKnownIssue(isIntermittent: true) {
    body()
  } matching: { issue in
    log.append(Failure(issue))
    return true
  }
  return log.values
}

extension Failure {
  fileprivate init(_ issue: Issue) {
    let text = issue.comments.map(\.rawValue).joined(separator: "\n")
    let location = issue.sourceLocation
    self.init(text, file: location?.fileID ?? "none", line: location?.line ?? 0)
  }
}

/// A test case that can run code that is to fail, and look at its failures.
class FailureCatchingTestCase: XCTestCase {
  private let caught = Locked<[Failure]?>(nil)

  func failures(of body: () async -> Void) async -> [Failure] {
    beginCatching()
    await body()
    return endCatching() ?? []
  }

  /// Catches the test's failures from now on. A test that calls it looks at those of its end in `tearDown`.
  func beginCatching() { caught.withLock { $0 = [] } }

  /// Returns the failures that have been caught; nil if none were to be.
  func endCatching() -> [Failure]? { caught.withLock { $0.take() } }

  #if canImport(Darwin)
    override func record(_ issue: XCTIssue) {
      let location = issue.sourceCodeContext.location
      let failure = Failure(
        issue.compactDescription, file: location?.fileURL.path ?? "",
        line: location?.lineNumber ?? 0)
      let isCaught = caught.withLock { caught in
        caught?.append(failure)
        return caught != nil
      }
      if !isCaught { super.record(issue) }
    }
  #else
    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      let failure = Failure(description, file: filePath, line: lineNumber)
      // An exploration keeps the failures of its schedules to itself, by another run of the test. A wait for
      // assertions also makes one, which takes only their failures.
      let isOther = testRun.map { type(of: $0) != XCTestCaseRun.self } ?? false
      let isDiverted = HeldFailures.isHolding || isOther && !HeldFailures.isUnderWay
      let isCaught = caught.withLock { caught in
        guard !isDiverted else { return false }
        caught?.append(failure)
        return caught != nil
      }
      guard !isCaught else { return }
      super.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
    }
  #endif
}
