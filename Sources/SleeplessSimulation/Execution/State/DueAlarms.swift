import CRuntimeHooks

/// The jobs that end sleeps of zero.
///
/// A sleep of zero is one scheduling point, as a yield is: other tasks may run before the sleeper goes
/// on, in any order. So its alarm runs as soon as the task has been suspended, before any other job and
/// uncounted, and makes the task ready. On the timeline it would run only when nothing else can.
struct DueAlarms: ~Copyable {
  private struct Alarm {
    let job: Job
    let sleeper: TaskPointer?
  }

  private var alarms: [Alarm] = []
  /// Stored, because each step asks for it.
  private(set) var count = 0

  mutating func add(_ alarm: UnownedJob, of sleeper: TaskPointer?) {
    alarms.append(Alarm(job: Job(alarm, place: .anywhere), sleeper: sleeper))
    count = alarms.count
  }

  /// Takes the first alarm whose task has been suspended. A task on another thread may not have been
  /// suspended yet, and would go on without a pause.
  mutating func takeOfSuspended() -> Job? {
    let index = alarms.firstIndex { alarm in
      alarm.sleeper.map { !sleepless_can_run($0.address) } ?? true
    }
    return index.map { take(at: $0) }
  }

  /// Takes the first alarm; there must be one.
  mutating func takeFirst() -> Job { take(at: 0) }

  private mutating func take(at index: Int) -> Job {
    count -= 1
    return alarms.remove(at: index).job
  }

  /// Takes all alarms. They must run even if their tasks no longer sleep, because they free memory.
  mutating func takeAll() -> [Job] {
    defer { (alarms, count) = ([], 0) }
    return alarms.map(\.job)
  }
}
