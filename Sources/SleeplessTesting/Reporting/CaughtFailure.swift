import Foundation
import Sleepless
import XCTest

/// A failure that its framework has not reported.
struct CaughtFailure: Sendable {
  let text: String
  let file: String
  let line: Int

  var place: String { "\(file.split(separator: "/").last ?? ""):\(line)" }

  /// The failure in a few words. XCTest knows no line of an error that the test throws.
  var cause: String { file == "<EXPR>" ? "the test \(text)" : "a failure at \(place)" }
}

extension RunningTestCase {
  /// Diverts this test's failures to a closure, as long as that returns true; returns a closure that
  /// ends the diversion.
  func divertFailures(
    to take: @escaping @Sendable (CaughtFailure) -> Bool
  ) -> () -> Void {
    guard let testCase = unsafeTestCase else { return {} }
    #if canImport(Darwin)
      // It holds for the rest of the test, and then takes none.
      let options = XCTExpectedFailure.Options()
      options.isStrict = false
      options.issueMatcher = { issue in
        let location = issue.sourceCodeContext.location
        return take(
          CaughtFailure(
            text: issue.compactDescription, file: location?.fileURL.path ?? "",
            line: location?.lineNumber ?? 0))
      }
      XCTExpectFailure("failures that are held back", options: options)
      return {}
    #else
      // XCTest on Linux cannot expect failures. It records them in the test's run, held by the first
      // property of every test. Another run is put there meanwhile.
      guard let run = testCase.testRun as? XCTestCaseRun else { return {} }
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
      (diversion.take, diversion.run) = (take, run)
      place.pointee = diversion
      return { place.pointee = run }
    #endif
  }
}

#if !canImport(Darwin)
  /// The run of a test whose failures are caught.
  private final class DivertedRun: XCTestCaseRun {
    var take: (@Sendable (CaughtFailure) -> Bool)?
    /// The test's own run.
    var run: XCTestCaseRun?

    override var totalFailureCount: Int { run?.totalFailureCount ?? 0 }

    override func recordFailure(
      withDescription description: String, inFile filePath: String?, atLine lineNumber: Int,
      expected: Bool
    ) {
      let failure = CaughtFailure(text: description, file: filePath ?? "", line: lineNumber)
      guard take?(failure) != true else { return }
      run?.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
    }
  }
#endif

extension String {
  /// A text of Swift Testing with its arrows in ASCII: other characters can be lost in a pipe.
  var withPlainArrows: String { replacing("→", with: "->") }
}
