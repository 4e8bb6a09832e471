import Sleepless

/// The tests of one framework that a process has run, and their waits in real time. Times count from one instant.
package struct MeasuredRun: Sendable, Equatable {
  package enum Framework: String, Sendable {
    case xctest = "XCTest"
    case swiftTesting = "Swift Testing"
  }

  package struct Test: Sendable, Equatable {
    /// A time in which the test, or at least one of its cases, runs.
    package struct Turn: Sendable, Equatable {
      package let start: Duration
      /// Nil if the process ended before the test did.
      package var end: Duration?

      package init(from start: Duration, to end: Duration? = nil) {
        self.start = start
        self.end = end
      }
    }

    package var name: String
    package var file: String
    package var line: Int
    /// An address in its code, if the file and the line have to be looked up.
    package var address: UInt?
    /// In their order. A test that is repeated, or whose cases run one after another, has several.
    package var turns: [Turn]

    package init(name: String, file: String, line: Int, turns: [Turn]) {
      self.name = name
      self.file = file
      self.line = line
      self.turns = turns
    }
  }

  /// A place in the sources that waits.
  package struct Place: Sendable, Hashable {
    /// Empty if it is not known.
    package var file: String
    package var line: Int
    package let function: String
    /// An address in its code, if the file and the line have to be looked up.
    package var address: UInt?

    package init(file: String, line: Int, function: String) {
      self.file = file
      self.line = line
      self.function = function
    }

    package init(at address: UInt, function: String) {
      (file, line) = ("", 0)
      self.function = function
      self.address = address
    }
  }

  /// What a place waits with. `find-waits` has the same names.
  package enum Kind: String, Sendable {
    case taskSleep = "Task.sleep"
    case threadSleep = "thread sleep"
    case expectation = "expectation"
    case semaphore = "semaphore"
    case group = "dispatch group"
    case condition = "condition variable"
    case runLoop = "run loop"
    case delayedCall = "asyncAfter"
    case timer = "timer"
    case yield = "Task.yield"
    case pollingLoop = "polling loop"
  }

  /// Returns the file and the line of an address of code. That takes milliseconds.
  package typealias Locate = (_ address: UInt) -> (file: String, line: Int)?

  /// A wait, or several short ones in a row.
  package struct Wait: Sendable, Equatable {
    package let kind: Kind
    package var place: Place
    package let count: Int
    package let start: Duration
    /// Nil if it was under way when the process ended.
    package let end: Duration?
    /// The sum of the waits.
    package let waited: Duration
    /// The test, as an index; nil if its code does not know.
    package let test: Int?

    package init(
      _ kind: Kind, at place: Place, count: Int = 1, from start: Duration, to end: Duration?,
      waited: Duration? = nil, test: Int?
    ) {
      self.kind = kind
      self.place = place
      self.count = count
      self.start = start
      self.end = end
      self.waited = waited ?? ((end ?? start) - start)
      self.test = test
    }
  }

  package var framework: Framework
  package var tests: [Test]
  package var waits: [Wait]
  /// When the process ended.
  package var end: Duration
  /// What the run could not measure, as sentences.
  package var limits: [String]

  package init(
    _ framework: Framework, tests: [Test], waits: [Wait], end: Duration, limits: [String] = []
  ) {
    self.framework = framework
    self.tests = tests
    self.waits = waits
    self.end = end
    self.limits = limits
  }
}
