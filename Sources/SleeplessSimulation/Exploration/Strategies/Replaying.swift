/// The choices of a recorded schedule, by their number among all choices; the default at other choices.
package final class Replaying: Strategy {
  package let name = "replay"
  package let isFixed = true
  /// The first recorded choice that no longer fits, if there is one.
  private(set) var mismatch: Mismatch?
  /// Whether a task did not get the chance to run within a step that it had in the recorded schedule.
  private(set) var lacksChance = false
  private var deviations: ArraySlice<Deviation> = []
  private let all: [Deviation]

  /// A recorded choice that the code no longer has.
  package struct Mismatch: Sendable, Equatable {
    /// Counted from 1.
    package let choice: Int
    /// How many jobs could run when it was recorded.
    package let expected: Int
    /// How many can run now; nil if the schedule ended before.
    package let found: Int?
  }

  init(_ deviations: [Deviation]) { all = deviations }

  package func begin(seed: UInt64, statistics: ExplorationStatistics) {
    deviations = all[...]
    mismatch = nil
    lacksChance = false
  }

  package func choose(
    among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext
  ) -> Int {
    while let next = deviations.first, next.isWithinStep, next.choice <= context.choices {
      deviations.removeFirst()
      lacksChance = true
    }
    guard let next = deviations.first, next.choice == context.choices else {
      return context.defaultIndex
    }
    deviations.removeFirst()
    let fits = next.width == 0 ? next.index < runnable.count : next.width == runnable.count
    if mismatch == nil, !fits {
      let expected = next.width == 0 ? next.index + 1 : next.width
      mismatch = Mismatch(
        choice: context.choices + 1, expected: Int(expected), found: runnable.count)
    }
    return min(Int(next.index), runnable.count - 1)
  }

  package var mayRunWithinSteps: Bool { deviations.contains { $0.isWithinStep } }

  package func runsWithinStep(
    _ task: Int32, in context: borrowing ChoiceContext
  ) -> Bool {
    guard let next = deviations.first, next.isWithinStep, next.choice == context.choices,
      next.index == context.chances
    else { return false }
    deviations.removeFirst()
    return true
  }

  package func end() {
    if deviations.contains(where: \.isWithinStep) { lacksChance = true }
    deviations.removeAll(where: \.isWithinStep)
    guard mismatch == nil, let next = deviations.first else { return }
    // The record of a crashed process ends in the middle of a schedule, so it lacks the rest.
    mismatch = Mismatch(
      choice: next.choice + 1, expected: Int(max(next.width, next.index + 1)), found: nil)
  }
}

/// A choice that departed from the default: another job ran, or a task ran within the step of another one.
package struct Deviation: Equatable, Sendable {
  /// How many choices were made before.
  var choice: Int
  /// The index of the chosen job. For a task within a step: how many chances to run so came before, since the latest
  /// choice.
  var index: Int32
  /// How many jobs could run; -1 for a task within a step.
  var width: Int32

  /// A task that runs within the step of another one.
  package init(withinStep index: Int32, after choice: Int) {
    self.init(choice: choice, index: index, width: -1)
  }

  var isWithinStep: Bool { width < 0 }
  /// The record of a crash has room for so many chances to run within a step between two choices.
  static let mostChances: Int32 = 1 << 18

  init(choice: Int, index: Int32, width: Int32) {
    self.choice = choice
    self.index = index
    self.width = width
  }

  package init(choice: Int, index: Int, width: Int) {
    self.init(choice: choice, index: Int32(index), width: Int32(width))
  }
}
