import Sleepless
import Testing
import XCTest

/// Errors that end a test without being reported by the framework: for a failure already told.
///
/// Each framework has one for its own use, thrown by `#require` and by `XCTUnwrap`, and offers no
/// other way to make it than to call these. Called before any test runs, they throw and nobody
/// counts a failure.
enum ReportedFailure {
  private nonisolated(unsafe) static var ofSwiftTesting: (any Error)?
  private nonisolated(unsafe) static var ofXCTest: (any Error)?
  // Unsafe because nothing but the loader writes them, before `main`.

  fileprivate static func prepare() {
    do { try #require(Bool(false)) } catch { ofSwiftTesting = error }
    do { _ = try XCTUnwrap(nil as Int?) } catch { ofXCTest = error }
  }

  /// What to throw in a Swift Testing test, or in an XCTest test.
  static func error(inSwiftTesting: Bool) -> any Error {
    (inSwiftTesting ? ofSwiftTesting : ofXCTest) ?? AlreadyReported()
  }

  /// Where the loader cannot be asked, the framework tells this error as a second failure.
  private struct AlreadyReported: Error, CustomStringConvertible {
    var description: String { "the failure reported before ended the test" }
  }
}

#if os(Linux) && compiler(>=6.3)
  @section(".init_array") @used
  private let prepareAtLoad: @convention(c) () -> Void = { ReportedFailure.prepare() }
#endif
