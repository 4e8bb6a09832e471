// virtual time: everything here runs in simulations
import Sleepless
import SleeplessSimulation
import Testing
import TestSupport

/// A sleep of zero or less is a point at which other tasks may run, like a yield.
@Suite(.wholeProcess, .timeLimit(.minutes(10))) struct ZeroSleepTests {
  /// The ways to sleep for zero.
  enum Pause: CaseIterable {
    case yield, zero, negative, past, nanoseconds, old, continuous, suspending

    func callAsFunction() async throws {
      switch self {
      case .yield: await Task.yield()
      case .zero: try await Task.sleep(for: .zero)
      case .negative: try await Task.sleep(for: .seconds(-1))
      case .past: try await Task.sleep(until: .now - .seconds(1), clock: .continuous)
      case .nanoseconds: try await Task.sleep(nanoseconds: 0)
      case .old:
        let sleeper: any OldSleeper = ZeroSleeper()
        await sleeper.sleepOldly()
      case .continuous: try await ContinuousClock().sleep(until: .now)
      case .suspending: try await SuspendingClock().sleep(for: .zero)
      }
    }
  }

  @Test(arguments: Pause.allCases) @available(macOS 15, *)
  func `S8 a sleep of zero allows every order with other tasks`(pause: Pause) async {
    let (result, orders) = await explored(.exhaustive, schedules: .max) {
      await order { note in
        await withTaskGroup { group in
          group.addTask {
            note("a")
            await Task.yield()
            note("b")
          }
          group.addTask {
            try? await pause()
            note("c")
          }
        }
      }
    }
    #expect(Set(orders) == ["abc", "acb", "cab"])
    #expect(result.isComplete && result.distinct == result.run)
  }

  @Test(arguments: Pause.allCases.filter { $0 != .yield }) @available(macOS 15, *)
  func `a sleep of zero is one choice`(pause: Pause) async {
    let (result, orders) = await explored(.exhaustive, schedules: .max) {
      await interleave(with: pause)
    }
    #expect(orders.sorted() == ["aabb", "abab", "abba", "baab", "baba", "bbaa"])
    #expect(result.isComplete && result.distinct == 6)
  }

  /// Two tasks log their letters, sleep for zero, and log them again; nothing else is a choice.
  @available(macOS 15, *)
  private func interleave(with pause: Pause) async -> String {
    await order { note in
      let left = Locked(2)
      await withUnsafeContinuation { (end: UnsafeContinuation<Void, Never>) in
        for name in ["a", "b"] {
          Task(name: name) {
            note(name)
            try? await pause()
            note(name)
            let isLast = left.withLock { left in
              left -= 1
              return left == 0
            }
            if isLast { end.resume() }
          }
        }
      }
    }
  }

  enum Place: CaseIterable {
    case task, detached, mainActor, actor
  }

  @Test(arguments: Place.allCases) @available(macOS 15, *)
  func `S8 a sleep of zero allows every order on each kind of executor`(place: Place) async {
    let (result, orders) = await explored(.exhaustive, schedules: .max) {
      await order { note in
        let other = Task {
          note("a")
          await Task.yield()
          note("b")
        }
        switch place {
        case .task:
          await Task {
            try? await Task.sleep(for: .zero)
            note("c")
          }.value
        case .detached:
          await Task.detached {
            try? await Task.sleep(for: .zero)
            note("c")
          }.value
        case .mainActor:
          await Task { @MainActor in
            try? await Task.sleep(for: .zero)
            MainActor.assertIsolated()
            note("c")
          }.value
        case .actor: await Napper().nap { note("c") }
        }
        await other.value
      }
    }
    #expect(Set(orders) == ["abc", "acb", "cab"])
    #expect(result.isComplete)
  }

  @Test(arguments: Pause.allCases)
  func `a sleep of zero takes no time and does not wait for other sleeps`(pause: Pause) async {
    let runLog = RunLog()
    let outcome = await Simulation.run {
      async let later: Void = Task.sleep(for: .milliseconds(1))
      for round in 1...3 {
        try await pause()
        runLog.note("\(round)")
      }
      try await later
      runLog.note("later")
    }
    #expect(runLog.entries == ["1@0", "2@0", "3@0", "later@1"])
    #expect(outcome.report.elapsed == .milliseconds(1))
  }

  @Test func `a sleep of zero ends although manual time does not move`() async {
    let outcome = await Simulation.run(Simulation.Options(time: .manual)) {
      try await Task.sleep(for: .zero)
      try await Task.sleep(for: .seconds(-1))
      return Simulation.current!.now
    }
    #expect(try! outcome.result?.get() == .zero)
    #expect(outcome.report.ending.name == "finished")
  }

  @Test(arguments: [Pause.yield, .zero, .negative, .past, .nanoseconds, .continuous])
  func `an endless loop of zero sleeps reaches the limit of steps, as one of yields does`(
    pause: Pause
  ) async {
    var options = Simulation.Options()
    options.stepLimit = 1_000
    let outcome = await Simulation.run(options) {
      while !Task.isCancelled { try await pause() }
    }
    #expect(outcome.report.elapsed == .zero)
    guard case .tooManySteps(let busiest) = outcome.report.ending else {
      Issue.record("\(outcome.report.ending)")
      return
    }
    #expect(busiest.map(\.text) == ["0 ready since 0.0 seconds"])
    // A yield is two steps.
    #expect(busiest.map(\.steps) == [pause == .yield ? 500 : 1_000])
  }

  @Test func `a sleep of zero throws only if its task was cancelled before it`() async {
    let (result, ends) = await explored(.exhaustive, schedules: .max) {
      let sleeper = Task {
        let before = Task.isCancelled
        do {
          try await Task.sleep(for: .zero)
          return before ? "slept though cancelled" : "slept"
        } catch {
          return before ? "cancelled before" : "cancelled meanwhile"
        }
      }
      await Task.yield()
      sleeper.cancel()
      return await sleeper.value
    }
    #expect(Set(ends) == ["cancelled before", "slept"])
    #expect(result.isComplete)
  }

  @Test(arguments: [0, 1] as [UInt64])
  func `a sleep of zero takes no time on an actor's own executor`(seed: UInt64) async {
    let (queue, inline) = (QueueActor(), InlineActor())
    let outcome = await Simulation.run(Simulation.Options(order: .shuffled(seed: seed))) {
      try await withThrowingTaskGroup { group in
        for _ in 1...100 {
          group.addTask { try await queue.nap() }
          group.addTask { try await inline.nap() }
        }
        try await group.waitForAll()
      }
    }
    #expect(outcome.report.ending.name == "finished" && outcome.report.elapsed == .zero)
    #expect(await queue.naps == 100)
    #expect(await inline.visits == 100)
  }

  @Test(arguments: [true, false])
  func `a cancelled loop of zero sleeps ends and releases its objects`(
    isLeft: Bool
  ) async {
    let released = Log<Int>()
    let outcome = await Simulation.run(Simulation.Options(stepLimit: 100)) {
      let sleeper = Task {
        let probe = Probe { released.append(1) }
        while !Task.isCancelled { try await Task.sleep(for: .zero) }
        probe.touch()
      }
      if !isLeft { _ = await sleeper.result }
    }
    #expect(outcome.report.ending.name == "tooManySteps")
    #expect(outcome.report.tasksIgnoringCancellation.isEmpty)
    #expect(released.values == [1])
  }

  @Test @available(macOS 15, *)
  func `a table shows a sleep of zero as a pause of its task`() async throws {
    let explorer = Explorer(
      ExplorationPlan(name: "test", schedules: 100, strategy: .portfolio, seed: 0))
    _ = await run(explorer, failing: { $0 == "abba" }) { await interleave(with: .zero) }
    let failure = try #require(explorer.result.failure)
    let rows = ScheduleRows(failure.shrunk, functions: { _ in [] }, function: { _ in nil })
    #expect(
      ScheduleTable(rows).text == """
         0 s   the body makes 1 "a", 2 "b"
               1 "a"    starts
             > 2 "b"    starts, ends
               1 "a"    wakes the body, ends
               the body ends
        """)
  }
}

/// The letters that a body notes, in order.
@available(macOS 15, *)
private func order(_ body: (@escaping @Sendable (String) -> Void) async -> Void) async -> String {
  let log = Locked("")
  await body { letter in log.withLock { $0 += letter } }
  return log.withLock { $0 }
}

private actor Napper {
  func nap(_ note: @Sendable () -> Void) async {
    try? await Task.sleep(for: .zero)
    assertIsolated()
    note()
  }
}

/// Calls the deprecated form of `Task.sleep` by a protocol, which gives no warning.
private protocol OldSleeper {
  func sleepOldly() async
}

private struct ZeroSleeper: OldSleeper {
  @available(*, deprecated) func sleepOldly() async { await Task.sleep(0) }
}
