import Dispatch
import SleeplessTesting
import Testing

/// Misuse of Dispatch that stops the process without a simulation, too.
@Suite struct DispatchMisuse {
  @Test(.explored(schedules: 10)) func leavesAGroupTooOften() async {
    guard isWanted else { return }
    let group = DispatchGroup()
    // When the block has run, the queue leaves the group as well.
    DispatchQueue.global().async(group: group) { group.leave() }
    await settle()
  }

  @Test(.explored(schedules: 10)) func releasesASemaphoreInUse() async {
    guard isWanted else { return }
    DispatchQueue.global().async { DispatchSemaphore(value: 1).wait() }
    await settle()
  }

  @Test(.explored(schedules: 10)) func callsDispatchMain() async {
    guard isWanted else { return }
    DispatchQueue.global().async { dispatchMain() }
    await settle()
  }

  private var isWanted: Bool { FixtureScenario.current.scenario == "misuse" }
}
