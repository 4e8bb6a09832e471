import Sleepless
import SleeplessSimulation

/// One run of a simulated test, or two that have to take the same steps.
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
    guard problems.isEmpty, let first, let text = difference(first, report) else { return problems }
    return [SimulationProblem(text: text)]
  }

  private func difference(_ first: Simulation.Report, _ second: Simulation.Report) -> String? {
    let count = max(first.trace.count, second.trace.count)
    func step(_ report: Simulation.Report, _ index: Int) -> String {
      guard index < report.trace.count else { return "had ended" }
      let step = report.trace[index]
      let task =
        step.task.map { $0 == 0 ? "the body" : "task \($0)" } ?? "a job of an actor or the runtime"
      return "ran \(task) at \(step.instant.duration.shortDescription)"
    }
    let differing = (0..<count).first { index in
      index >= min(first.trace.count, second.trace.count)
        || first.trace[index] != second.trace[index]
    }
    guard let differing else { return nil }
    return """
      Two runs in the same order differ from step \(differing + 1) on: the first \
      \(step(first, differing)), the second \(step(second, differing)).
      Something decides that no simulation steers: the order of a Set or Dictionary, Date(), UUID(), \
      random numbers, work on a queue or thread, or what the first run left behind in a static \
      variable or a file. SWIFT_DETERMINISTIC_HASHING=1 in the environment fixes the order of sets.
      """
  }
}
