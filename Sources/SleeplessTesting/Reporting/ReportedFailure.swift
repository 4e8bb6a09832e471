import Sleepless
import Testing
import XCTest

/// Errors that end a test without a second failure, for a failure that has been reported.
///
/// Each framework has such an error for its own use, thrown by `#require` and by `XCTUnwrap`. The only
/// way to get it is to call these. Before any test runs, they throw it without counting a failure.
enum ReportedFailure {
  private nonisolated(unsafe) static var ofSwiftTesting: (any Error)?
  private nonisolated(unsafe) static var ofXCTest: (any Error)?
  // Unsafe because only the loader writes them, before `main`.

  fileprivate static func prepare() {
    do { try #require(Bool(false)) } catch { ofSwiftTesting = error }
    do { _ = try XCTUnwrap(nil as Int?) } catch { ofXCTest = error }
  }

  /// The error to throw in a Swift Testing test, or in an XCTest test.
  static func error(inSwiftTesting: Bool) -> any Error {
    (inSwiftTesting ? ofSwiftTesting : ofXCTest) ?? AlreadyReported()
  }

  /// The stand-in where the loader cannot call `prepare`. The framework reports it as a second failure.
  private struct AlreadyReported: Error, CustomStringConvertible {
    var description: String { "the failure reported before ended the test" }
  }
}

#if os(Linux) && compiler(>=6.3)
  @section(".init_array") @used
  private let prepareAtLoad: @convention(c) () -> Void = { ReportedFailure.prepare() }
#endif
