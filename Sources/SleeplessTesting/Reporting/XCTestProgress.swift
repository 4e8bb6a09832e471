import Foundation
import Sleepless
import XCTest

/// Knows which XCTest test is running.
///
/// XCTest tells observers on the main thread; any thread may ask.
final class XCTestProgress: NSObject, XCTestObservation, Sendable {
  static let shared = XCTestProgress()

  private struct State {
    var hasStarted = false
    var running: RunningTestCase?
  }

  private let state = Locked(State())

  /// The test that is running now, or nil before, between and after tests.
  var running: RunningTestCase? { state.withLock { $0.running } }

  /// Whether XCTest runs tests in this process.
  var hasStarted: Bool { state.withLock { $0.hasStarted } }

  func testBundleWillStart(_ testBundle: Bundle) { state.withLock { $0.hasStarted = true } }

  func testCaseWillStart(_ testCase: XCTestCase) {
    let test = RunningTestCase(testCase)
    // Added before any other, so run after them. Later it could not be done safely: XCTest stops
    // the process over a block that is added once the first one runs.
    testCase.addTeardownBlock { test.endOfTest.finishHere() }
    state.withLock { state in
      state.hasStarted = true
      state.running = test
    }
  }

  func testCaseDidFinish(_ testCase: XCTestCase) {
    let test = state.withLock { $0.running.take() }
    test?.end()
  }
}

// The observer must be there before the first test starts: XCTest has no other way to ask which
// test is running. A helper made off the main thread could not register it safely, and one made in
// the first test would come too late to learn that test's name. So the loader does it, on the main
// thread, before `main`: this is what `__attribute__((constructor))` means in C.
#if os(Linux) && compiler(>=6.3)
  @section(".init_array") @used
  private let registerAtLoad: @convention(c) () -> Void = {
    XCTestObservationCenter.shared.addTestObserver(XCTestProgress.shared)
  }
#endif

extension XCTestProgress {
  /// Begins to observe where the loader does not. The test that is running then stays unknown: its
  /// failures are printed and fail the process (F2), but not that test.
  static func prepare() { lateRegistration }

  private static let lateRegistration: Void = {
    #if !(os(Linux) && compiler(>=6.3))
      if Thread.isMainThread {
        XCTestObservationCenter.shared.addTestObserver(shared)
      } else {
        DispatchQueue.main.async {
          XCTestObservationCenter.shared.addTestObserver(shared)
        }
      }
    #endif
  }()
}
