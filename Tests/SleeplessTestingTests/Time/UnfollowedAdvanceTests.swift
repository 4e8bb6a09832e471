import SleeplessTesting
import Testing
import TestSupport
import VirtualTime

/// Advances that wake tasks which cannot be followed: on Linux those with an executor of their own, elsewhere all.
@Suite struct UnfollowedAdvanceTests {
  let log = Log<String>()

  @Test func `T4 a loop of sleeps goes its rounds, each at its own time`() async {
    let (clock, log) = (TestClock(), log)
    await withoutEnd {
      let ticking = Task(executorPreference: globalConcurrentExecutor) {
        while true {
          try await clock.sleep(for: .seconds(1))
          log.append("\(clock.now)")
        }
      }
      await clock.waitForSleepers()
      await clock.advance(by: .seconds(5))
      #expect(log.values == (1...5).map { "\($0).0 seconds" })
      #expect(clock.sleepers.map(\.deadline) == [.seconds(6)])
      ticking.cancel()
      _ = await ticking.result
    }
  }

  @Test func `T3 what tasks do before they sleep again happens in the order of its times`() async {
    let (clock, log) = (TestClock(), log)
    await withoutEnd {
      let tasks = [3, 2].map { seconds in
        Task(executorPreference: globalConcurrentExecutor) {
          while true {
            try await clock.sleep(for: .seconds(seconds))
            log.append("every \(seconds) s at \(clock.now)")
          }
        }
      }
      await clock.waitForSleepers(2)
      await clock.advance(by: .seconds(5))
      #expect(
        log.values == [
          "every 2 s at 2.0 seconds", "every 3 s at 3.0 seconds", "every 2 s at 4.0 seconds",
        ])
      for task in tasks {
        task.cancel()
        _ = await task.result
      }
    }
  }

  @Test func `an advance gives a task that was just started the time to fall asleep`() async {
    let clock = TestClock()
    await withoutEnd {
      let task = Task {
        while true { try await clock.sleep(for: .seconds(1)) }
      }
      let ran = await clock.advance(by: .seconds(2))
      #expect(ran.map(\.deadline) == [.seconds(1), .seconds(2)])
      task.cancel()
      _ = await task.result
    }
  }

  @Test func `an advance without sleepers returns`() async {
    let clock = TestClock()
    _ = clock.now
    await UnfollowedTasks.$pause.withValue(.milliseconds(1)) {
      _ = await clock.advance(by: .seconds(2))
    }
    #expect(clock.now.offset == .seconds(2))
  }

  @Test func `the end of a task is not known, so the advance goes on after a pause`() async throws {
    let clock = TestClock()
    let task = Task(executorPreference: globalConcurrentExecutor) {
      try await clock.sleep(for: .seconds(1))
    }
    await clock.waitForSleepers()
    await UnfollowedTasks.$pause.withValue(.milliseconds(1)) {
      await clock.advance(by: .seconds(2))
    }
    #expect(clock.now.offset == .seconds(2))
    try await task.value
  }

  @Test(.needs(.capture))
  func `virtual time does not move while an advance in a simulation pauses`() async throws {
    let log = log
    // All tests at once under ThreadSanitizer keep a task waiting for a thread for more than a minute, and the tasks
    // outside need several.
    try await HangTimeout.$shortened.withValue(.seconds(60)) {
      try await UnfollowedTasks.$pause.withValue(.milliseconds(1)) {
        try await simulate {
          let clock = TestClock()
          let task = try await Simulation.outside {
            let task = Task(executorPreference: globalConcurrentExecutor) {
              try await clock.sleep(for: .seconds(1))
            }
            await clock.waitForSleepers()
            return task
          }
          // real time: none, the sleep is simulated
          async let later: Void = Task.sleep(for: .seconds(10))
          await clock.advance(by: .seconds(2))
          log.append("\(Simulation.current?.now ?? .seconds(-1))")
          try await Simulation.outside { try await task.value }
          try await later
        }
      }
    }
    #expect(log.values == ["0.0 seconds"])
  }

  /// Runs a body whose advances wait for sleepers as long as it takes.
  private func withoutEnd(_ body: () async -> Void) async {
    await UnfollowedTasks.$pause.withValue(.seconds(600), operation: body)
  }
}
