import SleeplessSimulation

extension TraceDifference {
  /// Where the runs differ, to follow a subject such as "Two runs in the same order".
  var text: String {
    "differ from step \(step) on. The first run \(Self.text(first)), the second \(Self.text(second))."
  }

  /// The usual causes of a difference, and the remedies.
  static let causes = """
    Something outside the simulation decides the order: a Set or Dictionary, Date(), UUID(), random \
    numbers, work on a queue or thread, or what an earlier run left in a static variable or a file. \
    SWIFT_DETERMINISTIC_HASHING=1 in the environment fixes the order of sets; \
    Simulation.randomNumbers() gives numbers that are the same each time.
    """

  private static func text(_ step: ScheduleTrace.Step?) -> String {
    guard let step else { return "had ended" }
    let action =
      switch (step.candidate.kind, step.candidate.task.map(Self.name)) {
      case (.task, let task?): "ran \(task)"
      case (.actor, let task?): "ran an actor for \(task)"
      case (.alarm, let task?): "ended a sleep of \(task)"
      case (.alarm, nil): "ended a sleep"
      case (_, nil): "ran a job of an actor or the runtime"
      }
    let choice = step.isChoice ? ", one of \(step.runnable.count)," : ""
    return "\(action)\(choice) at \(step.instant.shortDescription)"
  }

  private static func name(of task: Int) -> String { task == 0 ? "the body" : "task \(task)" }
}
