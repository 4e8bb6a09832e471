import Sleepless
import VirtualTime

/// Any of those that can run, each as likely as the others: a random walk.
///
/// Fair to polling loops. Weak where one task has to take many steps while another takes none.
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
