// What it costs to let many tasks sleep, in a group and without one, as the runtime runs them and
// in a simulation. Prints the number of tasks, the kind and the two processor times, separated by
// tabs.

import Foundation
@_spi(Benchmarks) import SleeplessSimulation

/// Delays that differ, so that the tasks end in another order than they begin.
struct Delays {
  private var generator = SystemRandomNumberGenerator()

  mutating func next() -> Duration { .milliseconds(Int.random(in: 100...2_000, using: &generator)) }
}

@available(macOS 15, *)
nonisolated func sleepInGroup(_ count: Int) async {
  var delays = Delays()
  await withTaskGroup { group in
    for _ in 0..<count {
      let delay = delays.next()
      group.addTask { try? await Task.sleep(for: delay) }
    }
  }
}

@available(macOS 15, *)
nonisolated func sleepInTasks(_ count: Int) async {
  var delays = Delays()
  var tasks: [Task<Void, Never>] = []
  for _ in 0..<count {
    let delay = delays.next()
    tasks.append(Task { try? await Task.sleep(for: delay) })
  }
  for task in tasks { await task.value }
}

@available(macOS 15, *)
nonisolated func processorTime(_ work: () async -> Void) async -> Double {
  let start = clock()
  await work()
  return Double(clock() - start) / Double(CLOCKS_PER_SEC)
}

@available(macOS 15, *)
nonisolated func measureAll() async {
  let kinds: [(String, @Sendable (Int) async -> Void)] = [
    ("in a group", sleepInGroup), ("without a group", sleepInTasks),
  ]
  for count in [25_000, 50_000, 100_000] {
    for (name, sleep) in kinds {
      let native = await processorTime { await sleep(count) }
      let simulated = await processorTime {
        _ = await Simulation.run(Simulation.Options(stepLimit: .max)) { await sleep(count) }
      }
      print("\(count) \(name)\t\(native) s\t\(simulated) s")
    }
  }
}

if #available(macOS 15, *) { await measureAll() }
