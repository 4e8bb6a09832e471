/// The given switches, at their places, to tasks that can run there; the default at all other
/// choices.
final class RepeatingSwitches: Strategy {
  let name = "switches"
  let isFixed = true
  private let switches: [Switch.Place: UInt64]

  init(_ switches: [Switch]) {
    self.switches = Dictionary(switches.map { ($0.place, $0.task) }) { first, _ in first }
  }

  func begin(seed: UInt64, statistics: ExplorationStatistics) {}

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    guard context.tasks.contains(context.latest) else { return context.defaultIndex }
    let place = Switch.Place(
      task: context.tasks.key(of: context.latest), steps: context.tasks.steps(of: context.latest))
    guard let task = switches[place] else { return context.defaultIndex }
    return runnable.firstIndex {
      context.tasks.contains($0.task) && context.tasks.key(of: $0.task) == task
    } ?? context.defaultIndex
  }
}
