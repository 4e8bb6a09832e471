/// The given turns one after another, as far as their tasks can run; then the default.
///
/// The turns are those of a recorded schedule with some left out or changed. A turn lasts until its
/// task has taken as many steps as recorded, so a task takes the steps of a turn that was left out
/// in its next turn. A turn that no switch has cut short also lasts as long as its task can run.
final class RepeatingTurns: Strategy {
  let name = "turns"
  let isFixed = true
  private let turns: [Turn]
  private let withinSteps: Set<PlaceWithinStep>
  private var position = 0
  private var numbers: [UInt64: Int32] = [:]

  /// `withinSteps` are the places of the tasks that run within the steps of others.
  init(_ turns: [Turn], withinSteps: [PlaceWithinStep]) {
    self.turns = turns
    self.withinSteps = Set(withinSteps)
  }

  func begin(seed: UInt64, statistics: ExplorationStatistics) {
    position = 0
    numbers.removeAll(keepingCapacity: true)
  }

  func made(_ task: Int32, by creator: Int32, in context: borrowing ChoiceContext) {
    numbers[context.tasks.key(of: task)] = task
  }

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    while position < turns.count {
      let turn = turns[position]
      if let task = numbers[turn.task], let index = runnable.firstIndex(where: { $0.task == task })
      {
        if context.tasks.steps(of: task) < turn.end.steps { return index }
        if !turn.isCut, context.latest == task, !context.isStarving { return index }
      }
      position += 1
    }
    return context.defaultIndex
  }

  var mayRunWithinSteps: Bool { !withinSteps.isEmpty }

  func runsWithinStep(_ task: Int32, in context: borrowing ChoiceContext) -> Bool {
    context.placeWithinStep(of: task).map(withinSteps.contains) ?? false
  }
}
