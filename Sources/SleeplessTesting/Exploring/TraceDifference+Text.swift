import SleeplessSimulation

extension TraceDifference {
  /// Where the runs differ, to follow a subject such as "Two runs in the same order".
  var text: String {
    let (first, second) = descriptions
    return "differ from step \(step) on. The first run \(first), the second \(second)."
  }

  /// The step of each run, in words that differ.
  private var descriptions: (first: String, second: String) {
    let (a, b) = (Self.text(first), Self.text(second))
    guard a == b, let first, let second else { return (a, b) }
    if let places {
      return ("\(a), where it was in \(places.first)", "\(b), where it was in \(places.second)")
    }
    if let index = first.runnable.indices.first(where: { first.runnable[$0] != second.runnable[$0] }
    ) {
      let jobs = (Self.text(first.runnable[index]), Self.text(second.runnable[index]))
      return ("\(a), when \(jobs.0) could run too", "\(b), when \(jobs.1) could run too")
    }
    return ("\(a), job \(first.chosen + 1)", "\(b), job \(second.chosen + 1)")
  }

  private static func text(_ job: ScheduleTrace.Candidate) -> String {
    let task = job.task.map(name) ?? "an unknown task"
    return switch job.kind {
    case .task: task
    case .actor: "an actor for \(task)"
    case .alarm: "the end of a sleep of \(task)"
    }
  }

  /// The usual causes of a difference, and the remedies.
  static let causes = """
    Something outside the simulation decides the order: a Set or Dictionary, Date(), UUID(), random \
    numbers, work on a queue or thread that the simulation does not control, or what an earlier run left \
    in a static variable or a file. SWIFT_DETERMINISTIC_HASHING=1 in the environment fixes the order of sets; \
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
