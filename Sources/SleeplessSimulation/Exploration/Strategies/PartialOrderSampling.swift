/// Each job gets a random priority when it becomes able to run, and the highest runs.
///
/// After X. Yuan, J. Yang, R. Gu, "Partial order aware concurrency sampling", CAV 2018. There a job that
/// has just lost a race gets a new priority. Here it is unknown which jobs race, so no job gets one.
final class PartialOrderSampling: Strategy {
  let name = "POS"
  private var seed: UInt64 = 0
  private var priorities = JobTree(.maximum)

  func begin(seed: UInt64, statistics: ExplorationStatistics) {
    self.seed = seed
    priorities.removeAll()
  }

  func added(_ job: Runnable, in context: borrowing ChoiceContext) {
    priorities.set(job.number, max(1, mixed(seed, UInt64(job.number))))
  }

  func removed(_ job: Runnable) { priorities.set(job.number, 0) }

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    runnable.index(ofNumber: priorities.maximum)
  }
}
