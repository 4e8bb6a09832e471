// Starts a process in which threads enqueue jobs before `main`, while the loader makes the
// capturing executors the process's executors. `starts` runs it ten thousand times.
//
// Exits with 0 if every job has run, and a simulation as well.

import EarlyThreads
import Foundation
import SleeplessSimulation
import Synchronization

/// Not variables of this file, which `main` would initialise too late.
private enum Early {
  static let rounds = 5
  static let ran = Atomic(0)
  static let madeCount = Int(early_threads) * rounds * 4
}

/// Makes tasks of all kinds; the early threads call it.
@_cdecl("enqueue_early")
public func enqueueEarly() {
  for _ in 0..<Early.rounds {
    Task.detached { count() }
    Task { @MainActor in count() }
    Task {
      await Task.yield()
      count()
    }
    Task {
      try? await Task.sleep(nanoseconds: 1)
      count()
    }
  }
}

private func count() { Early.ran.add(1, ordering: .relaxed) }

nonisolated func runAll() async -> Int32 {
  let outcome = await Simulation.run { try await Task.sleep(for: .seconds(3600)) }
  guard outcome.report.elapsed == .seconds(3600), outcome.report.steps < 10 else { return 2 }
  let deadline = ContinuousClock.now + .seconds(20)
  while Early.ran.load(ordering: .relaxed) < Early.madeCount {
    guard ContinuousClock.now < deadline else { return 3 }
    await Task.yield()
  }
  return 0
}

exit(await runAll())
