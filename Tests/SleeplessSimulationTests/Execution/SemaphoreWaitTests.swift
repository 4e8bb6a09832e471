// virtual time: all sleeps and waits are in simulations, but for those of the last test
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// A wait for a semaphore or a group of Dispatch takes virtual time, and other tasks run meanwhile (S2).
@Suite(.needs(.blockingCalls), .timeLimit(.minutes(10))) struct SemaphoreWaitTests {
  // The timeout is so long that a test would fail if its simulation waited for it.
  private let options = Simulation.Options(timeout: .seconds(600))

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
    let runLog = RunLog()
    _ = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      for number in 1...4 {
        Task {
          block(on: semaphore)
          runLog.note("\(number)")
        }
      }
      for _ in 1...4 {
        try await Task.sleep(for: .seconds(1))
        semaphore.signal()
      }
      try await Task.sleep(for: .seconds(1))
    }
    #expect(runLog.entries == (1...4).map { "\($0)@\($0)000" })
  }

  @Test(arguments: [false, true])
  func `two threads at a time pass a semaphore of two, in the order in which they came`(
    areBlocks: Bool
  ) async throws {
    if areBlocks { try Need.queues.orCancel() }
    let runLog = RunLog()
    let outcome = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 2)
      for (number, seconds) in [4, 1, 2, 3].enumerated() {
        let pass: @Sendable () -> Void = {
          block(on: semaphore)
          runLog.note("\(number) begins")
          sleepThread(.seconds(seconds))
          runLog.note("\(number) ends")
          semaphore.signal()
        }
        if areBlocks { DispatchQueue.global().async(execute: pass) } else { Task { pass() } }
      }
      await Simulation.current!.settle()
    }
    #expect(
      runLog.entries == [
        "0 begins@0", "1 begins@0", "1 ends@1000", "2 begins@1000", "2 ends@3000",
        "3 begins@3000", "0 ends@4000", "3 ends@6000",
      ])
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.externalResumptionCount == 0)
  }

  @Test(.needs(.clocks))
  func `a timed wait for a semaphore of two ends in vain while two threads have it`() async {
    let runLog = RunLog()
    let outcome = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 2)
      for seconds in [4, 6] {
        Task {
          block(on: semaphore)
          sleepThread(.seconds(seconds))
          semaphore.signal()
        }
      }
      await Task.yield()
      runLog.note("\(block(on: semaphore, for: .zero))")
      // The first wait takes none of the two signals that come later.
      for _ in 1...4 { runLog.note("\(block(on: semaphore, for: .seconds(3)))") }
      for _ in 1...2 { semaphore.signal() }
    }
    #expect(
      runLog.entries == [
        "timedOut@0", "timedOut@3000", "success@4000", "success@6000", "timedOut@9000",
      ])
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `a signal tells whether a thread goes on, as Dispatch does`() async {
    let results = Log<Bool>()
    _ = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      for _ in 1...2 { Task { block(on: semaphore) } }
      await Simulation.current!.settle()
      for _ in 1...3 { results.append(semaphore.signal() != 0) }
    }
    #expect(results.values == [true, true, false])
  }

  @Test(.needs(.clocks)) func `a timed wait ends at its deadline, and not before`() async {
    let runLog = RunLog()
    let outcome = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      runLog.note("\(block(on: semaphore, for: .seconds(3)))")
      Task {
        try await Task.sleep(for: .seconds(1))
        semaphore.signal()
      }
      runLog.note("\(block(on: semaphore, for: .seconds(3)))")
      runLog.note("\(block(on: semaphore, for: .zero))")
    }
    #expect(runLog.entries == ["timedOut@3000", "success@4000", "timedOut@4000"])
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `a group without references can be left while a thread waits`() async {
    let outcome = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      let waiter = Task { block(on: semaphore) }
      await Task {}.value
      let queue = DispatchQueue(label: "outside")
      await withCheckedContinuation { done in
        outsideSimulations {
          // libdispatch leaves the group when the block has run, and has the last reference then.
          for _ in 1...100 { queue.async(group: DispatchGroup()) {} }
          queue.async { done.resume() }
        }
      }
      semaphore.signal()
      await waiter.value
    }
    #expect(outcome.report.ending.name == "finished")
  }

  @Test(.needs(.clocks)) func `a wait for a group ends when the last has left`() async {
    let runLog = RunLog()
    let outcome = await Simulation.run(options) {
      let group = DispatchGroup()
      for second in 1...3 {
        group.enter()
        Task {
          try await Task.sleep(for: .seconds(second))
          runLog.note("\(second)")
          group.leave()
        }
      }
      runLog.note("\(block(on: group, for: .seconds(2.5)))")
      block(on: group)
      runLog.note("all")
    }
    #expect(runLog.entries == ["1@1000", "2@2000", "timedOut@2500", "3@3000", "all@3000"])
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `S5 a signal from outside counts as an external resumption`() async {
    var options = options
    options.deadlockTimeout = options.timeout
    let outcome = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      whenSettled { semaphore.signal() }
      block(on: semaphore)
      let group = DispatchGroup.entered
      whenSettled { group.leave() }
      block(on: group)
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.externalResumptionCount == 2)
    #expect(
      outcome.report.externalResumptions.map(\.task.text)
        == [
          "0 waiting for a semaphore since 0.0 seconds",
          "0 waiting for a dispatch group since 0.0 seconds",
        ])
  }

  /// Calls a function outside the simulation, when the body waits.
  private func whenSettled(_ body: @escaping @Sendable () -> Void) {
    let simulation = Simulation.current!
    // A task that a thread creates belongs to no simulation.
    Thread.detachNewThread {
      Task {
        await simulation.settle()
        body()
      }
    }
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
    let runLog = RunLog()
    _ = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      let waiters = (1...3).map { number in
        Task {
          block(on: semaphore)
          runLog.note("\(number)")
        }
      }
      await Task.yield()
      semaphore.signal()
      // The first waiter's turn comes in vain.
      block(on: semaphore)
      await Task.yield()
      for _ in 1...3 { semaphore.signal() }
      for waiter in waiters { await waiter.value }
    }
    #expect(runLog.entries == (1...3).map { "\($0)@0" })
  }

  @Test func `a signal that tells no simulation is found before time moves`() async {
    let runLog = RunLog()
    let outcome = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      let waiters = (1...2).map { number in
        Task {
          block(on: semaphore)
          runLog.note("\(number)")
        }
      }
      for _ in waiters {
        try await Task.sleep(for: .seconds(1))
        PastStandIns.signal(semaphore)
      }
      try await Task.sleep(for: .seconds(1))
    }
    #expect(runLog.entries == ["1@1000", "2@2000"])
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.externalResumptionCount == 2)
  }

  @Test func `a signal that tells no simulation is found before a deadlock is told`() async {
    var options = options
    options.deadlockTimeout = .milliseconds(1)
    let outcome = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      // Nothing can run then, and the waits have been tried again.
      Simulation.current!.onDeadlock { PastStandIns.signal(semaphore) }
      block(on: semaphore)
    }
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `a group that is left without telling it is found empty`() async {
    let runLog = RunLog()
    let outcome = await Simulation.run(options) {
      let group = DispatchGroup.entered
      let waiters = (1...2).map { number in
        Task {
          block(on: group)
          runLog.note("\(number)")
        }
      }
      try await Task.sleep(for: .seconds(1))
      PastStandIns.leave(group)
      for waiter in waiters { await waiter.value }
      try await Task.sleep(for: .seconds(1))
    }
    #expect(runLog.entries == ["1@1000", "2@1000"])
    #expect(outcome.report.ending.name == "finished")
  }

  @Test(.needs(.queues)) func `a block goes to its queue if its group is left without telling it`()
    async
  {
    let runLog = RunLog()
    let outcome = await Simulation.run(options) {
      let group = DispatchGroup.entered
      group.notify(queue: .global()) { runLog.note("empty") }
      try await Task.sleep(for: .seconds(1))
      PastStandIns.leave(group)
      try await Task.sleep(for: .seconds(1))
    }
    #expect(runLog.entries == ["empty@1000"])
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.externalResumptionCount == 1)
  }

  @Test func `a wait is no leftover if a signal that told no simulation is to end it`() async {
    let outcome = await Simulation.run(options) {
      let semaphore = DispatchSemaphore(value: 0)
      Task { block(on: semaphore) }
      try await Task.sleep(for: .seconds(1))
      PastStandIns.signal(semaphore)
    }
    #expect(outcome.report.unfinishedTasks.map(\.text) == [])
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
