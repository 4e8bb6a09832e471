// virtual time: what yields here does so in a simulation
import SleeplessSimulation
import TestSupport

/// A simulation that is given up, as its body stays somewhere for too long, and a task that it leaves
/// behind.
struct GivenUp {
  let ending: String
  /// Opens when the driver has come back from where the body was, and has left.
  let driverHasLeft: Latch
  private let mayGoOn: Latch
  private let leftOver: Task<Bool, Never>

  init(_ resumptionActor: @escaping @Sendable () async -> Void) async {
    let (driverHasLeft, mayGoOn) = (Latch(), Latch())
    let tasks = Log<Task<Bool, Never>>()
    let outcome = await Simulation.run(
      Simulation.Options(timeout: .milliseconds(100)),
      Self.body(holding: Probe { driverHasLeft.open() }) {
        tasks.append(
          Task {
            await mayGoOn.wait()
            return Task.isCancelled
          })
        await Task.yield()
        await resumptionActor()
      })
    ending = outcome.report.ending.name
    self.driverHasLeft = driverHasLeft
    self.mayGoOn = mayGoOn
    leftOver = tasks.values[0]
  }

  /// The driver is the last to let go of a body.
  private static func body(
    holding probe: Probe, _ body: @escaping @Sendable () async -> Void
  ) -> @Sendable () async -> Void {
    {
      await body()
      probe.touch()
    }
  }

  /// Has the task that was left behind go on, and returns whether it finds itself cancelled.
  func isLeftOverCancelled() async -> Bool {
    mayGoOn.open()
    return await leftOver.value
  }
}
