#if os(Linux) && SLEEPLESS_PUBLIC_EXECUTORS
  import SleeplessTesting
  import XCTest

  /// A toolchain that cannot capture the process's tasks, which CI builds for by a flag.
  final class NotCapturedTests: SimulatedTestCase {
    private let failures = Locked<[Failure]>([])
    private let line = #line + 2

    override var simulationSettings: SimulationSettings { SimulationSettings() }

    func testF3AMissingCaptureIsToldAndTheTestRunsAsItWouldWithout() {
      XCTAssertNil(Simulation.current)
      let text = """
        The tests of a SimulatedTestCase cannot be simulated here: this process's tasks cannot be \
        captured. The test was not run.
        """
      let told = failures.withLock { failures in
        defer { failures = [] }
        return failures
      }
      XCTAssertEqual(told, [Failure(text, line: line)])
    }

    override func recordFailure(
      withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
      expected: Bool
    ) {
      guard lineNumber != line else {
        return failures.withLock {
          $0.append(Failure(description, file: filePath, line: lineNumber))
        }
      }
      super.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
    }
  }
#endif
