// virtual time: all sleeps and waits are in simulations
import Dispatch
import Foundation
import Sleepless
@_spi(Benchmarks) import SleeplessSimulation
import TestSupport
import Testing

/// Calls that block a thread take virtual time, and other tasks run meanwhile (S2, S10).
@Suite(.needs(.blockingCalls), .timeLimit(.minutes(10))) struct BlockingCallTests {
  // The timeout is so long that a test would fail if its simulation waited for it.
  private let options = Simulation.Options(timeout: .seconds(600))

  // MARK: Sleeps

  @Test(arguments: ThreadSleep.all)
  fileprivate func `S10 a sleep of the thread takes virtual time`(sleep: ThreadSleep) async {
    let log = Log()
    let outcome = await Simulation.run(options) {
      Task { for _ in 1...3 { try await log.tick(every: .milliseconds(400)) } }
      sleep.call()
      log.add("slept")
      try await Task.sleep(for: .milliseconds(200))
    }
    #expect(
      log.lines == [
        "0.4 seconds: tick", "0.8 seconds: tick", "1.0 seconds: slept", "1.2 seconds: tick",
      ])
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.elapsed == .milliseconds(1200))
    #expect(outcome.report.unfinishedTasks.isEmpty)
  }

  @Test func `a sleep of zero lets other tasks run first`() async {
    let log = Log()
    _ = await Simulation.run(options) {
      let other = Task { log.add("other") }
      sleepThread(.zero)
      log.add("body")
      await other.value
    }
    #expect(log.lines == ["0.0 seconds: other", "0.0 seconds: body"])
  }

  @Test func `with manual time a thread sleeps until the code advances`() async {
    let log = Log()
    var options = options
    options.time = .manual
    let outcome = await Simulation.run(options) {
      let sleeper = Task {
        sleepThread(.seconds(5))
        log.add("slept")
      }
      await Simulation.current?.advance(by: .seconds(4))
      log.add("advanced")
      await Simulation.current?.advance(by: .seconds(1))
      await sleeper.value
    }
    #expect(log.lines == ["4.0 seconds: advanced", "5.0 seconds: slept"])
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `settle does not wait for a background task that sleeps on its thread`() async {
    let outcome = await Simulation.run(options) {
      let simulation = Simulation.current!
      simulation.background {
        _ = Task { while !Task.isCancelled { sleepThread(.seconds(60)) } }
      }
      try await Task.sleep(for: .seconds(100))
      await simulation.settle()
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.elapsed == .seconds(100))
    #expect(outcome.report.unfinishedTasks.isEmpty)
  }

  @Test func `a job that can go on when its simulation is given up goes on outside`() async {
    let (log, ended) = (Log(), Latch())
    var options = options
    options.stepLimit = 2
    let outcome = await Simulation.run(options) {
      sleepThread(.zero)
      sleepThread(.zero)
      sleepThread(.zero)
      log.add("went on")
      ended.open()
    }
    #expect(outcome.report.ending.name == "tooManySteps")
    await ended.wait()
    #expect(log.lines == ["0.0 seconds: went on"])
  }

  @Test func `the rest of a blocked job is a leftover, and runs to its end`() async {
    let log = Log()
    let outcome = await Simulation.run(options) {
      Task(name: "sleeper") {
        sleepThread(.seconds(3600))
        log.add("slept")
      }
      try await Task.sleep(for: .seconds(1))
    }
    #expect(
      outcome.report.unfinishedTasks.map(\.text) == [
        "1 \"sleeper\" sleeping until 3600.0 seconds since 0.0 seconds"
      ])
    #expect(log.lines == ["3600.0 seconds: slept"])
    #expect(outcome.report.elapsed == .seconds(1))
  }

  // MARK: Semaphores and groups

  @Test func `a semaphore round an asynchronous call lets the call go on`() async {
    let outcome = await Simulation.run(options) {
      wait {
        try? await Task.sleep(for: .seconds(2))
        return 7
      }
    }
    #expect(try! outcome.result?.get() == 7)
    #expect(outcome.report.elapsed == .seconds(2))
    #expect(outcome.report.externalResumptionCount == 0)
  }

  @Test func `threads that wait for a semaphore go on in the order in which they began`() async {
    let log = Log()
    _ = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      for number in 1...4 {
        Task {
          block(on: semaphore)
          log.add("\(number)")
        }
      }
      for _ in 1...4 {
        try await Task.sleep(for: .seconds(1))
        semaphore.signal()
      }
      try await Task.sleep(for: .seconds(1))
    }
    #expect(log.lines == (1...4).map { "\($0).0 seconds: \($0)" })
  }

  @Test func `a timed wait ends at its deadline, and not before`() async {
    let log = Log()
    let outcome = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      log.add("\(block(on: semaphore, for: .seconds(3)))")
      Task {
        try await Task.sleep(for: .seconds(1))
        semaphore.signal()
      }
      log.add("\(block(on: semaphore, for: .seconds(3)))")
      log.add("\(block(on: semaphore, for: .zero))")
    }
    #expect(
      log.lines == ["3.0 seconds: timedOut", "4.0 seconds: success", "4.0 seconds: timedOut"])
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `a wait for a group ends when the last has left`() async {
    let log = Log()
    let outcome = await Simulation.run(options) {
      let group = DispatchGroup()
      for second in 1...3 {
        group.enter()
        Task {
          try await Task.sleep(for: .seconds(second))
          log.add("\(second)")
          group.leave()
        }
      }
      log.add("\(block(on: group, for: .seconds(2.5)))")
      block(on: group)
      log.add("all")
    }
    #expect(
      log.lines == [
        "1.0 seconds: 1", "2.0 seconds: 2", "2.5 seconds: timedOut", "3.0 seconds: 3",
        "3.0 seconds: all",
      ])
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `S5 a signal from outside counts as an external resumption`() async {
    let outcome = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      DispatchQueue.global().async { semaphore.signal() }
      block(on: semaphore)
    }
    #expect(outcome.report.ending.name == "finished")
    // If the signal comes first, nothing waits for it.
    #expect(outcome.report.externalResumptionCount <= 1)
  }

  @Test func `a group that is entered again lets those go on that waited`() async {
    let outcome = await Simulation.run(options) {
      let group = DispatchGroup.entered
      let waiter = Task { block(on: group) }
      await Task.yield()
      group.leave()
      group.enter()
      await waiter.value
      group.leave()
    }
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `a thread whose turn came in vain keeps its place`() async {
    let log = Log()
    _ = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      let waiters = (1...3).map { number in
        Task {
          block(on: semaphore)
          log.add("\(number)")
        }
      }
      await Task.yield()
      semaphore.signal()
      block(on: semaphore)
      for _ in 1...3 { semaphore.signal() }
      for waiter in waiters { await waiter.value }
    }
    #expect(log.lines == (1...3).map { "0.0 seconds: \($0)" })
  }

  @Test func `a sleep until the distant future lasts as long as the simulation allows`() async {
    var options = options
    options.timeLimit = .seconds(3600)
    let outcome = await Simulation.run(options) { sleepThread(until: .distantFuture) }
    #expect(outcome.report.ending.name == "tooLate")
  }

  // MARK: Actors

  @Test func `S4 simulations that share an actor may block in it`() async {
    await withTaskGroup { group in
      for _ in 1...8 {
        group.addTask {
          let outcome = await Simulation.run {
            await withTaskGroup { tasks in
              for _ in 1...10 {
                tasks.addTask { await Worker.shared.sleep("shared", for: .milliseconds(1)) }
              }
            }
          }
          #expect(outcome.report.ending.name == "finished")
        }
      }
    }
  }

  @Test func `a job that blocks its thread keeps its actor, and other actors go on`() async {
    let log = Log()
    let outcome = await Simulation.run(options) {
      let (busy, free) = (Worker(log), Worker(log))
      let first = Task { await busy.sleep("first", for: .seconds(2)) }
      let second = Task { await busy.note("second") }
      let third = Task { await free.note("third") }
      for task in [first, second, third] { await task.value }
    }
    #expect(log.lines == ["0.0 seconds: third", "2.0 seconds: first", "2.0 seconds: second"])
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `a job that blocks the main actor's thread keeps the main actor`() async {
    let log = Log()
    let outcome = await Simulation.run(options) {
      let first = Task { @MainActor in
        sleepThread(.seconds(2))
        log.add("first")
      }
      let second = Task { @MainActor in log.add("second") }
      let third = Task { log.add("third") }
      for task in [first, second, third] { await task.value }
    }
    #expect(log.lines == ["0.0 seconds: third", "2.0 seconds: first", "2.0 seconds: second"])
    #expect(outcome.report.ending.name == "finished")
  }

  // MARK: Deadlocks

  @Test func `S6 a thread that waits for ever is a deadlock, with what it waits for`() async {
    #if DEBUG
      let line = #line + 1
    #endif
    let outcome = await Simulation.run(options) {
      let task = Task(name: "waiter") { block(on: DispatchSemaphore(value: 0)) }
      block(on: DispatchGroup.entered)
      await task.value
    }
    #expect(outcome.report.ending.name == "deadlock")
    #expect(outcome.report.body?.text == "0 waiting for a dispatch group since 0.0 seconds")
    #expect(
      outcome.report.unfinishedTasks.map(\.text) == [
        "1 \"waiter\" waiting for a semaphore since 0.0 seconds"
      ])
    let functions = outcome.report.body?.functions ?? []
    #expect(functions.last?.hasSuffix("with what it waits for`()") == true, "\(functions)")
    #if DEBUG
      let expected = [
        "block(on:) at BlockingCallTests.swift:\(lineOfWait)",
        """
        closure at BlockingCallTests.swift:\(line + 3) in BlockingCallTests.\
        `S6 a thread that waits for ever is a deadlock, with what it waits for`()
        """,
      ]
      // The optimiser makes one function of both, and there are no lines.
      #expect(functions == expected)
    #endif
  }

  @Test func `a series goes on after a schedule whose driver is lost`() async {
    let ended = Locked<[String]>([])
    await Simulation.runSeries {
      if ended.withLock({ $0.count }) < 3 { block(on: DispatchSemaphore(value: 0)) }
    } options: { [options] previous in
      if let previous { ended.withLock { $0.append(previous.report.ending.name) } }
      return ended.withLock { $0.count } == 5 ? nil : options
    }
    #expect(ended.withLock { $0 } == ["deadlock", "deadlock", "deadlock", "finished", "finished"])
  }

  // MARK: Orders

  @Test(arguments: 1...20)
  func `S1 the same seed gives the same order`(seed: Int) async {
    var options = options
    options.order = .shuffled(seed: UInt64(seed))
    var orders: Set<[String]> = []
    for _ in 1...5 {
      let log = Log()
      _ = await Simulation.run(options) { await handOver(among: 8, log) }
      orders.insert(log.lines)
    }
    #expect(orders.count == 1)
    #expect(orders.first?.count == 24)
  }

  @Test func `S4 many simulations block threads at the same time`() async {
    await withTaskGroup { group in
      for _ in 1...16 {
        group.addTask {
          let log = Log()
          let outcome = await Simulation.run(options) { await handOver(among: 20, log) }
          #expect(outcome.report.ending.name == "finished")
          #expect(log.lines.count == 60)
        }
      }
    }
  }

  // MARK: Exploring

  /// Two tasks read a number, sleep on their threads, and write it back.
  @Sendable private static func addTwice(guarded: Bool) async -> Int {
    let (number, lock) = (Locked(0), DispatchSemaphore(value: 1))
    await withTaskGroup { group in
      for _ in 1...2 {
        group.addTask {
          if guarded { block(on: lock) }
          let old = number.withLock { $0 }
          sleepThread(.zero)
          number.withLock { $0 = old + 1 }
          if guarded { lock.signal() }
        }
      }
    }
    return number.withLock { $0 }
  }

  @Test @available(macOS 15, *)
  func `S8 all orders of blocked threads are explored`() async {
    let (racing, results) = await explored(.exhaustive, schedules: 1000) {
      await Self.addTwice(guarded: false)
    }
    #expect(racing.isComplete)
    #expect(Set(results) == [1, 2])
    let (guarded, all) = await explored(.exhaustive, schedules: 1000) {
      await Self.addTwice(guarded: true)
    }
    #expect(guarded.isComplete)
    #expect(Set(all) == [2])
  }

  @Test(arguments: namedStrategies) @available(macOS 15, *)
  func `each strategy runs programs that block threads`(
    name: String, strategy: ExplorationStrategy
  ) async {
    let (result, lines) = await explored(strategy, schedules: 50) {
      let log = Log()
      await handOver(among: 4, log)
      return log.lines.count
    }
    #expect(result.failure == nil)
    #expect(Set(lines) == [12])
  }

  @Test @available(macOS 15, *)
  func `S7 a schedule that leaves a thread blocked for ever fails, and is shrunk`() async throws {
    let bug = Bug("left behind", "A task waits for a semaphore that nobody signals.") {
      _ = Task { block(on: DispatchSemaphore(value: 0)) }
    } fixed: {
    }
    let failure = try #require(try await bug.explored(bug.buggy, schedules: 5).failure)
    #expect(failure.shrunk.switches == 0)
  }

  @Test func `code outside simulations blocks as ever`() {
    let semaphore = DispatchSemaphore(value: 0)
    // real time: shows that the real functions are called
    DispatchQueue.global().async { semaphore.signal() }
    block(on: semaphore)
    #expect(block(on: semaphore, for: .milliseconds(1)) == .timedOut)
    let start = ContinuousClock.now
    sleepThread(.milliseconds(2))
    #expect(ContinuousClock.now - start >= .milliseconds(2))
  }
}

/// Tasks that pass a semaphore on to one another, and sleep on their threads.
private func handOver(among count: Int, _ log: Log) async {
  let semaphore = DispatchSemaphore(value: 2)
  await withTaskGroup { group in
    for number in 1...count {
      group.addTask {
        log.add("\(number) comes")
        block(on: semaphore)
        log.add("\(number) begins")
        sleepThread(.milliseconds(number))
        log.add("\(number) ends")
        semaphore.signal()
      }
    }
  }
}

private actor Worker {
  static let shared = Worker(Log())

  private let log: Log

  init(_ log: Log) { self.log = log }

  func sleep(_ line: String, for duration: Duration) {
    sleepThread(duration)
    log.add(line)
  }

  func note(_ line: String) { log.add(line) }
}

/// A way to let a thread sleep for a second.
private struct ThreadSleep: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let call: @Sendable () -> Void

  static let all = [
    Self(testDescription: "Thread.sleep(forTimeInterval:)") { Thread.sleep(forTimeInterval: 1) },
    Self(testDescription: "Thread.sleep(until:)") {
      Thread.sleep(until: Date(timeIntervalSinceNow: 1))
    },
    Self(testDescription: "sleep") { _ = Foundation.sleep(1) },
    Self(testDescription: "usleep") { usleep(1_000_000) },
    Self(testDescription: "nanosleep") { sleepNanoseconds() },
  ]
}

private final class Log: Sendable {
  private let entries = Locked<[String]>([])

  var lines: [String] { entries.withLock { $0 } }

  func add(_ line: String) {
    let now = Simulation.current?.now ?? .zero
    entries.withLock { $0.append("\(now): \(line)") }
  }

  func tick(every interval: Duration) async throws {
    try await Task.sleep(for: interval)
    add("tick")
  }
}

extension DispatchGroup {
  fileprivate static var entered: DispatchGroup {
    let group = DispatchGroup()
    group.enter()
    return group
  }
}

// These functions are synchronous because asynchronous code must not call what they call.

private func sleepThread(until date: Date) { Thread.sleep(until: date) }

private func sleepThread(_ duration: Duration) {
  Thread.sleep(forTimeInterval: duration / .seconds(1))
}

private func block(on semaphore: DispatchSemaphore) { semaphore.wait() }

private func block(on semaphore: DispatchSemaphore, for duration: Duration) -> DispatchTimeoutResult
{
  semaphore.wait(timeout: .now() + duration / .seconds(1))
}

private let lineOfWait = #line + 1
private func block(on group: DispatchGroup) { group.wait() }

private func block(on group: DispatchGroup, for duration: Duration) -> DispatchTimeoutResult {
  group.wait(timeout: .now() + duration / .seconds(1))
}

/// Runs asynchronous code and blocks the thread until it has ended.
private func wait<Value: Sendable>(for operation: @escaping @Sendable () async -> Value) -> Value {
  let semaphore = DispatchSemaphore(value: 0)
  let result = Locked<Value?>(nil)
  Task {
    let value = await operation()
    result.withLock { $0 = value }
    semaphore.signal()
  }
  semaphore.wait()
  return result.withLock { $0! }
}

private func sleepNanoseconds() {
  #if os(Linux)
    var time = timespec(tv_sec: 0, tv_nsec: 999_999_999)
    nanosleep(&time, nil)
    time = timespec(tv_sec: 0, tv_nsec: 1)
    var rest = timespec(tv_sec: 1, tv_nsec: 1)
    nanosleep(&time, &rest)
    precondition(rest.tv_sec == 0 && rest.tv_nsec == 0)
  #endif
}
