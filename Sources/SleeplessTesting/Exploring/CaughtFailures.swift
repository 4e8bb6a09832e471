import Foundation
import Sleepless
import Testing
import XCTest

/// Catches the failures of schedules, so that the test can run again and again. The last run shows them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class CaughtFailures: Sendable {
  struct Failure: Sendable {
    let text: String
    let file: String
    let line: Int

    var place: String { "\(file.split(separator: "/").last ?? ""):\(line)" }

    /// The failure in a few words. XCTest knows no line of an error that the test throws.
    var cause: String { file == "<EXPR>" ? "the test \(text)" : "a failure at \(place)" }
  }

  /// How many explorations are under way in this process.
  fileprivate static let explorations = Locked(0)

  private let caught = Locked<[Failure]>([])
  private let isCatching = Locked(false)

  func take() -> [Failure] {
    caught.withLock { caught in
      defer { caught = [] }
      return caught
    }
  }

  func append(_ failure: Failure) { caught.withLock { $0.append(failure) } }

  /// Runs code whose failures are caught, whichever framework runs the test.
  func catching(_ body: @Sendable () async -> Void) async {
    Self.explorations.withLock { $0 += 1 }
    defer { Self.explorations.withLock { $0 -= 1 } }
    if let test = Test.current {
      await catchingIssues(of: test, body)
    } else if let test = XCTestProgress.shared.running {
      isCatching.withLock { $0 = true }
      let restore = test.divertFailures { [self] failure in
        guard isCatching.withLock({ $0 }) else { return false }
        append(failure)
        return true
      }
      await body()
      isCatching.withLock { $0 = false }
      restore()
    } else {
      await body()
    }
  }

  private func catchingIssues(of test: Test, _ body: @Sendable () async -> Void) async {
    // The innermost matcher gets an issue, also within a user's `withKnownIssue`. The trait below keeps the
    // framework from printing the issue.
    @Sendable func matching() async {
      await withKnownIssue(isIntermittent: true) {
        await body()
      } matching: { [self] issue in
        if issue.severity >= .error { append(Failure(issue)) }
        return true
      }
    }
    let silence = IssueHandlingTrait.compactMapIssues { [self] issue in
      // The trait also gets all issues of the process whose test is unknown.
      if issue.isFailure, isOfCallback { append(Failure(issue)) }
      return nil
    }
    try? await silence.provideScope(for: test, testCase: Test.Case.current) { await matching() }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension CaughtFailures {
  /// Whether the calling code can only belong to a schedule of this exploration although Swift Testing
  /// does not know its test. This is so if it runs on a dispatch queue or a thread, not in a task that a
  /// test has started outside every simulation, and no other exploration is under way.
  fileprivate var isOfCallback: Bool {
    Test.current == nil && Simulation.current == nil && TestTasks.ofCurrentTest == nil
      && Self.explorations.withLock { $0 } == 1
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension CaughtFailures.Failure {
  fileprivate init(_ issue: Issue) {
    text = "\(issue)"
    file = issue.sourceLocation?.fileID ?? ""
    line = issue.sourceLocation?.line ?? 0
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension RunningTestCase {
  /// Diverts this test's failures to a closure, as long as that returns true; returns a closure that
  /// ends the diversion.
  func divertFailures(
    to take: @escaping @Sendable (CaughtFailures.Failure) -> Bool
  ) -> () -> Void {
    guard let testCase = unsafeTestCase else { return {} }
    #if canImport(Darwin)
      // It holds for the rest of the test, and then takes none.
      let options = XCTExpectedFailure.Options()
      options.isStrict = false
      options.issueMatcher = { issue in
        let location = issue.sourceCodeContext.location
        return take(
          CaughtFailures.Failure(
            text: issue.compactDescription, file: location?.fileURL.path ?? "",
            line: location?.lineNumber ?? 0))
      }
      XCTExpectFailure("explored schedules", options: options)
      return {}
    #else
      // XCTest on Linux cannot expect failures. It records them in the test's run, held by the first
      // property of every test. Another run is put there meanwhile.
      guard let run = testCase.testRun else { return {} }
      let object = Unmanaged.passUnretained(testCase).toOpaque()
      let address = UInt(bitPattern: Unmanaged.passUnretained(run).toOpaque())
      let offsets = stride(from: 16, to: 64, by: 8)
      guard
        let offset = offsets.first(where: {
          object.load(fromByteOffset: $0, as: UInt.self) == address
        })
      else { return {} }
      let place = (object + offset).assumingMemoryBound(to: XCTestRun?.self)
      let diversion = DivertedRun(test: testCase)
      diversion.take = take
      place.pointee = diversion
      return { place.pointee = run }
    #endif
  }
}

#if !canImport(Darwin)
  /// The run of a test whose failures are caught.
  private final class DivertedRun: XCTestCaseRun {
    var take: (@Sendable (CaughtFailures.Failure) -> Bool)?

    override func recordFailure(
      withDescription description: String, inFile filePath: String?, atLine lineNumber: Int,
      expected: Bool
    ) {
      _ = take?(
        CaughtFailures.Failure(text: description, file: filePath ?? "", line: lineNumber))
    }
  }
#endif
