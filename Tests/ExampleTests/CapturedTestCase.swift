import SleeplessTesting
import TestSupport

/// A simulated test case whose tests do not run where they cannot be simulated.
class CapturedTestCase: SleeplessTesting.SimulatedTestCase {
  override func invokeTest() { if canBeSimulated() { super.invokeTest() } }
}

/// This module's tests get that class under the library's name, so that examples are as in the documentation.
typealias SimulatedTestCase = CapturedTestCase

/// An explored test case whose tests do not run where they cannot be simulated.
class CapturedExploredTestCase: SleeplessTesting.ExploredTestCase {
  override func invokeTest() { if canBeSimulated() { super.invokeTest() } }
}

/// See `SimulatedTestCase`.
typealias ExploredTestCase = CapturedExploredTestCase
