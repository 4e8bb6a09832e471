/// Several strategies in turn: one finds at once a bug that another hardly ever finds.
final class Portfolio: Strategy {
  private let members: [any Strategy]
  private var turn = -1
  private var latestSeed: UInt64?

  init(_ members: [any Strategy]) { self.members = members }

  /// The default strategy. The explorer runs the default schedule itself, before the first of these.
  static func standard() -> Portfolio {
    Portfolio([
      Uniform(), PriorityChanges(depth: 3), PartialOrderSampling(), RemainingWork(),
      DelayBounded(delays: 3), PriorityChanges(depth: 10, isDepthDrawn: true), WokenFirst(),
    ])
  }

  var name: String { members[max(turn, 0)].name }

  func begin(seed: UInt64, statistics: ExplorationStatistics) {
    // A schedule that is run again has the same seed, and the same strategy.
    if seed != latestSeed { turn = (turn + 1) % members.count }
    latestSeed = seed
    members[turn].begin(seed: seed, statistics: statistics)
  }

  func made(_ task: Int32, by creator: Int32, in context: borrowing ChoiceContext) {
    members[turn].made(task, by: creator, in: context)
  }

  func added(_ job: Runnable, in context: borrowing ChoiceContext) {
    members[turn].added(job, in: context)
  }

  func removed(_ job: Runnable) { members[turn].removed(job) }

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    members[turn].choose(among: runnable, in: context)
  }

  var mayRunWithinSteps: Bool { members[turn].mayRunWithinSteps }

  func runsWithinStep(_ task: Int32, in context: borrowing ChoiceContext) -> Bool {
    members[turn].runsWithinStep(task, in: context)
  }

  func end() { members[turn].end() }
}
