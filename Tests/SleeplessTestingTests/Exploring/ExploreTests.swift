// virtual time: everything here runs in simulations
import Dispatch
import SleeplessSimulation
import SleeplessTesting
import Testing
import TestSupport
import XCTest

/// The line before `Purse`.
let lineOfPurse = #line
actor Purse {
  private(set) var balance = 100

  /// Reads the content, suspends, and takes: in between another task may have taken.
  func withdraw(_ amount: Int) async {
    guard balance >= amount else { return }
    await Task.yield()
    balance -= amount
  }
}

func spendTwice() async -> Int {
  let purse = Purse()
  async let first: Void = purse.withdraw(80)
  async let second: Void = purse.withdraw(80)
  _ = await (first, second)
  return await purse.balance
}

/// The failure of a double spend, the same in both frameworks.
private let doubleSpend = """
  Schedule 1 of 1000 fails: a failure at ExploreTests.swift:*. To replay it: \
  explore(replay: "…") { ... }, or in the environment SLEEPLESS_REPLAY=…
  *
  Its steps:
  FAILS: a failure at ExploreTests.swift:*
  A line is where a task goes on; it runs up to its next await.
  > marks a step that is not the default: the latest task,
  else the one that has waited longest.
  1 schedule ran. Found by the strategy first come, with 6 switches, shrunk to 1; \
  seed 0.
  """

extension Failure {
  fileprivate var anywhere: String {
    // The line between is the framework's.
    withoutTable.withoutFunctions.withoutReplay.text.replacing(#/\.swift:\d+/#, with: ".swift:*")
      .replacing(#/\n.*Expectation failed.*\n|\nXCTAssert.*\n/#, with: "\n*\n")
  }
}

private func explored(
  _ environment: [String: String] = [:], schedules: Int? = nil,
  strategy: ExplorationStrategy = .portfolio, stepLimit: Int = 100_000,
  externalResumptions: ExternalResumptionMode = .warned, line: UInt = #line,
  _ body: @escaping () async throws -> Void
) async -> (exploration: Exploration?, failures: [Failure]) {
  let settings = ExplorationSettings(
    simulation: SimulationSettings(
      stepLimit: stepLimit, externalResumptions: externalResumptions, line: line),
    schedules: schedules, strategy: strategy)
  let exploration = Locked<Exploration?>(nil)
  let failures = await failures {
    let result = try? await explore(settings, ExplorationEnvironment(environment), body)
    exploration.withLock { $0 = result }
  }
  return (exploration.withLock { $0 }, failures)
}

@Suite struct ExploreTests {
  @Test func `S7 a failed expectation appears at its line, and then what replays it`() async {
    let line = #line + 2
    let body = { @Sendable () async throws -> Void in
      #expect(await spendTwice() >= 0)
    }
    let (_, failures) = await explored(line: UInt(line), body)
    #expect(failures.map(\.line) == [line, line])
    #expect(failures.last?.anywhere == doubleSpend)

    let replay = failures.last?.replay ?? ""
    let again = await explored(["SLEEPLESS_REPLAY": replay], strategy: .uniform, body).failures
    #expect(again.count == 2 && again.last?.replay == replay)
    #expect(again.last?.text.hasPrefix("The replayed schedule fails: a failure at") == true)
    #expect(again.last?.text.hasSuffix("1 schedule ran.") == true)
  }

  @Test(.needs(.capture)) func `virtual time may pass the end of 64-bit nanoseconds`() async throws
  {
    try await explore(schedules: 2) { try await Task.sleep(for: .seconds(100_000_000_000)) }
  }

  @Test func `S7 a string given to the function replays the same, whatever else is asked`() async {
    let body = { @Sendable () async throws -> Void in
      if await spendTwice() < 0 { throw Overdrawn() }
    }
    let found = await failures { _ = try? await explore(body) }
    let replay = found.last?.replay ?? ""
    let again = await failures {
      _ = try? await explore(schedules: 3, strategy: .uniform, seed: 9, replay: replay, body)
    }
    let report = """
      The replayed schedule fails: the error "Overdrawn()" was thrown. To replay it: \
      explore(replay: "…") { ... }, or in the environment SLEEPLESS_REPLAY=…
      \(found.last?.table ?? "")
      1 schedule ran.
      """
    #expect(again.map(\.withoutReplay.text) == [report])
    #expect(again.last?.replay == replay)
  }

  @Test func `an invariant is checked in every schedule, and the step that breaks it named`() async
  {
    let line = #line + 3
    let (_, failures) = await explored {
      let balance = Locked(100)
      Simulation.invariant("nothing is owed") { balance.withLock { $0 >= 0 } }
      async let rent: Void = pay(80, from: balance)
      async let food: Void = pay(80, from: balance)
      _ = await (rent, food)
    }
    #expect(failures.count == 2)
    #expect(failures.first?.line == line)
    let text = failures.first?.withoutFunctions.text ?? ""
    #expect(text.hasPrefix("The invariant \"nothing is owed\" held until step "))
    let runner = Need.capture.isMet ? "task " : "an actor, serving task "
    #expect(text.contains(", at 0 s, which broke it: \(runner)"))
    #expect(
      failures.last?.text.contains("fails: a failure at ExploreTests.swift:\(line). ") == true)
  }

  @Test(.needs(.capture))
  func `a woken task that breaks an invariant within its waker's step is named`() async {
    let (_, failures) = await explored(strategy: .wokenFirst) {
      let balance = Locked(1)
      let isSafe = Locked(false)
      Simulation.invariant("nothing is owed") { balance.withLock { $0 >= 0 } }
      await Task(name: "clerk") {
        let rent = Task(name: "rent") {
          if !isSafe.withLock({ $0 }) { balance.withLock { $0 -= 2 } }
        }
        isSafe.withLock { $0 = true }
        await rent.value
      }.value
    }
    #expect(
      failures.first?.withoutFunctions.text == """
        The invariant "nothing is owed" held until step 2, at 0 s, which broke it: task 1 "clerk"
        Within that step, before this task went on, ran task 2 "rent"
        It was true after every step before. The cause is the code that one of these tasks ran in that \
        step.
        """)
  }

  @Test(.needs(.capture))
  func `a function whose name says in which order it throws is listed like all others`() async {
    let (_, failures) = await explored {
      await Task { await Task.yield() }.value
      throw Overdrawn()
    }
    #expect(failures.count == 1)
    #expect(failures.last?.text.contains("SleeplessTestingTests.") == false)
  }

  @Test func `a body that passes is run a thousand times`() async {
    let runs = Log<Int>()
    let (exploration, failures) = await explored {
      runs.append(1)
      async let one = 1
      async let two = 2
      #expect(await one + two == 3)
    }
    #expect(failures == [])
    #expect(exploration?.schedules == 1000)
    // The schedules 1, 2, 4, 8 … 512 run twice, to see whether they take the same steps.
    #expect(runs.values.count == 1010)
  }

  @Test func `all schedules of a small program are explored, and it says so`() async {
    let (exploration, failures) = await explored(strategy: .exhaustive) {
      async let one = 1
      async let two = 2
      #expect(await one + two == 3)
    }
    #expect(failures == [])
    #expect(exploration?.isComplete == true)
    #expect(exploration?.description.hasPrefix("all ") == true)
    #expect(
      exploration?.description.hasSuffix(" schedules of the strategy explored, none failed") == true
    )
  }

  @Test(.needs(.capture)) func `a schedule that deadlocks fails`() async {
    let (_, failures) = await explored {
      let (first, second) = (Gate(), Gate())
      async let forth: Void = pass(first, second)
      async let back: Void = pass(second, first)
      _ = await (forth, back)
    }
    #expect(failures.count == 2)
    #expect(failures.first?.text.hasPrefix("The simulation is deadlocked at 0 s") == true)
    #expect(failures.last?.text.contains("fails: a deadlock. To replay it:") == true)
  }

  @Test func `a schedule that does not end fails by the limit of steps`() async {
    let ends = Log<Bool>()
    let (_, failures) = await explored(stepLimit: 200) {
      while !Task.isCancelled { await Task.yield() }
      ends.append(true)
    }
    // The body is cancelled before the exploration ends, or it would go on for ever.
    #expect(!ends.values.isEmpty)
    #expect(failures.first?.text.hasPrefix("The simulation did not come to an end: 200") == true)
    #expect(failures.last?.text.contains("fails: the limit of steps. To replay it:") == true)
  }

  @Test(.needs(.capture)) func `a schedule that leaves something over fails`() async {
    let (_, failures) = await explored { _ = Task { try await Task.sleep(for: .seconds(1)) } }
    #expect(failures.first?.text.hasPrefix("The body has ended (at 0 s), but 1 task still") == true)
    #expect(failures.last?.text.contains("fails: something left over. To replay it:") == true)
  }

  @Test(
    .needs(.capture),
    arguments: [
      ("portfolio", .portfolio), ("uniform", .uniform), ("pct", .pct(depth: 3)), ("pos", .pos),
      ("remaining work", .remainingWork), ("delays", .delayBounded(3)),
      ("first come", .firstCome), ("woken first", .wokenFirst), ("exhaustive", .exhaustive),
      ("few switches", .exhaustive(switches: 2)),
    ] as [(String, ExplorationStrategy)])
  func `a task that polls does not starve other tasks`(name: String, strategy: ExplorationStrategy)
    async
  {
    let (exploration, failures) = await explored(
      schedules: 200, strategy: strategy, stepLimit: 20_000
    ) {
      let isDone = Locked(false)
      let slow = Task {
        for _ in 0..<10 { await Task.yield() }
        isDone.withLock { $0 = true }
      }
      while !isDone.withLock({ $0 }) { await Task.yield() }
      await slow.value
    }
    #expect(failures == [])
    #expect(exploration?.schedules == 200)
  }

  @Test func `what the environment asks for counts`() async {
    let body = { @Sendable () async throws -> Void in
      async let one: Void = Task.yield()
      async let two: Void = Task.yield()
      _ = await (one, two)
    }
    #expect(await explored(["SLEEPLESS_SCHEDULES": "30"], body).exploration?.schedules == 30)
    let shard = await explored(["SLEEPLESS_SHARD": "2/3"], schedules: 30, body)
    #expect(shard.exploration?.schedules == 10)
    for seed in ["1", "2", "random"] {
      let seeded = await explored(["SLEEPLESS_SEED": seed], schedules: 9, body)
      #expect(seeded.exploration?.schedules == 9)
    }
    // A second of the budget is 100,000 steps, on a busy machine too; each schedule takes 19.
    for (seconds, schedules) in [("0.000001", 1), ("0.0019", 10), ("0.00191", 11)] {
      let brief = await explored(["SLEEPLESS_TIME_BUDGET": seconds]) {
        for _ in 1...9 { await Task.yield() }
      }
      #expect(brief.exploration?.schedules == schedules)
    }
    let foreign = ReplayString(test: 7, timingSeed: nil, deviations: [], fingerprint: nil).text
    let others = await explored(["SLEEPLESS_REPLAY": foreign], schedules: 5, body)
    #expect(others.exploration?.schedules == 5)
  }

  @Test func `a string whose schedule passes by now says that the code has changed`() async {
    let replay = Locked("")
    let (_, failures) = await explored { #expect(await spendTwice() >= 0) }
    replay.withLock { $0 = failures.last?.replay ?? "" }
    let environment = ["SLEEPLESS_REPLAY": replay.withLock { $0 }]
    let (_, changed) = await explored(environment) { await Task.yield() }
    let choice = Need.capture.isMet ? 4 : 5
    #expect(
      changed.map(\.text) == [
        """
        The replay string no longer fits this test, which passed: at choice \(choice) 2 jobs could run when \
        it was made, and the schedule ends before that now, so the code has changed since.
        If the code is repaired, explore again without the string. A string fits only the \
        configuration, debug or release, in which it was made.
        """
      ])
  }

  @Test(.needs(.capture))
  func `real input and output is warned of, and the test explored all the same`() async {
    let (_, failures) = await explored(schedules: 3) { await answerFromElsewhere() }
    #expect(failures.count == 1)
    let text = failures.first?.text ?? ""
    #expect(text.hasPrefix("Once a task was resumed from outside the simulation:"))
    #expect(text.hasSuffix("The same holds for all 3 schedules that were explored."))
    let (_, once) = await explored(schedules: 1) { await answerFromElsewhere() }
    #expect(once.map { $0.text.contains("The same holds for all") } == [false])
  }

  @Test(.needs(.capture)) func `a warning of one schedule is not told of all`() async {
    let runs = Locked(0)
    let (_, failures) = await explored(schedules: 3) {
      let run = runs.withLock { runs in
        runs += 1
        return runs
      }
      if run == 1 { await answerFromElsewhere() }
    }
    #expect(
      failures.map { $0.text.hasSuffix("It holds for some of the 3 schedules that were explored.") }
        == [true])
  }

  @Test func `an exploration within a simulation counts no schedule`() async {
    let description = Locked("")
    _ = await failures {
      try? await simulate {
        let exploration = try await explore {}
        description.withLock { $0 = exploration.description }
      }
    }
    #expect(description.withLock { $0 } == "no schedule explored")
  }

  @Test func `random numbers differ from schedule to schedule and come back in a replay`() async {
    let numbers = Log<Int>()
    let body = { @Sendable () async throws -> Void in
      // In every other schedule, where chance plays a part.
      var generator = Simulation.randomNumbers()
      let number = Int.random(in: 0..<10, using: &generator)
      numbers.append(number)
      async let one: Void = Task.yield()
      async let two: Void = Task.yield()
      _ = await (one, two)
      if number == 2 { throw Overdrawn() }
    }
    let (_, failures) = await explored([:], body)
    #expect(Set(numbers.values).count > 2)
    let before = numbers.values.count
    let replay = failures.last?.replay ?? ""
    _ = await explored(["SLEEPLESS_REPLAY": replay], body)
    #expect(numbers.values.dropFirst(before).allSatisfy { $0 == 2 })
    #expect(numbers.values.count == before + 2)
  }

  @Test func `order of work due at one instant is explored`() async {
    let (_, failures) = await explored {
      let log = Locked("")
      let scheduler = Simulation.scheduler()
      for name in ["a", "b", "c"] {
        _ = scheduler.schedule(after: .seconds(1)) { log.withLock { $0 += name } }
      }
      await settle()
      if log.withLock({ $0 }) == "cab" { throw Overdrawn() }
    }
    #expect(failures.count == 1)
    #expect(failures.first?.text.contains("the error \"Overdrawn()\" was thrown") == true)
  }

  @Test func `S8 an exhaustive search keeps the order of a scheduler's work due at one instant`()
    async
  {
    let orders = Log<String>()
    let (exploration, failures) = await explored(strategy: .exhaustive) {
      let log = Locked("")
      let scheduler = Simulation.scheduler()
      for name in ["a", "b"] {
        _ = scheduler.schedule(after: .seconds(1)) { log.withLock { $0 += name } }
      }
      await settle()
      orders.append(log.withLock { $0 })
    }
    #expect(exploration?.isComplete == true && failures == [])
    #expect(Set(orders.values) == ["ab"])
  }

  @Test func `delays within a tolerance are explored`() async {
    let instants = Log<Duration>()
    let (_, failures) = await explored(schedules: 20) {
      let scheduler = Simulation.scheduler()
      let second = Duration.seconds(1)
      _ = scheduler.schedule(after: second, tolerance: second) {
        instants.append(Simulation.current?.now ?? .zero)
      }
      await settle()
    }
    #expect(failures == [])
    // In every other schedule it comes when it is due.
    #expect(Set(instants.values).count > 5)
    #expect(instants.values.allSatisfy { .seconds(1)...(.seconds(2)) ~= $0 })
  }

  @Test func `each schedule has an end of its own`() async {
    let runs = Log<Int>()
    let ends = Log<Int>()
    let (_, failures) = await explored(schedules: 3) {
      runs.append(1)
      let run = runs.values.count
      Reporter(at: CallSite()).atEndOfTest { ends.append(run) }
    }
    #expect(failures == [])
    // The first two schedules run twice.
    #expect(ends.values == [1, 2, 3, 4, 5])
  }

  @Test func `a failure at the end of a schedule is that schedule's`() async {
    let (_, failures) = await explored {
      let reporter = Reporter(at: CallSite())
      reporter.atEndOfTest { reporter.fail("left over") }
    }
    #expect(failures.count == 2)
    #expect(failures.first?.text == "left over")
  }
}

/// Reads the content, yields, and takes.
private func pay(_ amount: Int, from balance: Locked<Int>) async {
  guard balance.withLock({ $0 }) >= amount else { return }
  await Task.yield()
  balance.withLock { $0 -= amount }
}

/// Opens once; tasks that come before wait.
private actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func wait() async {
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}

private func pass(_ first: Gate, _ second: Gate) async {
  await first.wait()
  await second.open()
}

/// Waits for a thread outside the simulation.
func answerFromElsewhere() async {
  await withCheckedContinuation { continuation in
    // real time: an answer that came before the task waits for it would be no external resumption
    outsideSimulations {
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { continuation.resume() }
    }
  }
}

final class ExploreXCTests: FailureCatchingTestCase {
  func testS7AFailedAssertionAppearsAtItsLineAndThenWhatReplaysIt() async {
    let line = #line + 3
    let failures = await failures {
      _ = try? await explore {
        let balance = await spendTwice(); XCTAssertGreaterThanOrEqual(balance, 0)
      }
    }
    XCTAssertEqual(failures.map(\.line), [line, line - 1])
    XCTAssertEqual(failures.last?.anywhere, doubleSpend)
  }

  func testASkippedTestIsSkipped() async throws {
    let runs = Log<Int>()
    do {
      try await explore {
        runs.append(1)
        throw XCTSkip("not today")
      }
      XCTFail("it was not skipped")
    } catch {
      XCTAssertTrue(error is XCTSkip)
      XCTAssertEqual(runs.values.count, 1)
    }
  }
}

/// A test case as users write them, which records its failures itself.
final class PlainExploreXCTests: XCTestCase {
  func testAPassingBodyPasses() async throws {
    let exploration = try await explore(schedules: 50) {
      async let one = 1
      async let two = 2
      let sum = await one + two
      XCTAssertEqual(sum, 3)
    }
    XCTAssertEqual(exploration.schedules, 50)
  }
}
