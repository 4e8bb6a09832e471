import Foundation
import Sleepless
import Testing
import XCTest

/// Errors that end a test without a second failure, for a failure that has been reported.
///
/// Each framework has such an error for its own use, thrown by `#require` and by `XCTUnwrap`. The only
/// way to get it is to call these. Before any test runs, they throw it without counting a failure. Apple's
/// XCTest may well stop the process at an assertion outside tests, but ignores each error that asks for it.
enum ReportedFailure {
  private nonisolated(unsafe) static var ofSwiftTesting: (any Error)?
  private nonisolated(unsafe) static var ofXCTest: (any Error)?
  // Unsafe because only the loader writes them, before `main`.

  fileprivate static func prepare() {
    do { try #require(Bool(false)) } catch { ofSwiftTesting = error }
    #if !canImport(Darwin) && !SLEEPLESS_AS_ON_APPLE
      do { _ = try XCTUnwrap(nil as Int?) } catch { ofXCTest = error }
    #endif
  }

  /// The error to throw in a Swift Testing test, or in an XCTest test.
  static func error(inSwiftTesting: Bool) -> any Error {
    (inSwiftTesting ? ofSwiftTesting : ofXCTest) ?? AlreadyReported()
  }

  /// The error for Apple's XCTest, and the stand-in on systems where no loader calls `prepare`.
  private struct AlreadyReported: CustomNSError, CustomStringConvertible {
    var description: String { "the failure reported before ended the test" }
    /// With this key the error of Apple's `XCTUnwrap` says that it has been reported. Nimble relies on it too.
    var errorUserInfo: [String: Any] { ["XCTestErrorUserInfoKeyShouldIgnore": true] }
  }
}

// See `registerAtLoad` in XCTestProgress.swift.
#if canImport(Darwin)
  @section("__DATA,__mod_init_func,mod_init_funcs") @used
  private let prepareAtLoad: @convention(c) () -> Void = { ReportedFailure.prepare() }
#elseif os(Linux)
  @section(".init_array") @used
  private let prepareAtLoad: @convention(c) () -> Void = { ReportedFailure.prepare() }
#endif
