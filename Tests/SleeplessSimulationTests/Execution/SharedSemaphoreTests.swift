// virtual time: all sleeps and waits are in simulations
import Dispatch
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Simulations that run at the same time and use one semaphore or group. For each of them the others are code outside.
@Suite(.needs(.blockingCalls), .timeLimit(.minutes(10))) struct SharedSemaphoreTests {
  /// Even on a busy machine the other simulation is fast enough.
  private let options = {
    var options = Simulation.Options()
    options.deadlockTimeout = options.timeout
    return options
  }()

  @Test func `S4 S5 a signal of another simulation lets a thread go on, at its own time`() async {
    let semaphore = DispatchSemaphore(value: 0)
    let waits = Latch()
    let runLog = RunLog()
    async let waiting = Simulation.run(options) {
      try await Task.sleep(for: .seconds(3))
      Task { waits.open() }
      block(on: semaphore)
      runLog.note("goes on")
    }
    async let signalling = Simulation.run(options) {
      try await Simulation.current!.outside { await waits.wait() }
      sleepThread(.seconds(3600))
      semaphore.signal()
    }
    let outcomes = await [waiting, signalling]
    #expect(outcomes.map(\.report.ending.name) == ["finished", "finished"])
    #expect(outcomes.map(\.report.elapsed) == [.seconds(3), .seconds(3600)])
    #expect(outcomes.map(\.report.externalResumptionCount) == [1, 0])
    #expect(
      outcomes[0].report.externalResumptions.map(\.task.text)
        == ["0 waiting for a semaphore since 3.0 seconds"])
    #expect(runLog.entries == ["goes on@3000"])
  }

  @Test func `S4 S5 a group that another simulation leaves lets a thread and a block go on`()
    async throws
  {
    try Need.queues.orCancel()
    let group = DispatchGroup.entered
    let (waits, isNotified) = (Latch(), Latch())
    let runLog = RunLog()
    async let waiting = Simulation.run(options) {
      group.notify(queue: .global()) {
        runLog.note("block")
        isNotified.open()
      }
      Task { waits.open() }
      block(on: group)
      runLog.note("body")
      await isNotified.wait()
    }
    async let leaving = Simulation.run(options) {
      try await Simulation.current!.outside { await waits.wait() }
      sleepThread(.seconds(3600))
      group.leave()
    }
    let outcomes = await [waiting, leaving]
    #expect(outcomes.map(\.report.ending.name) == ["finished", "finished"])
    #expect(outcomes.map(\.report.externalResumptionCount) == [2, 0])
    #expect(Set(runLog.entries) == ["block@0", "body@0"])
  }

  @Test func `S4 two simulations hand a semaphore to each other a hundred times`() async {
    let semaphores = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let turns = Log<Int>()
    async let first = Simulation.run(options) {
      for _ in 1...100 {
        turns.append(1)
        sleepThread(.seconds(1))
        semaphores.1.signal()
        block(on: semaphores.0)
      }
    }
    async let second = Simulation.run(options) {
      for _ in 1...100 {
        block(on: semaphores.1)
        turns.append(2)
        sleepThread(.seconds(2))
        semaphores.0.signal()
      }
    }
    let outcomes = await [first, second]
    #expect(outcomes.map(\.report.ending.name) == ["finished", "finished"])
    #expect(outcomes.map(\.report.elapsed) == [.seconds(100), .seconds(200)])
    #expect(turns.values == (1...200).map { $0 % 2 == 1 ? 1 : 2 })
  }

  @Test func `S4 a semaphore of two lets tasks of two simulations at a time pass`() async {
    let semaphore = DispatchSemaphore(value: 2)
    let counts = Locked((now: 0, most: 0, all: 0))
    await withTaskGroup { group in
      for number in 1...8 {
        group.addTask {
          let outcome = await Simulation.run(options) {
            for _ in 1...20 {
              block(on: semaphore)
              counts.withLock { counts in
                counts.now += 1
                counts.all += 1
                counts.most = max(counts.most, counts.now)
              }
              sleepThread(.seconds(number))
              counts.withLock { $0.now -= 1 }
              semaphore.signal()
            }
          }
          #expect(outcome.report.ending.name == "finished")
          #expect(outcome.report.elapsed == .seconds(20 * number))
        }
      }
    }
    #expect(counts.withLock { $0.all } == 160)
    #expect(counts.withLock { $0.most } <= 2)
  }

  @Test(.needs(.clocks))
  func `virtual time does not wait for a signal of another simulation, which is not lost`() async {
    let semaphore = DispatchSemaphore(value: 0)
    let (hasTimedOut, hasSignalled) = (Latch(), Latch())
    let runLog = RunLog()
    async let waiting = Simulation.run(options) {
      runLog.note("\(block(on: semaphore, for: .seconds(60)))")
      hasTimedOut.open()
      try await Simulation.current!.outside { await hasSignalled.wait() }
      runLog.note("\(block(on: semaphore, for: .seconds(60)))")
    }
    async let signalling = Simulation.run(options) {
      try await Simulation.current!.outside { await hasTimedOut.wait() }
      sleepThread(.seconds(1))
      semaphore.signal()
      hasSignalled.open()
    }
    let outcomes = await [waiting, signalling]
    #expect(outcomes.map(\.report.ending.name) == ["finished", "finished"])
    #expect(runLog.entries == ["timedOut@60000", "success@60000"])
  }

  @Test func `S6 a wait that another simulation ends after the deadlock timeout is a deadlock`()
    async
  {
    let semaphore = DispatchSemaphore(value: 0)
    let (isOver, wentOn) = (Latch(), Latch())
    async let waiting = Simulation.run(Simulation.Options(timeout: .milliseconds(100))) {
      block(on: semaphore)
      wentOn.open()
    }
    async let signalling = Simulation.run(options) {
      try await Simulation.current!.outside { await isOver.wait() }
      semaphore.signal()
    }
    let report = await waiting.report
    #expect(report.ending.name == "deadlock")
    #expect(report.body?.text == "0 waiting for a semaphore since 0.0 seconds")
    isOver.open()
    #expect(await signalling.report.ending.name == "finished")
    // The signal lets the thread go on, outside its simulation.
    await wentOn.wait()
  }
}
