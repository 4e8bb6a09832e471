// virtual time: all yields are in a simulation
import SleeplessSimulation
import TestSupport

/// A simulation that is abandoned because its body blocks for too long, and a task that is left.
struct GivenUp {
  let ending: String
  /// Opens when the driver has returned from the body.
  let driverHasLeft: Latch
  private let mayGoOn: Latch
  private let leftOver: Task<Bool, Never>

  init(_ block: @escaping @Sendable () async -> Void) async {
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
        await block()
      })
    ending = outcome.report.ending.name
    self.driverHasLeft = driverHasLeft
    self.mayGoOn = mayGoOn
    leftOver = tasks.values[0]
  }

  /// The driver is the last owner of the body.
  private static func body(
    holding probe: Probe, _ body: @escaping @Sendable () async -> Void
  ) -> @Sendable () async -> Void {
    {
      await body()
      probe.touch()
    }
  }

  /// Resumes the task that is left, and returns whether the task is cancelled.
  func isLeftOverCancelled() async -> Bool {
    mayGoOn.open()
    return await leftOver.value
  }
}
