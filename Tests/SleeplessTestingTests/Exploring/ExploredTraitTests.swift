// virtual time: everything here runs in simulations
import SleeplessTesting
import Testing
import TestSupport

private let runs = Log<String>()

@Suite(.explored(schedules: 5), .serialized) struct ExploredTraitTests {
  @Test(.needs(.capture)) func `1 a suite's trait holds for its tests`() async throws {
    runs.append("a")
    try await Task.sleep(for: .seconds(3600))
    #expect(Simulation.current?.now == .seconds(3600))
  }

  @Test(.explored(schedules: 2)) func `2 a test's own trait counts`() { runs.append("b") }

  @Test(.needs(.capture), arguments: 1...2) func `3 each case is explored`(seconds: Int)
    async throws
  {
    runs.append("\(seconds)")
    try await Task.sleep(for: .seconds(seconds))
  }

  @Test(.simulated) func `4 a test of a suite that is explored may be simulated`() {
    runs.append("c")
  }
}

@Suite struct ExploredTraitFailureTests {
  @Test(.needs(.capture))
  func `an event after the test's function is shown in the failing schedule as well`()
    async throws
  {
    let test = try #require(Test.current)
    let failures = await failures {
      let trait: ExploredTrait = .explored
      try? await trait.explore(
        {
          let number = StateSubject<Int, Never>(0)
          let numbers = Recorder(number, "numbers")
          await numbers.expect(0)
          Task { number.value = 1 }
        }, for: test)
    }
    #expect(failures.first?.text.firstLine == "1 event of \"numbers\" was never read:")
    #expect(failures.last?.text.hasPrefix("Schedule 1 of 1000 fails: a failure at") == true)
  }

  @Test
  func `F3 a failed expectation is reported at its line, and the replay text at the test's line`()
    async throws
  {
    let test = try #require(Test.current)
    let line = #line + 3
    let failures = await failures {
      let trait: ExploredTrait = .explored
      try? await trait.explore({ #expect(await spendTwice() >= 0) }, for: test)
    }
    #expect(failures.map(\.line) == [line, test.sourceLocation.line])
    let report = """
      Schedule 1 of 1000 fails: a failure at ExploredTraitTests.swift:\(line). To replay it: \
      .explored(replay: "…"), or in the environment SLEEPLESS_REPLAY=…
      Expectation failed: await spendTwice() >= 0
      Its steps:
      FAILS: a failure at ExploredTraitTests.swift:\(line)
      A line is where a task goes on; it runs up to its next await.
      > marks a step that is not the default: the latest task,
      else the one that has waited longest.
      1 schedule ran. Found by the strategy first come, with 6 switches, shrunk to \
      1; seed 0.
      """
    let expected = Failure(report, line: test.sourceLocation.line)
    #expect(failures.last?.explored == expected.explored)
  }

  @Test func `the report has the values of the failed expectation`() async throws {
    let test = try #require(Test.current)
    let failures = await failures {
      try? await ExploredTrait.explored.explore(
        {
          let balance = await spendTwice()
          #expect(balance >= 0)
        }, for: test)
    }
    let line = failures.last?.text.split(separator: "\n").dropFirst().first
    #expect(line == "Expectation failed: (balance -> -60) >= 0")
  }

  @Test(.needs(.capture))
  func `F5 the report says which task was cancelled and which ended with an error`() async throws {
    let test = try #require(Test.current)
    let failures = await failures {
      try? await ExploredTrait.explored.explore(
        {
          let saver = Task(name: "saver") { try await Task.sleep(for: .seconds(60)) }
          let editor = Task(name: "editor") { saver.cancel() }
          _ = await (editor.value, saver.result)
          #expect(Bool(false))
        }, for: test)
    }
    let text = try #require(failures.last?.text.replacing(/\s+/, with: " "))
    #expect(text.contains(/2 "editor" starts, .*cancels 1 "saver", .*ends/))
    #expect(text.matches(of: /ends with an error/).count == 1)
    #expect(text.contains(/1 "saver" .*, ends with an error/))
  }

  #if DEBUG && os(Linux)
    // The optimiser leaves fewer functions and lines.
    @Test(.needs(.capture)) func `S7 the report has the expectation, the steps and their lines`()
      async throws
    {
      let test = try #require(Test.current)
      let line = #line + 2
      let failures = await failures {
        try? await ExploredTrait.explored.explore({ #expect(await spendTwice() >= 0) }, for: test)
      }
      let withdraw = PurseLine(number: lineOfPurse)
      #expect(
        failures.last?.withoutReplay.text == """
          Schedule 1 of 1000 fails: a failure at ExploredTraitTests.swift:\(line). To replay it: \
          .explored(replay: "…"), or in the environment SLEEPLESS_REPLAY=…
          Expectation failed: await spendTwice() >= 0
          Its steps:
          task 1 is closure at ExploreTests.swift:\(lineOfPurse + 14) in spendTwice
          task 2 is closure at ExploreTests.swift:\(lineOfPurse + 15) in spendTwice
           0 s   the body makes tasks 1, 2
                 task 1   starts, \(withdraw + 6) -> \(lineOfPurse + 7)
               > task 2   starts
                 task 1   \(withdraw + 7)
                 task 2   \(withdraw + 6) -> \(lineOfPurse + 7)
                 task 1   goes on
                 task 2   \(withdraw + 7), ends
                 task 1   \(withdraw + 7), wakes the body, ends
                 the body spendTwice at ExploreTests.swift:\(lineOfPurse + 16) -> \(lineOfPurse + 17) -> \(lineOfPurse + 12), ends
          FAILS: a failure at ExploredTraitTests.swift:\(line)
          A line is where a task goes on; it runs up to its next await.
          > marks a step that is not the default: the latest task,
          else the one that has waited longest.
          Its lines:
          ExploreTests.swift
          \(number(lineOfPurse + 6))      guard balance >= amount else { return }
          \(number(lineOfPurse + 7))      await Task.yield()
          \(number(lineOfPurse + 8))      balance -= amount
          \(number(lineOfPurse + 9))    }
          \(number(lineOfPurse + 10))  }
          \(number(lineOfPurse + 11))
          \(number(lineOfPurse + 12))  func spendTwice() async -> Int {
          \(number(lineOfPurse + 13))    let purse = Purse()
          \(number(lineOfPurse + 14))    async let first: Void = purse.withdraw(80)
          \(number(lineOfPurse + 15))    async let second: Void = purse.withdraw(80)
          \(number(lineOfPurse + 16))    _ = await (first, second)
          \(number(lineOfPurse + 17))    return await purse.balance
          ExploredTraitTests.swift
          \(number(line))  try? await ExploredTrait.explored.explore({ #expect(await spendTwice()
                   >= 0) }, for: test)
          1 schedule ran. Found by the strategy first come, with 6 switches, shrunk to 1; seed 0.
          """)
    }

    /// The number of a source line, as it stands before the line.
    private func number(_ line: Int) -> String {
      String(repeating: " ", count: 5 - "\(line)".count) + "\(line)"
    }
  #endif

  @Test func `S7 a string given to the trait replays the same, whatever else is asked`()
    async throws
  {
    let test = try #require(Test.current)
    let line = #line + 1
    let body = { @Sendable () async throws -> Void in #expect(await spendTwice() >= 0) }
    let found = await failures { try? await ExploredTrait.explored.explore(body, for: test) }
    let replay = found.last?.replay ?? ""
    let again = await failures {
      let trait: ExploredTrait = .explored(schedules: 3, strategy: .pos, seed: 9, replay: replay)
      try? await trait.explore(body, for: test)
    }
    let report = """
      The replayed schedule fails: a failure at ExploredTraitTests.swift:\(line). To replay it: \
      .explored(replay: "…"), or in the environment SLEEPLESS_REPLAY=…
      \(found.last?.table ?? "")
      1 schedule ran.
      """
    #expect(again.map(\.line) == [line, test.sourceLocation.line])
    #expect(again.last?.withoutReplay.text == report)
    #expect(again.last?.replay == replay)
  }

  @Test(.needs(.capture))
  func `F3 a deadlock is reported at the test's line, and then the replay text`() async throws {
    let test = try #require(Test.current)
    let failures = await failures {
      let trait: ExploredTrait = .explored
      try? await trait.explore(
        {
          await Task(name: "waiter") {
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
          }.value
        }, for: test)
    }
    let texts = [
      """
      The simulation is deadlocked at 0 s: nothing can run, nothing is due, and the body has \
      not ended.
        the body: suspended since 0 s
        task 1 "waiter": suspended since 0 s
      This is usually a continuation that is never resumed, a stream that is never finished, or tasks that \
      wait for each other.
      Threads and the network are not simulated; the simulation waits 500 ms for \
      them. Inject a double there, or run the call in Simulation.outside { ... }.
      """,
      """
      Schedule 1 of 1000 fails: a deadlock. To replay it: .explored(replay: "…"), or in the \
      environment SLEEPLESS_REPLAY=…
      Its steps:
      FAILS: a deadlock
      A line is where a task goes on; it runs up to its next await.
      1 schedule ran. Found by the strategy first come, with 0 switches; seed 0.
      """,
    ]
    let expected = texts.map { Failure($0, line: test.sourceLocation.line) }
    #expect(failures.map(\.explored) == expected.map(\.explored))
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
    let text = """
      schedules must be 1 or more (was 0). Nothing was run.
      A test that explores nothing would pass whatever it does. Pass 1 or more.
      """
    #expect(failures == [Failure(text, line: test.sourceLocation.line)])
    #expect(!runs.values.contains("never"))
  }
}

/// A line of `Purse.withdraw`, as reports name it.
private struct PurseLine: CustomStringConvertible {
  let number: Int

  static func + (line: PurseLine, distance: Int) -> PurseLine {
    PurseLine(number: line.number + distance)
  }

  var description: String { "Purse.withdraw at ExploreTests.swift:\(number)" }
}
