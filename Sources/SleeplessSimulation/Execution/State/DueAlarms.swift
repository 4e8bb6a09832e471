import CRuntimeHooks

/// The jobs that end sleeps of no time: what a task that sleeps so gives up is its turn.
///
/// Each runs as soon as its task has been suspended, before anything else and as no step of its own,
/// and makes the task ready. So a sleep of zero is what a yield is: one point where others may come in
/// between, in any order. In the timeline it would end behind all that can run.
struct DueAlarms: ~Copyable {
  private struct Alarm {
    let job: Job
    let sleeper: TaskPointer?
  }

  private var alarms: [Alarm] = []
  /// Kept, as each step asks for it.
  private(set) var count = 0

  mutating func add(_ alarm: UnownedJob, of sleeper: TaskPointer?) {
    alarms.append(Alarm(job: Job(alarm, place: .anywhere), sleeper: sleeper))
    count = alarms.count
  }

  /// Takes the first whose task has been suspended. A task elsewhere may not have been by now: it would
  /// go on without a pause.
  mutating func takeOfSuspended() -> Job? {
    let index = alarms.firstIndex { alarm in
      alarm.sleeper.map { !sleepless_can_run($0.address) } ?? true
    }
    return index.map { take(at: $0) }
  }

  /// Takes the first; there must be one.
  mutating func takeFirst() -> Job { take(at: 0) }

  private mutating func take(at index: Int) -> Job {
    count -= 1
    return alarms.remove(at: index).job
  }

  /// Takes all of them. They must run even if nobody sleeps any more: they free memory.
  mutating func takeAll() -> [Job] {
    defer { (alarms, count) = ([], 0) }
    return alarms.map(\.job)
  }
}
