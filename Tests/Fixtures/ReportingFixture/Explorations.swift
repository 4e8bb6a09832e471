// virtual time: everything here runs in simulations
import Foundation
import SleeplessTesting
import Testing

@Suite struct Explorations {
  @Test(.explored(schedules: 500)) func overtaken() async {
    #expect(await overtakes() == false)  // MARK: explored expectation
  }

  @Test(.explored(schedules: 500)) func detached() async {
    let isOvertaken = await overtakes()
    await Task.detached {
      #expect(!isOvertaken)  // MARK: detached expectation
    }.value
  }

  @Test(.simulated) func simulatedDetached() async {
    await Task.detached {
      _ = Issue.record("a detached task failed")  // MARK: simulated detached
    }.value
  }

  @Test(.simulated) func simulatedThread() async {
    await withCheckedContinuation { done in
      Thread.detachNewThread {
        // Twice at one line.
        for _ in 1...2 { _ = Issue.record("a thread failed") }  // MARK: simulated thread
        done.resume()
      }
    }
  }

  @Test(.simulated) func simulatedThreadThatPasses() async {
    await withCheckedContinuation { done in Thread.detachNewThread { done.resume() } }
  }

  @Test(.explored(schedules: 500)) func queue() async {
    let isOvertaken = await overtakes()
    await withCheckedContinuation { done in
      DispatchQueue.global().async {
        #expect(!isOvertaken)  // MARK: queue expectation
        done.resume()
      }
    }
  }

  @Test(.explored(schedules: 500)) func thread() async {
    let isOvertaken = await overtakes()
    await withCheckedContinuation { done in
      Thread.detachNewThread {
        #expect(!isOvertaken)  // MARK: thread expectation
        done.resume()
      }
    }
  }

  /// Two explorations are under way when the thread fails.
  @Test func severalAtOnce() async throws {
    let other = AsyncStream<Void>.makeStream()
    let hasFailed = AsyncStream<Void>.makeStream()
    async let first = explore(strategy: .exhaustive, externalResumptions: .ignored) {
      other.continuation.finish()
      try await Simulation.outside { for await _ in hasFailed.stream {} }
    }
    for await _ in other.stream {}
    try await explore(strategy: .exhaustive, externalResumptions: .ignored) {
      try await Simulation.outside {
        await withCheckedContinuation { done in
          Thread.detachNewThread {
            #expect(Bool(false))
            done.resume()
          }
        }
      }
    }
    hasFailed.continuation.finish()
    _ = try await first
  }

  /// A detached task that no schedule has started fails while an exploration is under way.
  @Test func detachedBeside() async throws {
    let isUnderWay = AsyncStream<Void>.makeStream()
    let beside = Task.detached {
      for await _ in isUnderWay.stream {}
      #expect(Bool(false))
    }
    // Not the portfolio, which compares two runs: only the first waits for the other task.
    try await explore(strategy: .exhaustive, externalResumptions: .ignored) {
      isUnderWay.continuation.finish()
      try await Simulation.outside { await beside.value }
    }
  }

  @Test(.explored(schedules: 500)) func crashing() async {
    if await overtakes(), FixtureScenario.current.scenario == "crash" { fatalError("the bug") }
  }

  /// Two explorations side by side, of which one crashes. The run after the crash explores once.
  @Test func oneOfTwoCrashes() async throws {
    guard FixtureScenario.current.scenario == "crash" else { return _ = try await explore {} }
    let isBeside = Locked(false)
    async let beside = explore(schedules: 1, stepLimit: 1_000_000) {
      isBeside.withLock { $0 = true }
      while true { await Task.yield() }  // real time: none, up to the crash
    }
    _ = try await explore(schedules: 1, stepLimit: 1_000_000) {
      while !isBeside.withLock({ $0 }) { await Task.yield() }  // real time: none
      fatalError("the bug")
    }
    _ = try await beside
  }

  /// A thread of no schedule crashes, or sends the process a signal as another process would, while an exploration is
  /// under way. The run after the crash explores once.
  @Test func crashesBeside() async throws {
    let scenario = FixtureScenario.current.scenario
    guard ["crash", "signal"].contains(scenario) else { return _ = try await explore {} }
    let isUnderWay = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      isUnderWay.wait()
      if scenario == "signal" {
        kill(getpid(), SIGABRT)
        while true { pause() }
      }
      fatalError("the bug")
    }
    try await explore(schedules: 1) {
      isUnderWay.signal()
      while true {}
    }
  }

  @Test(arguments: Self.exploredBugs, Self.seeds) func bugs(bug: Bug, seed: UInt64) async throws {
    try await explore(schedules: 10_000, seed: seed, bug.buggy)
  }

  private static let exploredBugs: [Bug] = {
    let explores = ProcessInfo.processInfo.environment["SLEEPLESS_BUGS_OF_QUEUES"] != "0"
    return Bug.all.filter { explores || !$0.needsQueues }
  }()

  private static let seeds: Range<UInt64> = {
    let number = ProcessInfo.processInfo.environment["SLEEPLESS_BUG_SEEDS"].flatMap(UInt64.init)
    return 0..<(number ?? 1)
  }()
}

/// Whether the second of two tasks has both its turns within one gap of the first: not first come,
/// first served.
private func overtakes() async -> Bool {
  let log = Locked("")
  async let first: Void = takeTurns("a", log)
  async let second: Void = takeTurns("b", log)
  _ = await (first, second)
  return log.withLock { $0.hasPrefix("abb") }
}

private func takeTurns(_ name: String, _ log: Locked<String>) async {
  for _ in 0..<3 {
    log.withLock { $0 += name }
    await Task.yield()
  }
}

/// Twenty jobs: two child tasks share two actors, as in the benchmarks. `Benchmarks/explored-test` runs
/// it.
@Suite struct ExplorationSpeed {
  @Test(.enabled(if: FixtureScenario.current.scenario == "speed"))
  func thousandSchedules() async throws {
    for round in 1...10 {
      let start = clock()
      try await explore { #expect(await shareTwoActors() == 2) }
      let milliseconds = Double(clock() - start) * 1000 / Double(CLOCKS_PER_SEC)
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let memory = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
      print("1000 schedules\t\(round)\t\(milliseconds)\t\(memory.split(separator: " ")[1])")
    }
  }
}

private actor Tally {
  private(set) var sum = 0

  func add(_ number: Int) { sum += number }
}

private func shareTwoActors() async -> Int {
  let (first, second) = (Tally(), Tally())
  async let forth: Void = visit(first, second)
  async let back: Void = visit(second, first)
  _ = await (forth, back)
  return await first.sum
}

private func visit(_ first: Tally, _ second: Tally) async {
  await first.add(1)
  await Task.yield()
  await second.add(1)
}
