import SleeplessTesting
import TestSupport

/// A simulated test case whose tests do not run where they cannot be simulated.
class CapturedTestCase: SleeplessTesting.SimulatedTestCase {
  override func invokeTest() {
    // XCTest on Linux lets only code of a test, which is not to run here, skip it. XCTest waits for each
    // asynchronous test, so all need virtual waits.
    guard let need = [Need.capture, .virtualWaits].first(where: { !$0.isMet }) else {
      return super.invokeTest()
    }
    print("\(name) did not run: it \(need.rawValue).")
  }
}

/// This module's tests get that class under the library's name, so that examples are as in the documentation.
typealias SimulatedTestCase = CapturedTestCase

/// An explored test case whose tests do not run where they cannot be simulated.
class CapturedExploredTestCase: SleeplessTesting.ExploredTestCase {
  override func invokeTest() {
    guard let need = [Need.capture, .virtualWaits].first(where: { !$0.isMet }) else {
      return super.invokeTest()
    }
    print("\(name) did not run: it \(need.rawValue).")
  }
}

/// See `SimulatedTestCase`.
typealias ExploredTestCase = CapturedExploredTestCase
