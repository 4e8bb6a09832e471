import Sleepless
import VirtualTime

/// The default order, except that at a few random choices the next job has to wait.
///
/// After M. Emmi, S. Qadeer, Z. Rakamarić, "Delay-bounded scheduling", POPL 2011, with
/// random delays instead of all in turn. Most bugs need one or two.
final class DelayBounded: Strategy {
  let name: String
  private let delays: Int
  private var delayed: [Int] = []

  init(delays: Int) {
    self.delays = delays
    name = delays == 1 ? "1 delay" : "up to \(delays) delays"
  }

  func begin(seed: UInt64, statistics: ExplorationStatistics) {
    var generator = SeededGenerator(seed: seed)
    delayed.removeAll(keepingCapacity: true)
    for _ in 0...generator.next(below: max(delays, 1)) {
      delayed.append(generator.next(below: max(statistics.choices, 1)))
    }
  }

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    var delay = 0
    for choice in delayed where choice == context.choices { delay += 1 }
    return (context.defaultIndex + delay) % runnable.count
  }
}
