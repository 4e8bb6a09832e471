import SleeplessSimulation
import TestSupport
import Testing

@Suite(.wholeProcess) struct FrameworkWaitTests {
  /// XCTest decides a wait on another thread, which may be faster than the wait.
  @Test @available(macOS 15, *)
  func `S10 a wait that is decided before it runs its run loop takes no time`() async {
    let outcome = await Simulation.run { await Simulation.waitStoppedBefore(for: .seconds(60)) }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.elapsed == .zero)
  }
}
