import Sleepless
import VirtualTime

/// Runs some tasks within the steps of others, as another thread may do in a real process: before the task goes on that
/// has woken them, or before a `sync` or a wait for a semaphore. Where such a task hops to an actor or from one, it may go
/// on there within the same step.
///
/// Other strategies change the running task only where it is suspended or waits. Code after `continuation.resume()` or
/// `Task { … }` then always runs before the woken task, which hides errors: a timer that sends a value and then
/// asks whether it was cancelled never finds itself cancelled by the receiver. Likewise, no other task
/// runs between a `sync` that reads a value and the next one, which writes it, if the queue is free.
///
/// Each schedule draws the probability that a task runs within a step when it could: 1/2, 1/8 or 1/32. It also draws what
/// it does at other choices: it runs any job that can run, or the default.
final class WokenFirst: Strategy {
  let name = "woken first"
  private var generator = SeededGenerator(seed: 0)
  private var rarity = 2
  private var isUniform = false

  func begin(seed: UInt64, statistics: ExplorationStatistics) {
    generator = SeededGenerator(seed: seed)
    rarity = 2 << (2 * generator.next(below: 3))
    isUniform = generator.next(below: 2) == 1
  }

  func choose(among runnable: ContiguousArray<Runnable>, in context: borrowing ChoiceContext) -> Int
  {
    // Without the second condition, a task that polls could starve the task that it polls for.
    guard isUniform || context.isStarving else { return context.defaultIndex }
    return generator.next(below: runnable.count)
  }

  var mayRunWithinSteps: Bool { true }

  func runsWithinStep(_ task: Int32, in context: borrowing ChoiceContext) -> Bool {
    generator.next(below: rarity) == 0
  }
}
