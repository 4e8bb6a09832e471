// virtual time: nothing here sleeps in real time
import Foundation
import SleeplessTesting
import Testing

/// What advances cost in a test, with all that they wait for. `Benchmarks/advance` runs it.
@Suite(.serialized) struct AdvanceSpeed {
  @Test(.enabled(if: FixtureScenario.current.scenario == "speed"))
  func outside() async { await measureAdvances("outside") }

  @Test(.enabled(if: FixtureScenario.current.scenario == "speed"), .simulated(stepLimit: .max))
  func simulated() async { await measureAdvances("simulated") }
}

private func measureAdvances(_ place: String) async {
  for round in 1...10 {
    await measure("one loop", place, round, count: 1_000) { count in
      let clock = TestClock(allowsPendingWork: true)
      let ticking = Task { for _ in 0..<count { try await clock.sleep(for: .seconds(1)) } }
      for _ in 0..<count { await clock.advance(by: .seconds(1)) }
      _ = await ticking.result
    }
    await measure("1000 deadlines", place, round, count: 1_000) { count in
      let clock = TestClock()
      let tasks = (1...count).map { number in
        Task { try await clock.sleep(for: .seconds(number)) }
      }
      await clock.run()
      for task in tasks { _ = await task.result }
    }
    await measure("one deadline", place, round, count: 1_000) { count in
      let clock = TestClock()
      let tasks = (1...count).map { _ in Task { try await clock.sleep(for: .seconds(1)) } }
      await clock.advance(by: .seconds(1))
      for task in tasks { _ = await task.result }
    }
  }
}

private func measure(
  _ name: String, _ place: String, _ round: Int, count: Int, _ work: (Int) async -> Void
) async {
  let start = clock()
  await work(count)
  let microseconds = Double(clock() - start) * 1_000_000 / Double(CLOCKS_PER_SEC) / Double(count)
  print("advance\t\(place)\t\(name)\t\(round)\t\(microseconds)")
}
