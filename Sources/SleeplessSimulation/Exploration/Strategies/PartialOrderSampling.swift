/// Each job gets a random priority when it becomes able to run, and the highest runs.
///
/// After X. Yuan, J. Yang, R. Gu, "Partial order aware concurrency sampling", CAV 2018. There a job that
/// has just lost a race gets a new priority. Here it is unknown which jobs race, so no job gets one.
final class PartialOrderSampling: Strategy {
  let name = "POS"
  private var seed: UInt64 = 0

  func begin(seed: UInt64, statistics: ExplorationStatistics) { self.seed = seed }

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    var best = 0
    var bestPriority: UInt64 = 0
    for index in 0..<runnable.count {
      let priority = mixed(seed, UInt64(runnable[index].number))
      if priority >= bestPriority { (best, bestPriority) = (index, priority) }
    }
    return best
  }
}
