/// The given switches at their places, as far as their tasks can run there; the default at all other
/// choices.
final class RepeatingSwitches: Strategy {
  let name = "switches"
  let isFixed = true
  private var tasks: [TaskPlace: UInt64] = [:]
  private var withinSteps: Set<PlaceWithinStep> = []

  init(_ switches: [Switch]) {
    for change in switches {
      switch change {
      case .to(let task, let place): tasks[place] = task
      case .withinStep(let place): withinSteps.insert(place)
      }
    }
  }

  func begin(seed: UInt64, statistics: ExplorationStatistics) {}

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    guard let place = context.tasks.place(of: context.latest), let task = tasks[place] else {
      return context.defaultIndex
    }
    return runnable.firstIndex {
      context.tasks.contains($0.task) && context.tasks.key(of: $0.task) == task
    } ?? context.defaultIndex
  }

  var mayRunWithinSteps: Bool { !withinSteps.isEmpty }

  func runsWithinStep(_ task: Int32, in context: borrowing ChoiceContext) -> Bool {
    context.placeWithinStep(of: task).map(withinSteps.contains) ?? false
  }
}
