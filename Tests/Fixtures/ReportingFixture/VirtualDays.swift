// virtual time: everything here runs in simulations
import Foundation
import SleeplessTesting
import Testing
import XCTest

// FrameworkTimeProcessTests reads how long these tests took by the frameworks' clocks.

@Suite struct VirtualDayTests {
  @Test(.simulated, .timeLimit(.minutes(1))) func letsADayPass() async throws {
    try await Task.sleep(for: .seconds(86_400))
    print("passed: \(Simulation.current?.now.components.seconds ?? 0) s")
  }
}

#if os(Linux)  // Elsewhere XCTest cannot be run by a program.
  class VirtualDayCases: SimulatedTestCase {
    func testLetsADayPass() async throws {
      try await Task.sleep(for: .seconds(86_400))
      print("passed: \(Simulation.current?.now.components.seconds ?? 0) s")
    }

    func testMeasuresADay() {
      measure { Thread.sleep(forTimeInterval: 86_400) }
      print("passed: \(Simulation.current?.now.components.seconds ?? 0) s")
    }

    static var cells: [XCTestCaseEntry] {
      [
        testCase([
          ("testLetsADayPass", asyncTest(testLetsADayPass)),
          ("testMeasuresADay", testMeasuresADay),
        ])
      ]
    }
  }
#endif
