#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  import Sleepless
  import SleeplessTesting
  import XCTest

  class OwnerTests: XCTestCase {
    func testOwner() {
      Leftover.shared.keep(Reporter(at: CallSite()))  // MARK: XCTest helper
    }
  }

  class StoredPropertyTests: XCTestCase {
    let reporter = Reporter(at: CallSite())  // MARK: stored helper

    func testOther() {}
    func testStored() { reporter.fail("the stored property failed") }
  }

  class SeveralFailuresTests: XCTestCase {
    func testTwo() {
      let reporter = Reporter(at: CallSite())  // MARK: XCTest two
      reporter.fail("the first")
      reporter.fail("the second")
    }

    func testEightThreads() {
      failFromEightThreads(Reporter(at: CallSite()))  // MARK: XCTest eight
    }

    func testOtherLine() {
      Reporter(at: CallSite()).fail("elsewhere", at: CallSite())  // MARK: XCTest other line
    }
  }

  class OutsideTests: XCTestCase {
    func testOutside() { outside.fail("the global failed") }
  }

  extension FixtureScenario {
    /// The tests of the cell, in the order XCTest runs them.
    var testCases: [XCTestCaseEntry] {
      switch scenario {
      case "exiting": return [testCase([("testOwner", OwnerTests.testOwner)])]
      case "stored":
        return [
          testCase([
            ("testOther", StoredPropertyTests.testOther),
            ("testStored", StoredPropertyTests.testStored),
          ])
        ]
      case "two": return [testCase([("testTwo", SeveralFailuresTests.testTwo)])]
      case "eight": return [testCase([("testEightThreads", SeveralFailuresTests.testEightThreads)])]
      case "line": return [testCase([("testOtherLine", SeveralFailuresTests.testOtherLine)])]
      case "outside-finished":
        return [testCase([("testOther", StoredPropertyTests.testOther)])]
      case "gallery": return Self.gallery
      case "gallery-lock": return Self.galleryLock
      case "gallery-uncaptured": return Self.galleryUncaptured
      case "recorders": return RecorderTests.cells
      case "late": return LateWorkTests.cells
      case "leaks": return LeakTests.cells
      case "simulated-leaks": return SimulatedLeakTests.cells
      case "measured-waits": return MeasuredWaitsTests.cells
      case "interrupted-waits": return InterruptedWaitsTests.cells
      case "flood": return FloodTests.cells
      case "waiting": return WaitingTests.cells
      case "hanging": return HangingTests.cells
      case "expectations": return ExpectationFailureTests.cells
      case "simulated-ends": return SimulatedEndTests.cells
      case "manual-time": return ManualTimeTests.cells
      case "resumed-from-outside": return ResumedFromOutsideTests.cells
      case "explored-case": return ExploredCaseTests.cells
      case "blocked": return BlockedTests.cells
      case "deadlocked": return DeadlockedTests.cells
      case "locked": return LockedTests.cells
      case "parked": return ParkedTests.cells
      case "uncaptured": return UncapturedTests.cells
      case "real-condition": return RealWaitTests.condition
      case "real-run-loop": return RealWaitTests.runLoop
      case "unfollowed": return UnfollowedTests.cells
      case "hanging-setup": return HangingSetUpTests.cells
      case "virtual-days": return VirtualDayCases.cells
      case "doubles": return DoublesTests.cells
      case "assertions": return AssertionTests.cells
      case "loops": return LoopTests.cells
      case "ends": return EndTests.cells
      case "ends-unfinished": return EndTests.unfinished
      case "ends-elsewhere": return EndTests.elsewhere
      case "asserted": return AssertedTests.cells
      case let scenario where Misuse(rawValue: scenario) != nil: return DispatchMisuseTests.cells
      case let scenario where MatrixMoment(rawValue: scenario) != nil: return MatrixTests.cells
      case "outside": return [testCase([("testOutside", OutsideTests.testOutside)])]
      default: fatalError("no XCTest scenario is called \(scenario)")
      }
    }
  }
#endif
