import Sleepless
import VirtualTime

/// Any task that can run, with a chance in proportion to the work that it still has to do.
///
/// A task's work includes that of tasks that it has yet to create. If the lengths are right, every order of
/// independent tasks is as likely as any other, however unequal they are: S. Zhao, H. Ding, Y. Yang
/// and others, "Selectively uniform concurrency testing", ASPLOS 2025. Lengths come from earlier
/// schedules.
final class RemainingWork: Strategy {
  let name = "remaining work"
  private var generator = SeededGenerator(seed: 0)
  private var work: [UInt64: Int] = [:]
  /// How many steps each task still has to take, by number.
  private var remaining: ContiguousArray<Int> = []
  private var weights = JobTree(.sum)

  func begin(seed: UInt64, statistics: ExplorationStatistics) {
    generator = SeededGenerator(seed: seed)
    work = statistics.work
    remaining.removeAll(keepingCapacity: true)
    weights.removeAll()
  }

  func made(_ task: Int32, by creator: Int32, in context: borrowing ChoiceContext) {
    let own = work[context.tasks.key(of: task)] ?? 1
    remaining.append(own)
    if creator >= 0, creator < remaining.count { remaining[Int(creator)] -= own }
  }

  func added(_ job: Runnable, in context: borrowing ChoiceContext) {
    let task = job.task
    let isKnown = task >= 0 && task < remaining.count
    let weight = isKnown ? remaining[Int(task)] - context.tasks.steps(of: task) : 1
    weights.set(job.number, UInt64(max(1, weight)))
  }

  func removed(_ job: Runnable) { weights.set(job.number, 0) }

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    let drawn = generator.next(below: Int(weights.total))
    return runnable.index(ofNumber: weights.first(above: UInt64(drawn)))
  }
}
