// virtual time: all sleeps are in simulations
import Foundation
import SleeplessSimulation
import TestSupport
import Testing

/// Foundation's timers and run loops use the virtual time of a simulation (S10).
@Suite(.needs(.runLoops)) struct RunLoopTests {
  // MARK: Timers

  @MainActor private static func schedule(
    every interval: TimeInterval, repeats: Bool = true, _ log: Log<String>, _ name: String = "tick"
  ) -> Timer {
    Timer.scheduledTimer(withTimeInterval: interval, repeats: repeats) { _ in
      log.append("\(name) \(Simulation.current!.now)")
    }
  }

  @MainActor private static func schedule(
    every interval: TimeInterval, _ code: @escaping @Sendable (Timer) -> Void
  ) -> Timer {
    Timer.scheduledTimer(withTimeInterval: interval, repeats: true, block: code)
  }

  @Test func `S10 a timer on the main run loop fires in virtual time`() async throws {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = Log<String>()
      try await Task.sleep(for: .milliseconds(250))
      let timer = Self.schedule(every: 0.1, log)
      try await Task.sleep(for: .milliseconds(350))
      timer.invalidate()
      try await Task.sleep(for: .seconds(10))
      return log.values + ["\(timer.isValid)"]
    }
    #expect(
      try outcome.result?.get() == [
        "tick 0.35 seconds", "tick 0.45 seconds", "tick 0.55 seconds", "false",
      ])
    #expect(outcome.report.externalResumptionCount == 0)
  }

  @Test func `a timer that fires once is invalid then`() async throws {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = Log<String>()
      let timer = Self.schedule(every: 86_400, repeats: false, log)
      let wasValid = timer.isValid
      try await Task.sleep(for: .seconds(100_000))
      return log.values + ["\(wasValid) \(timer.isValid)"]
    }
    #expect(try outcome.result?.get() == ["tick 86400.0 seconds", "true false"])
  }

  @Test func `a timer with a date of its own, added to the main run loop`() async throws {
    let outcome = await Simulation.run { () -> [String] in
      let log = Log<String>()
      try await Task.sleep(for: .seconds(86_400))
      Self.addTimer(fire: Date(timeIntervalSinceNow: 5), log)
      try await Task.sleep(for: .seconds(8))
      return log.values
    }
    #expect(
      try outcome.result?.get() == [
        "fires at 5.0", "tick 86405.0 seconds", "tick 86407.0 seconds",
      ])
  }

  private static func addTimer(fire date: Date, _ log: Log<String>) {
    let timer = Timer(fire: date, interval: 2, repeats: true) { _ in
      log.append("tick \(Simulation.current!.now)")
    }
    RunLoop.main.add(timer, forMode: .common)
    let left = timer.fireDate.timeIntervalSince(Date())
    log.append("fires at \((left * 1e6).rounded() / 1e6)")
  }

  @Test func `setting the date of a timer moves its next firing`() async throws {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = Log<String>()
      let timer = Self.schedule(every: 10, log)
      try await Task.sleep(for: .seconds(5))
      timer.fireDate = Date(timeIntervalSinceNow: 1)
      try await Task.sleep(for: .seconds(12))
      timer.invalidate()
      return log.values
    }
    #expect(try outcome.result?.get() == ["tick 6.0 seconds", "tick 16.0 seconds"])
  }

  @Test func `fire runs the timer at once, and its function may invalidate it`() async throws {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = Log<String>()
      let timer = Self.schedule(every: 1) { timer in
        log.append("tick \(Simulation.current!.now)")
        if log.values.count == 3 { timer.invalidate() }
      }
      timer.fire()
      try await Task.sleep(for: .seconds(10))
      return log.values
    }
    #expect(
      try outcome.result?.get() == [
        "tick 0.0 seconds", "tick 1.0 seconds", "tick 2.0 seconds",
      ])
  }

  @Test func `a negative interval and a date in the past fire at once`() async throws {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = Log<String>()
      _ = Self.schedule(every: -5, repeats: false, log, "negative")
      let past = Timer(fire: .distantPast, interval: 0, repeats: false) { _ in
        log.append("past \(Simulation.current!.now)")
      }
      RunLoop.main.add(past, forMode: .default)
      let never = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in
        log.append("never")
      }
      RunLoop.main.add(never, forMode: .default)
      try await Task.sleep(for: .seconds(1))
      return log.values
    }
    #expect(try outcome.result?.get() == ["negative 0.0 seconds", "past 0.0 seconds"])
  }

  /// What a timer of one second does; its first two functions call `pass`, which takes 2.5 s.
  private static func ticks(_ pass: @escaping @Sendable () -> Void) async throws -> [String]? {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = TimedLog()
      nonisolated(unsafe) var count = 0
      let timer = Self.schedule(every: 1) { _ in
        count += 1
        let number = count
        log.note("\(number) begins")
        if number <= 2 { pass() }
        log.note("\(number) ends")
      }
      try await Task.sleep(for: .milliseconds(8_500))
      timer.invalidate()
      return log.values
    }
    return try outcome.result?.get()
  }

  // So does a real run loop.
  private static let expectedTicks = [
    "1 begins at 1.0 seconds", "1 ends at 3.5 seconds", "2 begins at 4.0 seconds",
    "2 ends at 6.5 seconds", "3 begins at 7.0 seconds", "3 ends at 7.0 seconds",
    "4 begins at 8.0 seconds", "4 ends at 8.0 seconds",
  ]

  @Test func `what a timer misses while its own function runs is left out`() async throws {
    #expect(try await Self.ticks { Thread.sleep(forTimeInterval: 2.5) } == Self.expectedTicks)
  }

  @Test func `a timer whose function runs the run loop does not fire within it`() async throws {
    let runs: @Sendable () -> Void = { RunLoop.main.run(until: Date() + 2.5) }
    #expect(try await Self.ticks(runs) == Self.expectedTicks)
  }

  @Test func `a timer's function may run the run loop of its thread`() async throws {
    let outcome = await Simulation.run { () -> [String] in
      let log = TimedLog()
      await withCheckedContinuation { done in
        DispatchQueue(label: "com.example.queue").async {
          let timer = Timer(fire: Date() + 1, interval: 0, repeats: false) { _ in
            RunLoop.current.run(until: Date() + 2.5)
            log.note("the function ends")
          }
          RunLoop.current.add(timer, forMode: .default)
          RunLoop.current.run(until: Date() + 10)
          log.note("the run loop ends")
          done.resume()
        }
      }
      return log.values
    }
    let seen = try outcome.result?.get()
    #expect(seen == ["the function ends at 3.5 seconds", "the run loop ends at 3.5 seconds"])
  }

  @Test func `a timer fires once for all the times that other code has kept it`() async throws {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = Log<String>()
      let timer = Self.schedule(every: 1) { _ in log.append("tick \(Simulation.current!.now)") }
      try await Task.sleep(for: .milliseconds(500))
      sleepThread(.seconds(3))
      try await Task.sleep(for: .seconds(2))
      timer.invalidate()
      return log.values
    }
    #expect(
      try outcome.result?.get() == ["tick 3.5 seconds", "tick 4.0 seconds", "tick 5.0 seconds"])
  }

  @Test func `S4 timers of simulations side by side keep apart`() async throws {
    let logs = await withTaskGroup { group in
      for number in 1...8 {
        group.addTask {
          let outcome = await Simulation.run { @MainActor () -> [String] in
            let log = Log<String>()
            let timer = Self.schedule(every: TimeInterval(number), log, "\(number):")
            try await Task.sleep(for: .milliseconds(number * 2_500))
            timer.invalidate()
            return log.values
          }
          return (number, (try? outcome.result?.get()) ?? [])
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for number in 1...8 {
      let seconds = [number, 2 * number].map { "\(number): \(Double($0)) seconds" }
      #expect(logs[number] == seconds)
    }
  }

  // MARK: Run loops

  @MainActor private static func run(for seconds: TimeInterval) {
    RunLoop.current.run(until: Date(timeIntervalSinceNow: seconds))
  }

  @Test(.needs(.clocks))
  func `S10 run until a date runs timers and blocks of the main queue meanwhile`()
    async throws
  {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = Log<String>()
      let timer = Self.schedule(every: 1, log)
      DispatchQueue.main.async { log.append("block \(Simulation.current!.now)") }
      DispatchQueue.main.asyncAfter(deadline: .now() + 1.5) {
        MainActor.assumeIsolated { log.append("late block \(Simulation.current!.now)") }
      }
      Task { @MainActor in
        try await Task.sleep(for: .milliseconds(500))
        log.append("task \(Simulation.current!.now)")
      }
      RunLoop.main.perform { log.append("performed \(Simulation.current!.now)") }
      Self.run(for: 2.5)
      log.append("returns \(Simulation.current!.now)")
      timer.invalidate()
      return log.values
    }
    #expect(
      try outcome.result?.get() == [
        "block 0.0 seconds", "performed 0.0 seconds", "task 0.5 seconds", "tick 1.0 seconds",
        "late block 1.5 seconds", "tick 2.0 seconds", "returns 2.5 seconds",
      ])
  }

  @Test(.needs(.clocks)) func `run in a loop until something has happened`() async throws {
    let outcome = await Simulation.run { @MainActor () -> Duration in
      let isDone = Log<Bool>()
      DispatchQueue.global().asyncAfter(deadline: .now() + 3) {
        DispatchQueue.main.async { isDone.append(true) }
      }
      Self.run(until: { !isDone.values.isEmpty })
      return Simulation.current!.now
    }
    #expect(try outcome.result?.get() == .seconds(3))
  }

  /// On the main run loop.
  private static func runAfterASecond(_ code: @escaping @Sendable () -> Void) {
    let timer = Timer(fire: Date(timeIntervalSinceNow: 1), interval: 0, repeats: false) { _ in
      code()
    }
    RunLoop.main.add(timer, forMode: .common)
  }

  @MainActor private static func run(until condition: () -> Bool) {
    while !condition(), RunLoop.current.run(mode: .default, before: .distantFuture) {}
  }

  @Test func `a block of the main queue may sleep, and run the run loop, in a run loop`()
    async throws
  {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = Log<String>()
      DispatchQueue.main.async {
        Thread.sleep(forTimeInterval: 1)
        log.append("slept \(Simulation.current!.now)")
        MainActor.assumeIsolated { Self.run(for: 3) }
        log.append("inner \(Simulation.current!.now)")
      }
      DispatchQueue.main.async { log.append("second \(Simulation.current!.now)") }
      Self.run(for: 2)
      log.append("outer \(Simulation.current!.now)")
      return log.values
    }
    // The outer call cannot return before the inner one, and the main queue is serial.
    #expect(
      try outcome.result?.get() == [
        "slept 1.0 seconds", "inner 4.0 seconds", "second 4.0 seconds", "outer 4.0 seconds",
      ])
  }

  @Test func `while a block of the main queue runs the run loop, timers run and other blocks wait`()
    async throws
  {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = Log<String>()
      let timer = Self.schedule(every: 1, log)
      DispatchQueue.main.async {
        RunLoop.main.perform { log.append("performed \(Simulation.current!.now)") }
        MainActor.assumeIsolated { Self.run(for: 2.5) }
        log.append("inner \(Simulation.current!.now)")
      }
      DispatchQueue.main.async { log.append("second \(Simulation.current!.now)") }
      Self.run(for: 3.5)
      timer.invalidate()
      return log.values
    }
    #expect(
      try outcome.result?.get() == [
        "performed 0.0 seconds", "tick 1.0 seconds", "tick 2.0 seconds", "inner 2.5 seconds",
        "second 2.5 seconds", "tick 3.0 seconds",
      ])
  }

  @Test func `while a timer runs the run loop, other timers and blocks of the main queue run`()
    async throws
  {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = Log<String>()
      let timer = Self.schedule(every: 2, log)
      Self.runAfterASecond {
        log.append("first timer \(Simulation.current!.now)")
        DispatchQueue.main.async { log.append("block \(Simulation.current!.now)") }
        MainActor.assumeIsolated { Self.run(for: 4) }
        log.append("inner \(Simulation.current!.now)")
      }
      Self.run(for: 3)
      log.append("outer \(Simulation.current!.now)")
      timer.invalidate()
      return log.values
    }
    #expect(
      try outcome.result?.get() == [
        "first timer 1.0 seconds", "block 1.0 seconds", "tick 2.0 seconds", "tick 4.0 seconds",
        "inner 5.0 seconds", "outer 5.0 seconds",
      ])
  }

  @Test func `a task may run the run loop while a timer does`() async throws {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = TimedLog()
      Self.runAfterASecond {
        Task { @MainActor in
          Self.run(for: 1)
          log.note("task")
        }
        MainActor.assumeIsolated { Self.run(for: 3) }
        log.note("timer")
      }
      Self.run(for: 2)
      // The queue is still free.
      DispatchQueue.main.async { log.note("block") }
      Self.run(for: 1)
      return log.values
    }
    #expect(
      try outcome.result?.get() == [
        "task at 2.0 seconds", "timer at 4.0 seconds", "block at 4.0 seconds",
      ])
  }

  @Test func `a timer that a block runs may run the run loop again`()
    async throws
  {
    let outcome = await Simulation.run { @MainActor () -> [String] in
      let log = Log<String>()
      DispatchQueue.main.async {
        Self.runAfterASecond {
          RunLoop.main.perform { log.append("performed \(Simulation.current!.now)") }
          MainActor.assumeIsolated { Self.run(for: 1) }
          RunLoop.main.perform { log.append("performed late \(Simulation.current!.now)") }
          log.append("timer \(Simulation.current!.now)")
        }
        MainActor.assumeIsolated { Self.run(for: 1.5) }
        log.append("block \(Simulation.current!.now)")
      }
      DispatchQueue.main.async { log.append("second \(Simulation.current!.now)") }
      Self.run(for: 1)
      log.append("outer \(Simulation.current!.now)")
      Self.run(for: 1)
      return log.values
    }
    #expect(
      try outcome.result?.get() == [
        "performed 1.0 seconds", "timer 2.0 seconds", "performed late 2.0 seconds",
        "block 2.0 seconds", "second 2.0 seconds", "outer 2.0 seconds",
      ])
  }

  @Test func `a run loop of another thread runs its own timers, and ends without`() async throws {
    let outcome = await Simulation.run { () -> [String] in
      let log = Log<String>()
      Self.runOwn(log)
      return log.values
    }
    #expect(
      try outcome.result?.get() == [
        "empty 0.0 seconds", "performed 0.0 seconds", "tick 1.0 seconds", "tick 2.0 seconds",
        "returns 2.5 seconds",
      ])
  }

  private static func runOwn(_ log: Log<String>) {
    let now = { @Sendable in "\(Simulation.current!.now)" }
    RunLoop.current.run(until: Date(timeIntervalSinceNow: 5))
    log.append("empty \(now())")
    let timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { _ in
      log.append("tick \(now())")
    }
    RunLoop.current.perform { log.append("performed \(now())") }
    RunLoop.current.run(until: Date(timeIntervalSinceNow: 2.5))
    log.append("returns \(now())")
    timer.invalidate()
  }

  @Test func `T2 timers of one instant on a run loop fire in the order in which they were made`()
    async throws
  {
    let outcome = await Simulation.run { () -> [Int] in
      let log = Log<Int>()
      Self.fireTimers(count: 12, log)
      return log.values
    }
    #expect(try outcome.result?.get() == Array(0..<12))
  }

  private static func fireTimers(count: Int, _ log: Log<Int>) {
    for number in 0..<count {
      _ = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in log.append(number) }
    }
    RunLoop.current.run(until: Date(timeIntervalSinceNow: 2))
  }

  @Test func `S4 with dispatch outside, run loops are real`() async throws {
    var options = Simulation.Options()
    options.dispatch = .outside
    let outcome = await Simulation.run(options) {
      let log = Log<Duration>()
      Self.runUntilTimerFires(log)
      return log.values
    }
    #expect(try outcome.result?.get() == [.zero])
  }

  @Test(.needs(.dates))
  func `with dispatch outside, a run until a date of virtual time may end too late`() async throws {
    var options = Simulation.Options()
    options.dispatch = .outside
    let outcome = await Simulation.run(options) {
      try await Task.sleep(for: .seconds(86_400))
      let log = Log<Duration>()
      // For the real run loop this date is a day ahead.
      Self.runUntilTimerFires(orUntil: Date(), log)
      return log.values
    }
    #expect(try outcome.result?.get() == [.seconds(86_400)])
  }

  private static func runUntilTimerFires(
    orUntil date: Date = .distantFuture, _ log: Log<Duration>
  ) {
    _ = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in
      log.append(Simulation.current!.now)
    }
    // It returns when the run loop has no timer any more.
    RunLoop.current.run(until: date)
  }
}
