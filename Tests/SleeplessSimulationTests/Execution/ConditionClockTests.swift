// virtual time: all sleeps are in simulations
#if os(Linux)
  import Foundation
  import Sleepless
  import SleeplessSimulation
  import TestSupport
  import Testing

  /// A wait for a condition of C lasts until a date in virtual time, by the condition's clock (S10).
  @Suite(.needs(.operations), .needs(.clocks)) struct ConditionClockTests {
    @Test(arguments: [CLOCK_REALTIME, CLOCK_MONOTONIC])
    func `S10 a wait for a condition of C lasts until it is signalled, or to the date by its clock`(
      clock: clockid_t
    ) async throws {
      let outcome = await Simulation.run {
        let condition = ConditionOfC(clock)
        Task {
          sleepThread(.seconds(1))
          condition.signal()
        }
        let start = ContinuousClock.now
        let signalled = condition.wait(seconds: 2)
        let first = ContinuousClock.now
        let late = condition.wait(seconds: 2)
        return (signalled, first - start, late, ContinuousClock.now - first)
      }
      let (signalled, first, late, second) = try #require(outcome.result).get()
      #expect(signalled == 0 && first == .seconds(1))
      #expect(late == ETIMEDOUT && second == .seconds(2))
    }
  }
#endif
