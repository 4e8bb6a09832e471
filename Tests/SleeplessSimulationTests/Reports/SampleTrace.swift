import SleeplessSimulation

/// Schedules made by hand, with names for their functions.
enum SampleTrace {
  typealias Step = ScheduleTrace.Step
  typealias Candidate = ScheduleTrace.Candidate

  /// A reader is cancelled before it has begun to wait; a second later another task wakes up.
  static let cancellation = trace(
    names: [nil, "reader", nil, "alarm clock"],
    [
      step([0], effects: [.made(1), .woke(1, by: 0), .made(2), .woke(2, by: 0)]),
      step([1, 2], chosen: 1, defaultIndex: 0),
      step(
        [1, 2], chosen: 1, defaultIndex: 1,
        effects: [.made(3), .woke(3, by: 2), .ended(2, byError: false)]),
      step([1, 3], effects: [.woke(0, by: 1)]),
      step([3], effects: [.fellAsleep(3, until: .seconds(1))]),
      step([3], at: .seconds(1), effects: [.woke(0, by: 3), .ended(3, byError: false)]),
      step(
        [0, 1], at: .seconds(1), chosen: 1, defaultIndex: 0,
        effects: [.ended(1, byError: false), .ended(0, byError: false)]),
    ])

  static func trace(names: [String?], _ steps: [Step]) -> ScheduleTrace {
    var trace = ScheduleTrace()
    trace.tasks = names.enumerated().map { number, name in
      ScheduleTrace.Participant(
        number: number, name: name, creator: number == 0 ? nil : number == 3 ? 2 : 0,
        instant: .zero,
        code: 0)
    }
    trace.steps = steps
    return trace
  }

  static func step(
    _ tasks: [Int], at instant: Duration = .zero, chosen: Int = 0, defaultIndex: Int = 0,
    effects: [ScheduleTrace.Effect] = []
  ) -> Step {
    Step(
      instant: instant, runnable: tasks.map { Candidate(kind: .task, task: $0) }, chosen: chosen,
      defaultIndex: defaultIndex, effects: effects)
  }

  /// An actor runs a task, and then others that waited.
  static func actorStep(for task: Int, effects: [ScheduleTrace.Effect]) -> Step {
    Step(
      instant: .zero, runnable: [Candidate(kind: .actor, task: task)], chosen: 0, defaultIndex: 0,
      effects: effects)
  }

  static func alarm(of task: Int, at instant: Duration) -> Step {
    Step(
      instant: instant, runnable: [Candidate(kind: .alarm, task: task)], chosen: 0, defaultIndex: 0,
      effects: [.woke(task, by: nil)])
  }

  static func rows(_ trace: ScheduleTrace) -> ScheduleRows {
    let functions = [
      0: CodeFrame(function: "Tests.readsLetters()"), 1: CodeFrame(function: "Mailbox.next(_:)"),
      2: CodeFrame(function: "closure #1 in closure #2 in Mailbox.next(_:)", line: line(20)),
      3: CodeFrame(function: "Clock.ring(at:)", line: line(7)),
    ]
    return ScheduleRows(trace) { step in
      step.candidate.task.flatMap { functions[$0] }.map { [$0, CodeFrame(function: "outer")] } ?? []
    } function: { task in
      functions[task.number]
    }
  }

  private static func line(_ number: Int) -> SourceLine {
    SourceLine(path: "/src/Mail.swift", number: number)
  }

  /// Tasks that take turns, for `rounds` steps in all.
  static func turns(tasks: Int, rounds: Int) -> ScheduleTrace {
    trace(
      names: (0...tasks).map { $0 == 0 ? nil : "worker \($0)" },
      (0..<rounds).map { step([$0 % tasks + 1], at: .milliseconds($0)) })
  }

  /// Thirty tasks run in turn; a switch lets the second run before the first.
  static var manyTasks: ScheduleTrace {
    let all = Array(1...30)
    let making = step([0], effects: all.map { .made($0) })
    let switching = step(all, chosen: 1, effects: [.ended(2, byError: false)])
    let rest = all.filter { $0 != 2 }.map {
      step([$0], effects: [.ended($0, byError: false), .woke(0, by: $0)])
    }
    return trace(names: Array(repeating: nil, count: 31), [making, switching] + rest + [step([0])])
  }
}
