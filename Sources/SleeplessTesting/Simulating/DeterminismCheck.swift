import Sleepless
import SleeplessSimulation

/// One run of a simulated test, or two that must take the same steps.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
final class DeterminismCheck {
  private let settings: SimulationSettings
  private var first: Simulation.Report?
  let detached = DetachedTasks()

  init(_ settings: SimulationSettings) { self.settings = settings }

  var options: Simulation.Options {
    var options = detached.options(settings.options)
    options.recordsSteps = settings.checksDeterminism
    return options
  }

  /// How to run it again, if it has to be: not if something is wrong already.
  func again(after report: Simulation.Report) -> Simulation.Options? {
    guard settings.checksDeterminism, SimulationProblem.all(in: report, settings).isEmpty else {
      return nil
    }
    first = report
    return options
  }

  /// What is wrong with the last run, or with both.
  func problems(in report: Simulation.Report) -> [SimulationProblem] {
    let problems = SimulationProblem.all(in: report, settings)
    guard problems.isEmpty, let first,
      let difference = TraceDifference(ScheduleTrace(first.trace), ScheduleTrace(report.trace))
    else { return problems }
    return [
      SimulationProblem(
        text: "Two runs in the same order \(difference.text)\n\(TraceDifference.causes)")
    ]
  }
}
