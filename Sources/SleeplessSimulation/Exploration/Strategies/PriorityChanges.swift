import Sleepless
import VirtualTime

/// Each task has a random priority and the highest runs. At a few random steps the task that would run next
/// drops below all others.
///
/// A bug that takes `depth` orderings, in a program of n tasks and k choices, appears in a schedule
/// with a chance of at least 1 / (n · k^(depth - 1)): S. Burckhardt, P. Kothari, M. Musuvathi,
/// S. Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS
/// 2010. k is the most choices that an earlier schedule had. A task that has run very often in a row drops
/// too, as it may poll for work that a lower one has to do.
final class PriorityChanges: Strategy {
  let name: String
  private let depth: Int
  private let isDepthDrawn: Bool
  private var seed: UInt64 = 0
  private var changes: [Int] = []
  /// The priorities of the tasks that have dropped.
  private var dropped: [Int32: UInt64] = [:]
  /// The priority of the next task that drops: below all others.
  private var lowest: UInt64 = 0
  private var priorities = JobTree(.maximum)

  /// `isDepthDrawn` gives each schedule a random depth, up to the given one.
  init(depth: Int, isDepthDrawn: Bool = false) {
    self.depth = depth
    self.isDepthDrawn = isDepthDrawn
    name = isDepthDrawn ? "PCT, depth up to \(depth)" : "PCT, depth \(depth)"
  }

  func begin(seed: UInt64, statistics: ExplorationStatistics) {
    var generator = SeededGenerator(seed: seed)
    self.seed = generator.next()
    dropped.removeAll(keepingCapacity: true)
    lowest = 1 << 63 - 1
    priorities.removeAll()
    changes.removeAll(keepingCapacity: true)
    let depth = isDepthDrawn ? 1 + generator.next(below: self.depth) : self.depth
    for _ in 1..<max(depth, 1) { changes.append(generator.next(below: max(statistics.choices, 1))) }
  }

  func added(_ job: Runnable, in context: borrowing ChoiceContext) {
    priorities.set(job.number, priority(of: job.task))
  }

  func removed(_ job: Runnable) { priorities.set(job.number, 0) }

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    if context.isStarving { drop(context.latest, runnable) }
    let highest = runnable.index(ofNumber: priorities.maximum)
    guard changes.contains(context.choices) else { return highest }
    drop(runnable[highest].task, runnable)
    return runnable.index(ofNumber: priorities.maximum)
  }

  private func drop(_ task: Int32, _ runnable: ContiguousArray<Runnable>) {
    dropped[task] = lowest
    for job in runnable where job.task == task { priorities.set(job.number, lowest) }
    lowest -= 1
  }

  private func priority(of task: Int32) -> UInt64 {
    if !dropped.isEmpty, let priority = dropped[task] { return priority }
    return mixed(seed, UInt64(bitPattern: Int64(task))) | 1 << 63
  }
}
