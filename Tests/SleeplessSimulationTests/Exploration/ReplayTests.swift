import Sleepless
import SleeplessSimulation
import Testing
import TestSupport
import VirtualTime

@Suite(.wholeProcess) struct ReplayTests {
  private let failing: @Sendable (String) -> Bool = { $0.hasPrefix("0010") }

  @Test(arguments: namedStrategies)
  @available(macOS 15, *)
  func `S7 a replay string repeats the failure that any strategy finds`(
    name: String, strategy: ExplorationStrategy
  ) async throws {
    for seed in 0..<UInt64(rounds(30)) {
      let (result, _) = await explored(
        strategy, schedules: 10_000, seed: seed, failing: failing
      ) { await interleave([4, 4]) }
      let failure = try #require(result.failure, "seed \(seed)")
      let (explorer, values) = try await replayed(failure.replay)
      #expect(values.allSatisfy(failing), "seed \(seed)")
      #expect(explorer.mismatch == nil && explorer.result.failed == 1, "seed \(seed)")
    }
  }

  @available(macOS 15, *)
  private func replayed(
    _ text: String, _ steps: [Int] = [4, 4]
  ) async throws -> (Explorer, [String]) {
    var plan = ExplorationPlan(name: "test", schedules: 1)
    plan.replay = try ReplayString(text)
    let explorer = Explorer(plan)
    let values = await run(explorer, failing: failing) { await interleave(steps) }
    return (explorer, values)
  }

  @Test @available(macOS 15, *)
  func `a replay string of other code gives a mismatch`() async throws {
    let (result, _) = await explored(.uniform, schedules: 10_000, failing: failing) {
      await interleave([4, 4])
    }
    let replay = try #require(result.failure?.replay)
    #expect(try await replayed(replay, [4, 4, 1]).0.mismatch != nil)
    #expect(try await replayed(replay, [1, 1]).0.mismatch != nil)
    #expect(try await replayed(replay, [5, 4]).0.mismatch == .steps)
  }

  @Test func `a replay string can be formatted and parsed without a change`() throws {
    var generator = SeededGenerator(seed: 7)
    for count in 0..<200 {
      var replay = ReplayString(
        test: UInt32(generator.next(below: 1 << 24)),
        timingSeed: count % 3 == 0 ? nil : UInt32(generator.next(below: 1 << 30)), deviations: [],
        fingerprint: count % 5 == 0 ? nil : UInt16(generator.next(below: 1 << 16)))
      var choice = 0
      for _ in 0..<count {
        choice += generator.next(below: 300)
        let width = 2 + generator.next(below: 200)
        replay.deviations.append(
          Deviation(choice: choice, index: generator.next(below: width), width: width))
        choice += 1
        if count % 4 == 0 {
          let chance = Int32(generator.next(below: 5))
          replay.deviations.append(Deviation(withinStep: chance, after: choice))
        }
      }
      #expect(try ReplayString(replay.text) == replay)
    }
  }

  @Test(
    arguments: [
      ("", .empty), ("2AAAAAAAA", .version("2")), ("seed 7", .version("s")), ("1AAAA", .damaged),
      ("1AAAAA!AAAA", .character("!")), ("1AAAAAAAAAAAAAAAAA", .damaged), ("c", .damaged),
      ("cAAAA AAAA", .character(" ")), ("🐘", .version("🐘")),
    ] as [(String, ReplayString.ParsingError)])
  func `the error for a text that is no replay string gives the reason`(
    text: String, error: ReplayString.ParsingError
  ) {
    #expect(throws: error) { try ReplayString(text) }
  }

  @Test func `a replay string with any one changed character is refused`() throws {
    let deviations = [Deviation(choice: 3, index: 1, width: 2)]
    let text = ReplayString(test: 77, timingSeed: nil, deviations: deviations, fingerprint: 5).text
    for index in text.indices.dropFirst() where text[index] != "A" {
      let changed = text.replacingCharacters(at: index, with: "A")
      // The last character may have unused bits.
      if let read = try? ReplayString(changed) { #expect(read.text == text) }
    }
  }
}

extension String {
  fileprivate func replacingCharacters(at index: Index, with character: Character) -> String {
    var text = self
    text.replaceSubrange(index...index, with: [character])
    return text
  }
}
