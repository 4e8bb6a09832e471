// virtual time: everything here runs in simulations
import SleeplessTesting
import Testing
import TestSupport
import VirtualTime

/// What a test does with the side of a coin.
enum CoinUse: CaseIterable, Sendable {
  case step, sleep, place, task, taskOrder

  func callAsFunction(_ heads: Bool) async throws {
    switch self {
    case .step: if heads { await Task.yield() }
    case .sleep: try await Task.sleep(for: .seconds(heads ? 1 : 2))
    case .place: if heads { await suspendOnce() } else { await suspendElsewhere() }
    case .task:
      let task = heads ? Task { await suspendOnce() } : Task { await suspendElsewhere() }
      await task.value
    case .taskOrder:
      let names = heads ? ["a", "b"] : ["b", "a"]
      await withTaskGroup(of: Void.self) { group in
        for name in names { group.addTask { if name == "a" { await Task.yield() } } }
      }
    }
  }
}

@inline(never) private func suspendOnce() async { await Task.yield() }
@inline(never) private func suspendElsewhere() async { await Task.yield() }

/// A test that draws from a generator of the process, as `Bool.random()` does, and uses the result.
struct CoinTest: Sendable {
  let use: CoinUse
  let seed: UInt64

  func failures() async -> [Failure] {
    let coin = Locked(SeededGenerator(seed: seed))
    return await SleeplessTestingTests.failures {
      _ = try? await explore(strategy: .uniform) {
        try await use(coin.withLock { Bool.random(using: &$0) })
      }
    }
  }
}

@Suite(.needs(.capture)) struct DeterminismTests {
  // The generators are seeded, so the result is the same each time. With a fair coin the chance that one test
  // is not noticed is (9/16)^10, less than four in a thousand.
  @Test(arguments: CoinUse.allCases)
  func `S1 a test that draws a fair coin for its steps, times or places is noticed`(
    use: CoinUse
  ) async {
    for seed in UInt64(1)...8 {
      let failures = await CoinTest(use: use, seed: seed).failures()
      let text = failures.first?.text ?? ""
      #expect(failures.count == 1, "seed \(seed)")
      #expect(text.hasPrefix("This test is not deterministic"), "seed \(seed): \(text)")
      let sides = text.firstMatch(of: #/The first run (.*), the second (.*)\.\n/#)
      #expect(sides != nil && sides?.1 != sides?.2, "seed \(seed): \(text)")
    }
  }
}
