import Foundation
import Sleepless
import XCTest

/// Knows which XCTest test is running.
///
/// XCTest calls observers on the main thread; any thread may read.
final class XCTestProgress: NSObject, XCTestObservation, Sendable {
  static let shared = XCTestProgress()

  private struct State {
    var hasStarted = false
    var running: RunningTestCase?
    /// Its number, if waits are measured.
    var measured: Int32?
  }

  private let state = Locked(State())

  /// The test that is running now, or nil before, between and after tests.
  var running: RunningTestCase? { state.withLock { $0.running } }

  /// Whether XCTest runs tests in this process.
  var hasStarted: Bool { state.withLock { $0.hasStarted } }

  func testBundleWillStart(_ testBundle: Bundle) { state.withLock { $0.hasStarted = true } }

  func testCaseWillStart(_ testCase: XCTestCase) {
    let test = RunningTestCase(testCase)
    // Teardown blocks run in reverse order, so this one runs last. It cannot be added later: XCTest
    // stops the process when a block is added after the first one has begun to run.
    testCase.addTeardownBlock { test.endOfTest.finishHere() }
    state.withLock { state in
      state.hasStarted = true
      state.running = test
      #if os(Linux) && !SLEEPLESS_AS_ON_APPLE
        state.measured = MeasuringWaits.start(testCase.name)
      #endif
    }
  }

  func testCaseDidFinish(_ testCase: XCTestCase) {
    let (test, measured) = state.withLock { ($0.running.take(), $0.measured.take()) }
    test?.end()
    #if os(Linux) && !SLEEPLESS_AS_ON_APPLE
      if let measured { MeasuringWaits.end(measured) }
    #endif
  }
}

// The observer must be registered before the first test starts: XCTest has no other way to find out
// which test is running. A helper cannot do it: registering off the main thread is unsafe, and in the
// first test it is too late to learn that test's name. So the loader does it, on the main thread, before
// `main` on Linux and when XCTest loads the test bundle on Apple's systems, as by
// `__attribute__((constructor))` in C.
#if canImport(Darwin)
  @section("__DATA,__mod_init_func,mod_init_funcs") @used
  private let registerAtLoad: @convention(c) () -> Void = { XCTestProgress.registerOnMainThread() }
#elseif os(Linux)
  @section(".init_array") @used
  private let registerAtLoad: @convention(c) () -> Void = {
    #if SLEEPLESS_AS_ON_APPLE
      XCTestProgress.registerOnMainThread()
    #else
      XCTestObservationCenter.shared.addTestObserver(XCTestProgress.shared)
    #endif
  }
#endif

extension XCTestProgress {
  /// Registers the observer where the loader does not. The test that is running then stays unknown: its
  /// failures are printed and fail the process (F2), but not that test.
  static func prepare() { lateRegistration }

  private static let lateRegistration: Void = {
    #if !canImport(Darwin) && !os(Linux)
      registerOnMainThread()
    #endif
  }()

  fileprivate static func registerOnMainThread() {
    if Thread.isMainThread {
      XCTestObservationCenter.shared.addTestObserver(shared)
    } else {
      DispatchQueue.main.async { XCTestObservationCenter.shared.addTestObserver(shared) }
    }
  }
}
