// virtual time: everything here runs in simulations
import Sleepless
import SleeplessSimulation
import TestSupport

/// Runs a task for each number in `steps`. Each task takes that many steps and logs each step, so that only
/// their order varies.
///
/// The tasks take no other steps: the last task to end resumes the body.
@available(macOS 15, *)
func interleave(_ steps: [Int]) async -> String {
  let log = Locked<[Int]>([])
  let left = Locked(steps.count)
  await withUnsafeContinuation { (end: UnsafeContinuation<Void, Never>) in
    for (task, count) in steps.enumerated() {
      Task {
        for step in 1...count {
          log.withLock { $0.append(task) }
          if step < count { await Task.yield() }
        }
        let isLast = left.withLock { left in
          left -= 1
          return left == 0
        }
        if isLast { end.resume() }
      }
    }
  }
  return log.withLock { $0 }.map(String.init).joined()
}

/// The number of jobs of a task with `steps` steps: a yield may take more than one job.
@available(macOS 15, *)
func jobs(of steps: Int) async -> Int {
  let bodys = 2  // before and after it waits
  return await Simulation.run { await interleave([steps]) }.report.steps - bodys
}

/// The number of orders of tasks with these numbers of steps.
func interleavings(of steps: [Int]) -> Int {
  var count = 1
  var placed = 0
  for steps in steps {
    for step in 1...steps {
      placed += 1
      count = count * placed / step
    }
  }
  return count
}

/// The result of exploring a body, and the value of each schedule, in order.
@available(macOS 15, *)
func explored<Value: Sendable>(
  _ strategy: ExplorationStrategy, schedules: Int, seed: UInt64 = 0,
  failing fails: @escaping @Sendable (Value) -> Bool = { _ in false },
  _ body: @escaping @Sendable () async -> Value
) async -> (result: ExplorationResult, values: [Value]) {
  let explorer = Explorer(
    ExplorationPlan(name: "test", schedules: schedules, strategy: strategy, seed: seed))
  let values = await run(explorer, failing: fails, body)
  return (explorer.result, values)
}

@available(macOS 15, *)
func run<Value: Sendable>(
  _ explorer: Explorer, failing fails: @escaping @Sendable (Value) -> Bool = { _ in false },
  _ body: @escaping @Sendable () async -> Value
) async -> [Value] {
  let values = Log<Value>()
  let failureCause = FailureCause(cause: "wrong", key: "wrong")
  let latest = Locked<Value?>(nil)
  await Simulation.explore(explorer, isolation: nil) {
    let value = await body()
    latest.withLock { $0 = value }
  } judge: { outcome in
    guard let value = latest.withLock({ $0.take() }) else { return .failed(failureCause) }
    if !explorer.isComparing { values.append(value) }
    return fails(value) ? .failed(failureCause) : .passed
  }
  if let options = explorer.finalOptions() {
    let outcome = await Simulation.run(options, isolation: nil) { await body() }
    if case .success(let value) = outcome.result { values.append(value) }
    explorer.finishFinal()
  }
  return values.values
}
