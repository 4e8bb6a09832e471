// virtual time: everything here runs in simulations
import SleeplessTesting
import Testing

private let runs = Log<String>()

@Suite(.explored(schedules: 5), .serialized) struct ExploredTraitTests {
  @Test func `1 a suite's trait holds for its tests`() async throws {
    runs.append("a")
    try await Task.sleep(for: .seconds(3600))
    #expect(Simulation.current?.now == .seconds(3600))
  }

  @Test(.explored(schedules: 2)) func `2 a test's own trait counts`() { runs.append("b") }

  @Test(arguments: 1...2) func `3 each case is explored`(seconds: Int) async throws {
    runs.append("\(seconds)")
    try await Task.sleep(for: .seconds(seconds))
  }

  @Test(.simulated) func `4 a test of a suite that is explored may be simulated`() {
    runs.append("c")
  }
}

@Suite struct ExploredTraitFailureTests {
  @Test func `failures appear at the test, and then what replays them`() async throws {
    let test = try #require(Test.current)
    let failures = await failures {
      let trait: ExploredTrait = .explored
      try? await trait.explore(
        { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }, for: test)
    }
    #expect(failures.map(\.line) == [test.sourceLocation.line, test.sourceLocation.line])
    #expect(failures.first?.text.hasPrefix("The simulation came to a standstill at 0 s") == true)
    let text = failures.last?.text ?? ""
    #expect(text.contains("fails: a standstill. The same again: .explored(replay: \""))
  }

  @Test(.simulated, .explored(schedules: 3)) func `of two traits the later counts`() async {
    #expect(Simulation.current != nil)
    runs.append("two")
  }

  @Test func `bad settings fail at the test`() async throws {
    let test = try #require(Test.current)
    let failures = await failures {
      try? await ExploredTrait.explored(schedules: 0).explore({ runs.append("never") }, for: test)
    }
    #expect(failures.map(\.line) == [test.sourceLocation.line])
    #expect(failures.first?.text.hasPrefix("schedules must be 1 or more (was 0)") == true)
    #expect(!runs.values.contains("never"))
  }
}
