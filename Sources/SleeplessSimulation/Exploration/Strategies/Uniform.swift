import Sleepless
import VirtualTime

/// Any job that can run, each as likely as the others: a random walk.
///
/// It does not starve a task that others poll for. It is weak if a bug needs many steps of one task while
/// another takes none.
final class Uniform: Strategy {
  let name = "uniform"
  private var generator = SeededGenerator(seed: 0)

  func begin(seed: UInt64, statistics: ExplorationStatistics) {
    generator = SeededGenerator(seed: seed)
  }

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    generator.next(below: runnable.count)
  }
}
