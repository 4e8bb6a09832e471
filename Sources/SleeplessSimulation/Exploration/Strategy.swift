import Sleepless
import VirtualTime

/// A rule that decides, whenever several jobs can run, which of them runs next.
///
/// One object is used for all schedules of an exploration in turn, and may learn from them. It is called
/// while the simulation is locked, so it must call no other code.
package protocol Strategy: AnyObject {
  /// The name for reports.
  var name: String { get }
  /// Whether there is a schedule that the strategy has not tried.
  var hasMore: Bool { get }
  /// Whether it chooses all jobs itself, even in a schedule so long that it may starve a task.
  var isFixed: Bool { get }
  /// Begins a schedule; everything random in it comes from this seed.
  func begin(seed: UInt64, statistics: ExplorationStatistics)
  /// Notes that a task was created.
  func made(_ task: Int32, by creator: Int32, in context: borrowing ChoiceContext)
  /// Notes that a job can run. It comes after all others in `runnable`.
  func added(_ job: Runnable, in context: borrowing ChoiceContext)
  /// Notes that a job runs, so that it is no longer among those that can.
  func removed(_ job: Runnable)
  /// Chooses the index of the job to run; there are at least two.
  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  /// Whether `runsWithinStep` may return true from now on.
  var mayRunWithinSteps: Bool { get }
  /// Whether a task that can run does so at once, up to its next suspension, within the step of the running task. The
  /// running task has just woken or created it, or has come to a call before which others may run (see
  /// `ChoiceContext.call`); or the task has run within this step before, and has hopped to another executor.
  func runsWithinStep(_ task: Int32, in context: borrowing ChoiceContext) -> Bool
  /// Ends the schedule.
  func end()
}

extension Strategy {
  package var hasMore: Bool { true }
  package var isFixed: Bool { false }
  package var mayRunWithinSteps: Bool { false }
  package func made(_ task: Int32, by creator: Int32, in context: borrowing ChoiceContext) {}
  package func added(_ job: Runnable, in context: borrowing ChoiceContext) {}
  package func removed(_ job: Runnable) {}
  package func runsWithinStep(
    _ task: Int32, in context: borrowing ChoiceContext
  ) -> Bool { false }
  package func end() {}
}

/// A job that can run, as a strategy sees it.
package struct Runnable: Sendable {
  /// The number of the task, in the order of creation in this schedule. The body has 0. -1 if unknown.
  package let task: Int32
  /// How many jobs became able to run before, in this schedule.
  package let number: Int32
  package let kind: ScheduleTrace.Kind

  package init(task: Int32, number: Int32, kind: ScheduleTrace.Kind) {
    self.task = task
    self.number = number
    self.kind = kind
  }
}

extension ContiguousArray<Runnable> {
  /// The index of the job with that number; the jobs are in the order of their numbers.
  func index(ofNumber number: Int32) -> Int {
    var (low, high) = (0, count - 1)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The state of a schedule at a choice.
package struct ChoiceContext {
  /// The index of the default: a job of the task that ran last. If that task may be polling, or has no job that can
  /// run, it is the first job of another task.
  package internal(set) var defaultIndex = 0
  /// How many choices have been made.
  package internal(set) var choices = 0
  /// How often a task could have run within a step since the latest choice.
  package internal(set) var chances: Int32 = 0
  /// The call to which the running task has come; nil if it has just woken or created a task.
  var call: CallPlace?
  /// The task that ran last; -1 if unknown.
  package internal(set) var latest: Int32 = -1
  /// Whether that task may be polling, because it has run often in a row while other tasks could run.
  package internal(set) var isStarving = false
  /// The tasks that have been created.
  package internal(set) var tasks = TaskTree()

  /// Where a task would run now within the step of the running task; nil if the task is unknown.
  func placeWithinStep(of task: Int32) -> PlaceWithinStep? {
    tasks.place(of: task).map { PlaceWithinStep(task: $0, call: call) }
  }
}

/// What is known from earlier schedules.
package struct ExplorationStatistics {
  /// The most choices that a schedule had.
  package internal(set) var choices = 0
  /// How many steps each task takes, including those of the tasks that it creates.
  package internal(set) var work: [UInt64: Int] = [:]

  package init() {}
}

/// The tasks of a schedule by their ancestors, which are the same in every order.
package struct TaskTree {
  private struct Member {
    let key: UInt64
    let creator: Int32
    var children: UInt64 = 0
    var steps = 0
    /// How many of its jobs can run.
    var jobs = 0
  }

  private var members: ContiguousArray<Member> = []

  package init() {}

  /// A key that a task has in every schedule: made from its creator's key, and its number among the creator's
  /// tasks.
  package func key(of task: Int32) -> UInt64 { members[Int(task)].key }

  /// How many steps it has taken.
  package func steps(of task: Int32) -> Int { members[Int(task)].steps }

  package func contains(_ task: Int32) -> Bool { task >= 0 && task < members.count }

  /// How many jobs of the task can run.
  func jobs(of task: Int32) -> Int { members[Int(task)].jobs }

  /// How far the task has come; nil if it is unknown.
  func place(of task: Int32) -> TaskPlace? {
    contains(task) ? TaskPlace(task: key(of: task), steps: steps(of: task)) : nil
  }

  /// Whether the task is known and its key is one of these.
  func isKey(of task: Int32, in keys: Set<UInt64>) -> Bool {
    contains(task) && keys.contains(key(of: task))
  }

  mutating func add(creator: Int32) {
    guard contains(creator) else {
      return members.append(Member(key: UInt64(members.count), creator: -1))
    }
    members[Int(creator)].children += 1
    let parent = members[Int(creator)]
    members.append(Member(key: mixed(parent.key, parent.children), creator: creator))
  }

  mutating func addJob(of task: Int32) {
    if contains(task) { members[Int(task)].jobs += 1 }
  }

  /// Notes that the task takes a step, with one of its jobs.
  mutating func step(_ task: Int32) {
    guard contains(task) else { return }
    members[Int(task)].jobs -= 1
    members[Int(task)].steps += 1
  }

  mutating func removeAll() { members.removeAll(keepingCapacity: true) }

  /// The steps of each task with those of its descendants, by key.
  var work: [UInt64: Int] {
    var totals = members.map(\.steps)
    for index in members.indices.reversed() where members[index].creator >= 0 {
      totals[Int(members[index].creator)] += totals[index]
    }
    return Dictionary(zip(members.map(\.key), totals)) { $0 + $1 }
  }
}

/// A hash of two numbers.
func mixed(_ a: UInt64, _ b: UInt64) -> UInt64 {
  var generator = SeededGenerator(seed: a ^ (b &* 0xD6E8_FEB8_6659_FD93))
  return generator.next()
}
