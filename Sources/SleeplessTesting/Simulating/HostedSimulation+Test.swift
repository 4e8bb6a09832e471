import Sleepless
import SleeplessSimulation

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
extension HostedSimulation {
  /// Runs the simulation until it is at rest; if it cannot come to rest, fails the test at the call's
  /// line and returns false.
  func settle(for call: String, at site: CallSite) -> Bool { succeeds(settle(), call, at: site) }

  /// Runs the simulation for a duration of virtual time; fails the test if that is not possible.
  func advance(by duration: Duration, for call: String, at site: CallSite) {
    _ = succeeds(advance(by: duration), call, at: site)
  }

  private func succeeds(_ halt: Halt?, _ call: String, at site: CallSite) -> Bool {
    switch halt {
    case nil: return true
    case .silence(let timeout):
      Reporter(at: site).fail(
        """
        \(call) waited \(timeout.shortDescription) of real time for a call of Simulation.outside, \
        and gave up.
        Time stands still while such a call is under way. Let the call end, replace it with a double, or \
        raise SLEEPLESS_GUARD_SECONDS.
        """)
    case .restless, .told: break
    case .givenUp(let end):
      SimulationProblem.ending(of: end.report, options).map { Reporter(at: site).fail($0) }
    }
    return false
  }
}
