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

  /// The options of a second run; nil if none is wanted, or if the first run has a problem.
  func again(after report: Simulation.Report) -> Simulation.Options? {
    guard settings.checksDeterminism, SimulationProblem.all(in: report, settings).isEmpty else {
      return nil
    }
    first = report
    return options
  }

  /// The problems of the last run, or of the comparison of both runs. `hasFailed` says whether the test has
  /// failed by something else.
  func problems(in report: Simulation.Report, hasFailed: Bool) -> [SimulationProblem] {
    let problems = SimulationProblem.all(in: report, settings, hasFailed: hasFailed)
    guard problems.isEmpty, let first,
      let difference = TraceDifference(ScheduleTrace(first.trace), ScheduleTrace(report.trace))
    else { return problems }
    return [
      SimulationProblem(
        text: "Two runs in the same order \(difference.text)\n\(TraceDifference.causes)")
    ]
  }
}
