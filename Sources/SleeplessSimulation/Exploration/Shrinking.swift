import Sleepless

/// Searches for a schedule that fails in the same way with fewer switches.
///
/// 1. It leaves out tasks, which then run in the default order, and after that switches: all, each
///    half, each quarter and so on. A. Zeller, R. Hildebrandt, "Simplifying and isolating
///    failure-inducing input", TSE 2002.
/// 2. It leaves out a turn, joins it with the next turn of its task, or lets it last: N. Jalbert,
///    K. Sen, "A trace simplification technique for effective debugging of concurrent programs",
///    FSE 2010.
/// 3. It tries the schedules with no switch, with one, with two … between the tasks that take the
///    switches now. In each of them the tasks run within steps of others that run there now.
///
/// It ends after a number of runs or steps, and not of seconds, so that a busy machine finds the
/// same schedule.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
struct Shrinking {
  struct Candidate {
    var deviations: [Deviation]
    var timingSeed: UInt32?
    var turns: [Turn] = []
    var withinSteps: [PlaceWithinStep] = []
    var steps = 0
    /// What failed, with the values that it had in this schedule.
    var failureCause: FailureCause?

    var switches: [Switch] { turns.switches + withinSteps.map { .withinStep($0) } }
  }

  private enum Stage {
    /// Tries without a timing seed.
    case timingSeed
    /// Tries without a part of these tasks.
    case tasks([UInt64], Parts)
    /// Tries without a part of the switches.
    case switches(Parts)
    /// Tries with a change of one turn.
    case turns(Int, TurnChange)
    /// Tries the schedules with at most `limit` switches, those within steps included.
    case searching(Exhaustive, limit: Int)
    case done
  }

  let found: Explorer.Found
  private(set) var best: Candidate
  private var stage: Stage
  private(set) var runs = 0
  private var steps = 0

  static let runLimit = 1_000
  /// A run of a thousand tasks takes long, so there are fewer such runs.
  static let stepLimit = 1_000_000

  /// `run` is the schedule that was found, as it ran again.
  init(_ found: Explorer.Found, _ run: Candidate) {
    self.found = found
    best = run
    stage = .timingSeed
    if found.timingSeed == nil { beginTasks() }
  }

  /// The strategy and the seed to try next; nil if nothing is left to try.
  mutating func next() -> (strategy: any Strategy, timingSeed: UInt32?)? {
    runs += 1
    guard runs <= Self.runLimit, steps < Self.stepLimit else { return nil }
    while true {
      if best.deviations.isEmpty, !isTryingWithoutSeed { return nil }
      switch stage {
      case .timingSeed:
        return (RepeatingSwitches(best.switches), nil)
      case .tasks(let tasks, let parts):
        guard let range = parts.range(of: tasks.count) else {
          stage = .switches(Parts())
          continue
        }
        let left = Set(tasks).subtracting(tasks[range])
        let turns = best.turns.upToLastSwitch.filter { left.contains($0.task) }
        let withinSteps = best.withinSteps.filter {
          Switch.withinStep($0).tasks.allSatisfy(left.contains)
        }
        return (RepeatingTurns(turns, withinSteps: withinSteps), best.timingSeed)
      case .switches(let parts):
        var switches = best.switches
        guard let range = parts.range(of: switches.count) else {
          stage = .turns(0, .leaveOut)
          continue
        }
        switches.removeSubrange(range)
        return (RepeatingSwitches(switches), best.timingSeed)
      case .turns(let index, let change):
        let turns = best.turns.upToLastSwitch
        guard index < turns.count else {
          let least = best.withinSteps.count
          stage = .searching(search(least), limit: least)
          continue
        }
        if let changed = change.of(index, in: turns) {
          return (RepeatingTurns(changed, withinSteps: best.withinSteps), best.timingSeed)
        }
        moveOn()
      case .searching(let search, let limit):
        if best.deviations.count <= limit { stage = .done; continue }
        if search.hasMore { return (search, best.timingSeed) }
        stage = .searching(self.search(limit + 1), limit: limit + 1)
      case .done: return nil
      }
    }
  }

  private var isTryingWithoutSeed: Bool { if case .timingSeed = stage { true } else { false } }

  private mutating func beginTasks() {
    var tasks: [UInt64] = []
    let all =
      best.turns.upToLastSwitch.map(\.task)
      + best.withinSteps.flatMap { Switch.withinStep($0).tasks }
    for task in all where !tasks.contains(task) { tasks.append(task) }
    stage = .tasks(tasks, Parts())
  }

  private func search(_ limit: Int) -> Exhaustive {
    Exhaustive(
      switchLimit: limit - best.withinSteps.count, among: Set(best.switches.flatMap(\.tasks)),
      withinSteps: best.withinSteps)
  }

  /// Notes that the latest try failed in the same way.
  mutating func stillFails(_ failing: Candidate) {
    steps += failing.steps
    let isBetter = failing.deviations.count < best.deviations.count
    switch stage {
    case .timingSeed:
      best = failing
      beginTasks()
    case .tasks(var tasks, var parts):
      // With some tasks in the default order, the others may take more switches.
      guard failing.deviations.count <= best.deviations.count,
        let range = parts.range(of: tasks.count)
      else { return moveOn() }
      tasks.removeSubrange(range)
      parts.removed(from: tasks.count)
      best = failing
      stage = .tasks(tasks, parts)
    case .switches(var parts):
      guard isBetter else { return moveOn() }
      parts.removed(from: failing.deviations.count)
      best = failing
      stage = .switches(parts)
    case .turns:
      guard isBetter else { return moveOn() }
      best = failing
      stage = .switches(Parts())
    case .searching(_, let limit):
      if isBetter { best = failing }
      if best.deviations.count <= limit { stage = .done }
    case .done: break
    }
  }

  /// Notes that the latest try passed, or failed in another way, after that many steps.
  mutating func passes(steps: Int) {
    self.steps += steps
    moveOn()
  }

  private mutating func moveOn() {
    switch stage {
    case .timingSeed: beginTasks()
    case .tasks(let tasks, let parts): stage = .tasks(tasks, parts.next(of: tasks.count))
    case .switches(let parts): stage = .switches(parts.next(of: best.switches.count))
    case .turns(let index, let change):
      stage = change.next.map { .turns(index, $0) } ?? .turns(index + 1, .leaveOut)
    case .searching, .done: break
    }
  }
}

/// The part of a list to leave out: all, then each half, each quarter …, then each element.
private struct Parts {
  private var part = 0
  private var parts = 1

  /// The part; nil if none is left.
  func range(of count: Int) -> Range<Int>? {
    guard part < parts, count > 0 else { return nil }
    return count * part / parts..<count * (part + 1) / parts
  }

  /// The part after this one, in a list of that length.
  func next(of count: Int) -> Parts {
    var next = self
    next.part += 1
    if next.part >= parts, parts < count {
      next.part = 0
      next.parts = min(parts * 2, count)
    }
    return next
  }

  /// Notes that the part was left out for good, and how many elements are left. The part that followed it
  /// now has its number.
  mutating func removed(from left: Int) {
    parts = max(min(parts, left), 1)
    part = min(part, parts - 1)
  }
}

/// A change of one turn, which may save a switch.
private enum TurnChange {
  /// The task takes these steps in its next turn.
  case leaveOut
  /// The task takes the steps of its next turn in this one.
  case join
  /// No switch ends the turn: it lasts as long as its task can run.
  case last

  /// The change to try after this one, of the same turn.
  var next: TurnChange? {
    switch self {
    case .leaveOut: .join
    case .join: .last
    case .last: nil
    }
  }

  /// The changed turns; nil if the change could save no switch.
  func of(_ index: Int, in turns: [Turn]) -> [Turn]? {
    let isBegunBySwitch = index > 0 && turns[index - 1].isCut
    guard turns[index].isCut || isBegunBySwitch else { return nil }
    var turns = turns
    switch self {
    case .leaveOut:
      turns.remove(at: index)
    case .join:
      let rest = turns[(index + 1)...]
      guard let next = rest.firstIndex(where: { $0.task == turns[index].task }) else { return nil }
      turns[index] = turns.remove(at: next)
    case .last:
      guard turns[index].isCut else { return nil }
      turns[index].isCut = false
    }
    return turns
  }
}
