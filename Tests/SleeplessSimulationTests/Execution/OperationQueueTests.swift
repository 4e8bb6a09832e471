// virtual time: all sleeps are in simulations
import Foundation
import SleeplessSimulation
import TestSupport
import Testing

/// Foundation's operation queues run their operations in a simulation (S3, S10).
@Suite(.needs(.operations)) struct OperationQueueTests {
  /// An operation that takes a second.
  private static func operation(_ name: String, _ log: Log<String>) -> BlockOperation {
    BlockOperation {
      log.append("\(name) begins")
      Thread.sleep(forTimeInterval: 1)
      log.append("\(name) ends at \(Simulation.current!.now)")
    }
  }

  @Test func `S10 an operation runs in virtual time`() async throws {
    let outcome = await Simulation.run { () -> [String] in
      let log = Log<String>()
      let queue = OperationQueue()
      queue.addOperation(Self.operation("one", log))
      try await Task.sleep(for: .seconds(5))
      return log.values
    }
    #expect(try outcome.result?.get() == ["one begins", "one ends at 1.0 seconds"])
    #expect(outcome.report.externalResumptionCount == 0)
  }

  @Test func `S3 waitUntilAllOperationsAreFinished blocks the thread, and others run meanwhile`()
    async throws
  {
    let outcome = await Simulation.run { () -> [String] in
      let log = Log<String>()
      let queue = OperationQueue()
      for name in ["one", "two"] { queue.addOperation(Self.operation(name, log)) }
      let other = Task {
        try await Task.sleep(for: .milliseconds(500))
        log.append("a task at \(Simulation.current!.now)")
      }
      Self.waitForAll(of: queue)
      log.append("waited until \(Simulation.current!.now)")
      try await other.value
      return log.values
    }
    #expect(
      try outcome.result?.get() == [
        "one begins", "two begins", "a task at 0.5 seconds", "one ends at 1.0 seconds",
        "two ends at 1.0 seconds", "waited until 1.0 seconds",
      ])
  }

  private static func waitForAll(of queue: OperationQueue) {
    queue.waitUntilAllOperationsAreFinished()
  }

  @Test func `one operation at a time`() async throws {
    let outcome = await Simulation.run { () -> [String] in
      let log = Log<String>()
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      for name in ["one", "two"] { queue.addOperation(Self.operation(name, log)) }
      Self.waitForAll(of: queue)
      return log.values
    }
    #expect(
      try outcome.result?.get() == [
        "one begins", "one ends at 1.0 seconds", "two begins", "two ends at 2.0 seconds",
      ])
  }

  @Test func `an operation begins when those that it depends on have ended`() async throws {
    let outcome = await Simulation.run { () -> [String] in
      let log = Log<String>()
      let queue = OperationQueue()
      let (first, second) = (Self.operation("first", log), Self.operation("second", log))
      second.addDependency(first)
      queue.addOperation(second)
      queue.addOperation(first)
      Self.wait(for: second)
      log.append("\(Simulation.current!.now)")
      return log.values
    }
    #expect(
      try outcome.result?.get() == [
        "first begins", "first ends at 1.0 seconds", "second begins", "second ends at 2.0 seconds",
        "2.0 seconds",
      ])
  }

  private static func wait(for operation: Operation) { operation.waitUntilFinished() }

  @Test func `a completion block, a barrier and the main queue`() async throws {
    let outcome = await Simulation.run { () -> [String] in
      let log = Log<String>()
      let queue = OperationQueue()
      let operation = Self.operation("one", log)
      operation.completionBlock = { log.append("completed at \(Simulation.current!.now)") }
      queue.addOperation(operation)
      queue.addBarrierBlock { log.append("barrier at \(Simulation.current!.now)") }
      queue.addOperation(Self.operation("two", log))
      OperationQueue.main.addOperation {
        MainActor.assumeIsolated { log.append("main at \(Simulation.current!.now)") }
      }
      try await Task.sleep(for: .seconds(5))
      return log.values
    }
    let events = try #require(try outcome.result?.get())
    #expect(
      events.sorted() == [
        "barrier at 1.0 seconds", "completed at 1.0 seconds", "main at 0.0 seconds", "one begins",
        "one ends at 1.0 seconds", "two begins", "two ends at 2.0 seconds",
      ])
    let index = { events.firstIndex(of: $0) }
    #expect(try #require(index("barrier at 1.0 seconds")) < #require(index("two begins")))
    #expect(outcome.report.externalResumptionCount == 0)
  }

  @Test func `a cancelled operation does not run`() async throws {
    let outcome = await Simulation.run { () -> [String] in
      let log = Log<String>()
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.addOperation(Self.operation("one", log))
      let second = Self.operation("two", log)
      queue.addOperation(second)
      try await Task.sleep(for: .milliseconds(500))
      second.cancel()
      Self.waitForAll(of: queue)
      return log.values
    }
    #expect(try outcome.result?.get() == ["one begins", "one ends at 1.0 seconds"])
  }

  @Test func `S6 an operation that waits for itself is a deadlock`() async throws {
    let outcome = await Simulation.run {
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.addOperation {
        queue.addOperation {}
        Self.waitForAll(of: queue)
      }
      Self.waitForAll(of: queue)
    }
    #expect(outcome.report.ending.name == "deadlock")
    #expect(outcome.report.body?.text == "0 waiting for a condition since 0.0 seconds")
    #expect(
      outcome.report.unfinishedTasks.map(\.text) == [
        "1 \"an operation queue\" waiting for a condition since 0.0 seconds"
      ])
  }

  @Test func `S4 simulations side by side do not wait for each other's main operations`()
    async throws
  {
    let ends = await withTaskGroup { group in
      for number in 1...8 {
        group.addTask {
          let outcome = await Simulation.run { () -> [String] in
            let log = Log<String>()
            for index in 1...3 {
              OperationQueue.main.addOperation {
                Thread.sleep(forTimeInterval: TimeInterval(number))
                log.append("\(number).\(index) at \(Simulation.current!.now)")
              }
            }
            try await Task.sleep(for: .seconds(100))
            return log.values
          }
          return (number, (try? outcome.result?.get()) ?? [])
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for number in 1...8 {
      #expect(
        ends[number]
          == (1...3).map { "\(number).\($0) at \(Double(number * $0)) seconds" })
    }
  }

  @Test func `S1 the same order 1,000 times out of 1,000`() async throws {
    var orders: Set<[String]> = []
    for _ in 0..<1_000 {
      var options = Simulation.Options()
      options.order = .shuffled(seed: 7)
      let outcome = await Simulation.run(options) { () -> [String] in
        let log = Log<String>()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 2
        for name in ["one", "two", "three", "four"] {
          queue.addOperation(Self.operation(name, log))
        }
        Self.waitForAll(of: queue)
        return log.values
      }
      orders.insert(try #require(try outcome.result?.get()))
    }
    #expect(orders.count == 1)
  }
}

/// Conditions block a thread in virtual time (S10).
@Suite(.needs(.operations)) struct ConditionTests {
  private static func wait(for condition: NSCondition, until date: Date?) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    if let date { return condition.wait(until: date) }
    condition.wait()
    return true
  }

  private static func signal(_ condition: NSCondition) { condition.signal() }
  private static func broadcast(_ condition: NSCondition) { condition.broadcast() }

  @Test func `S10 a condition is waited for until another task signals it`() async throws {
    let outcome = await Simulation.run {
      let condition = NSCondition()
      Task {
        try await Task.sleep(for: .seconds(3))
        Self.signal(condition)
      }
      let isSignalled = Self.wait(for: condition, until: nil)
      return (isSignalled, Simulation.current!.now)
    }
    let (isSignalled, now) = try #require(try outcome.result?.get())
    #expect(isSignalled && now == .seconds(3))
  }

  @Test(.needs(.dates)) func `S10 a wait until a date takes virtual time`() async throws {
    let outcome = await Simulation.run {
      let condition = NSCondition()
      try await Task.sleep(for: .seconds(86_400))
      let isSignalled = Self.wait(for: condition, until: Date(timeIntervalSinceNow: 60))
      return (isSignalled, Simulation.current!.now)
    }
    let (isSignalled, now) = try #require(try outcome.result?.get())
    #expect(!isSignalled && now == .seconds(86_460))
  }

  @Test func `a broadcast lets all go on, a signal lets one go on`() async throws {
    let outcome = await Simulation.run { () -> [String] in
      let log = Log<String>()
      let condition = NSCondition()
      for name in ["one", "two", "three"] {
        Task {
          _ = Self.wait(for: condition, until: nil)
          log.append("\(name) at \(Simulation.current!.now)")
        }
      }
      try await Task.sleep(for: .seconds(1))
      Self.signal(condition)
      try await Task.sleep(for: .seconds(1))
      Self.broadcast(condition)
      try await Task.sleep(for: .seconds(1))
      return log.values
    }
    #expect(
      try outcome.result?.get() == [
        "one at 1.0 seconds", "two at 2.0 seconds", "three at 2.0 seconds",
      ])
  }

  @Test(.needs(.dates)) func `S10 a lock with a condition is waited for, or until a date`()
    async throws
  {
    let outcome = await Simulation.run { () -> [String] in
      let lock = NSConditionLock(condition: 0)
      let log = Log<String>()
      let waiter = Task {
        _ = Self.lock(lock, when: 1, before: Date(timeIntervalSinceNow: 3600))
        log.append("locked at \(Simulation.current!.now)")
        Self.unlock(lock, with: 2)
      }
      try await Task.sleep(for: .seconds(3))
      let isLocked = Self.lock(lock, when: 1, before: Date(timeIntervalSinceNow: 60))
      log.append("\(isLocked) at \(Simulation.current!.now)")
      _ = Self.lock(lock, when: 0, before: Date(timeIntervalSinceNow: 3600))
      Self.unlock(lock, with: 1)
      await waiter.value
      return log.values + ["\(lock.condition)"]
    }
    #expect(
      try outcome.result?.get() == ["false at 63.0 seconds", "locked at 63.0 seconds", "2"])
  }

  private static func lock(
    _ lock: NSConditionLock, when condition: Int, before date: Date
  ) -> Bool {
    lock.lock(whenCondition: condition, before: date)
  }

  private static func unlock(_ lock: NSConditionLock, with condition: Int) {
    lock.unlock(withCondition: condition)
  }

  @Test func `S6 a condition that nobody signals is a deadlock`() async {
    let outcome = await Simulation.run { _ = Self.wait(for: NSCondition(), until: nil) }
    #expect(outcome.report.ending.name == "deadlock")
  }
}
