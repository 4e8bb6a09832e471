/// First come, first served: the order of a simulation without exploration.
final class FirstCome: Strategy {
  let name = "first come"

  func begin(seed: UInt64, statistics: ExplorationStatistics) {}

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  { 0 }
}
