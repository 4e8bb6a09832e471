import Dispatch
import SleeplessTesting
import Testing
import TestSupport
import VirtualTime
import XCTest

/// What an asynchronous advance promises: its effects have happened when it returns.
@Suite(.needs(.capture)) struct AdvanceEffectsTests {
  /// Where the tasks of a test run.
  enum Place: CaseIterable {
    case simulated, outside

    func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
      switch self {
      case .simulated: try await simulate { try await body() }
      case .outside: try await body()
      }
    }
  }

  let log = Log<String>()

  @Test(arguments: Place.allCases)
  func `what a task does after its sleep has happened when the advance returns`(
    in place: Place
  ) async throws {
    let log = log
    try await place.run {
      let clock = TestClock()
      Task {
        try await clock.sleep(for: .seconds(1))
        await Task.detached { log.append("woken at \(clock.now)") }.value
      }
      await clock.advance(by: .milliseconds(999))
      #expect(log.values == [])
      await clock.advance(by: .milliseconds(1))
      #expect(log.values == ["woken at 1.0 seconds"])
    }
  }

  @Test(arguments: Place.allCases)
  func `T3 effects come in the order of their times`(in place: Place) async throws {
    try await place.run {
      for seed in 0..<UInt64(rounds(100)) {
        var generator = SeededGenerator(seed: seed)
        let (clock, log) = (TestClock(), Log<Duration>())
        let delays = (1...10).map { Duration.seconds($0) }
        for delay in delays.shuffled(using: &generator) {
          Task {
            try await clock.sleep(for: delay)
            log.append(clock.now.offset)
          }
        }
        await clock.run()
        #expect(log.values == delays, "seed \(seed)")
      }
    }
  }

  @Test(arguments: Place.allCases)
  func `T4 a loop of sleeps goes its rounds, each at its own time`(in place: Place) async throws {
    let log = log
    try await place.run {
      let clock = TestClock(allowsPendingWork: true)
      let ticking = Task {
        while true {
          try await clock.sleep(for: .seconds(1))
          log.append("\(clock.now)")
        }
      }
      await clock.advance(by: .seconds(5))
      #expect(log.values == (1...5).map { "\($0).0 seconds" })
      #expect(clock.sleepers.map(\.deadline) == [.seconds(6)])
      ticking.cancel()
      _ = await ticking.result
    }
  }

  @Test(arguments: Place.allCases)
  func `run goes on until no task is asleep`(in place: Place) async throws {
    let log = log
    try await place.run {
      let clock = TestClock()
      Task {
        for _ in 1...5 { try await clock.sleep(for: .seconds(1)) }
        log.append("\(clock.now)")
      }
      let ran = await clock.run()
      #expect(ran.map(\.deadline) == (1...5).map { .seconds($0) })
      #expect(log.values == ["5.0 seconds"])
    }
  }

  @Test(arguments: Place.allCases)
  func `a woken task's tasks sleep from its own instant`(in place: Place) async throws {
    let log = log
    try await place.run {
      let clock = TestClock()
      Task {
        try await clock.sleep(for: .seconds(1))
        log.append("outer \(clock.now)")
        Task {
          try await clock.sleep(for: .seconds(1))
          log.append("inner \(clock.now)")
        }
        try await clock.sleep(for: .milliseconds(1500))
        log.append("outer \(clock.now)")
      }
      await clock.advance(by: .seconds(60))
      #expect(log.values == ["outer 1.0 seconds", "inner 2.0 seconds", "outer 2.5 seconds"])
    }
  }

  @Test(arguments: Place.allCases)
  func `a task that is cancelled on the way does not wake`(in place: Place) async throws {
    let log = log
    try await place.run {
      let clock = TestClock()
      let cancelled = Task {
        do { try await clock.sleep(for: .seconds(2)) } catch {
          log.append("\(error) at \(clock.now)")
        }
      }
      Task {
        try await clock.sleep(for: .seconds(1))
        cancelled.cancel()
      }
      let ran = await clock.advance(by: .seconds(3))
      #expect(log.values == ["CancellationError() at 1.0 seconds"])
      #expect(ran.map(\.deadline) == [.seconds(1)])
    }
  }

  @Test(arguments: Place.allCases)
  func `a thousand sleepers of one deadline wake in one advance`(in place: Place) async throws {
    try await place.run {
      let (clock, log) = (TestClock(), Log<Duration>())
      for _ in 1...1000 {
        Task {
          try await clock.sleep(for: .seconds(1))
          log.append(clock.now.offset)
        }
      }
      let ran = await clock.advance(by: .seconds(1))
      #expect(ran.count == 1000)
      #expect(log.values == Array(repeating: .seconds(1), count: 1000))
    }
  }

  @Test(arguments: Place.allCases)
  func `sleeping until the deadlines sorts numbers`(in place: Place) async throws {
    try await place.run {
      var generator = SeededGenerator(seed: 1)
      let numbers = (0..<100).map { _ in Int.random(in: 0..<1000, using: &generator) }
      let (clock, log) = (TestClock(), Log<Int>())
      for number in numbers {
        Task {
          try await clock.sleep(until: VirtualInstant(offset: .seconds(number)))
          log.append(number)
        }
      }
      await clock.run()
      #expect(log.values == numbers.sorted())
    }
  }

  @Test(arguments: Place.allCases)
  func `sleeps until now of a woken task end in the same advance`(in place: Place) async throws {
    let log = log
    try await place.run {
      let clock = TestClock()
      Task {
        for seconds in [1, 0, 0] {
          try await clock.sleep(for: .seconds(seconds))
          log.append("\(clock.now)")
        }
      }
      await clock.advance(to: VirtualInstant(offset: .seconds(1)))
      #expect(log.values == Array(repeating: "1.0 seconds", count: 3))
    }
  }

  @Test(arguments: Place.allCases)
  func `a scheduler and its clock share one order of times`(in place: Place) async throws {
    let log = log
    try await place.run {
      let scheduler = TestScheduler()
      let clock = scheduler.clock
      Task {
        try await clock.sleep(for: .seconds(2))
        log.append("task at \(clock.now)")
        scheduler.schedule(after: .seconds(2)) { log.append("late work at \(scheduler.now)") }
      }
      scheduler.schedule(after: .seconds(1)) {
        log.append("work at \(scheduler.now)")
        Task {
          try await clock.sleep(for: .seconds(2))
          log.append("late task at \(clock.now)")
        }
      }
      scheduler.queue("other").schedule(after: .seconds(5)) { log.append("last work") }
      await scheduler.advance(by: .seconds(4))
      #expect(
        log.values == [
          "work at 1.0 seconds", "task at 2.0 seconds", "late task at 3.0 seconds",
          "late work at 4.0 seconds",
        ])
      await scheduler.advanceToNext()
      #expect(log.values.last == "last work")
    }
  }

  @Test(arguments: Place.allCases)
  func `the advance of a woken task follows the advance that woke it`(in place: Place) async throws
  {
    let log = log
    try await place.run {
      let clock = TestClock()
      let task = Task {
        try await clock.sleep(for: .seconds(1))
        await clock.advance(by: .seconds(1))
        log.append("advanced to \(clock.now)")
      }
      await clock.advance(by: .seconds(3))
      try await task.value
      #expect(log.values == ["advanced to 4.0 seconds"])
    }
  }

  @Test(arguments: Place.allCases)
  func `code of actors has run, too`(in place: Place) async throws {
    try await place.run {
      let (clock, store) = (TestClock(), Store())
      Task {
        for number in 1...3 {
          try await clock.sleep(for: .seconds(1))
          await store.add(number)
          await MainActor.run { store.log.append("main \(number)") }
        }
      }
      await clock.advance(by: .seconds(2))
      #expect(store.log.values == ["1", "main 1", "2", "main 2"])
      await clock.run()
    }
  }

  @MainActor
  @Test func `the main actor is free while an advance lets tasks come to rest`() async {
    let (clock, log) = (TestClock(), log)
    Task {
      try await clock.sleep(for: .seconds(1))
      log.append("on the main actor")
    }
    await clock.advance(by: .seconds(1))
    #expect(log.values == ["on the main actor"])
  }

  @Test func `an advance does not wait for a task that sleeps in real time`() async throws {
    let (clock, log) = (TestClock(), log)
    let other = Task {
      // real time: the sleep is cancelled below
      try? await Task.sleep(for: .seconds(600))
    }
    Task {
      try await clock.sleep(for: .seconds(1))
      log.append("woken")
    }
    await clock.advance(by: .seconds(1))
    #expect(log.values == ["woken"])
    other.cancel()
    await other.value
  }

  @Test func `W1 an advance goes on without a task that does not come to rest`() async {
    let clock = TestClock(allowsPendingWork: true)
    let isOver = DispatchSemaphore(value: 0)
    let line = #line + 4
    let task = Task(name: "blocked") { block(until: isOver) }
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(20)) {
        _ = await clock.advance(by: .seconds(3))
      }
    }
    isOver.signal()
    #expect(failures == [blockedAdvance(line: line)])
    #expect(clock.now.offset == .seconds(3))
    await task.value
  }

  private actor Store {
    nonisolated let log = Log<String>()

    func add(_ number: Int) { log.append("\(number)") }
  }
}

final class AdvanceEffectsXCTests: FailureCatchingTestCase {
  func testTheEffectsOfAnAdvanceHaveHappenedWhenItReturns() async throws {
    try Need.capture.orSkip()
    let (clock, log) = (TestClock(), Log<String>())
    Task {
      for _ in 1...2 {
        try await clock.sleep(for: .seconds(1))
        log.append("\(clock.now)")
      }
    }
    await clock.advance(by: .seconds(2))
    XCTAssertEqual(log.values, ["1.0 seconds", "2.0 seconds"])
  }

  func testW1AnAdvanceGoesOnWithoutATaskThatDoesNotComeToRest() async throws {
    try Need.capture.orSkip()
    let clock = TestClock(allowsPendingWork: true)
    let isOver = DispatchSemaphore(value: 0)
    let line = #line + 4
    let task = Task(name: "blocked") { block(until: isOver) }
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(20)) {
        _ = await clock.advance(by: .seconds(3))
      }
    }
    isOver.signal()
    // XCTest's own tasks count, too, and how many there are varies.
    let numberless = failures.map { failure in
      var failure = failure
      failure.text.replace(#/task \d+ /#, with: "task 1 ")
      return failure
    }
    XCTAssertEqual(numberless, [blockedAdvance(line: line)])
    await task.value
  }
}

private func block(until isOver: DispatchSemaphore) {
  isOver.wait()  // real time: the signal comes after the failure
}

private func blockedAdvance(line: Int) -> Failure {
  Failure(FailureText.aBlockedAdvance, line: line)
}
