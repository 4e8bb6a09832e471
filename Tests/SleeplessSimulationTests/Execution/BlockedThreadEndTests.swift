// virtual time: all sleeps and waits are in simulations
import Dispatch
import Sleepless
@_spi(Benchmarks) import SleeplessSimulation
import TestSupport
import Testing

/// Jobs block their threads when their simulation ends.
@Suite(.needs(.blockingCalls), .timeLimit(.minutes(10))) struct BlockedThreadEndTests {
  // The timeout is so long that a test would fail if its simulation waited for it.
  private let options = Simulation.Options(timeout: .seconds(600))

  @Test func `the rest of a blocked job is a leftover, and runs to its end`() async {
    let runLog = RunLog()
    let outcome = await Simulation.run(options) {
      Task(name: "sleeper") {
        sleepThread(.seconds(3600))
        runLog.note("slept")
      }
      try await Task.sleep(for: .seconds(1))
    }
    #expect(
      outcome.report.unfinishedTasks.map(\.text) == [
        "1 \"sleeper\" sleeping until 3600.0 seconds since 0.0 seconds"
      ])
    #expect(runLog.entries == ["slept@3600000"])
    #expect(outcome.report.elapsed == .seconds(1))
  }

  @Test func `a job that can go on when its simulation is given up goes on outside`() async {
    let (runLog, ended) = (RunLog(), Latch())
    var options = options
    options.stepLimit = 2
    let outcome = await Simulation.run(options) {
      sleepThread(.zero)
      sleepThread(.zero)
      sleepThread(.zero)
      runLog.note("went on")
      ended.open()
    }
    #expect(outcome.report.ending.name == "tooManySteps")
    await ended.wait()
    #expect(runLog.entries == ["went on@0"])
  }

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
        "block(on:) at BlockingCalls.swift:\(lineOfGroupWait)",
        """
        closure at BlockedThreadEndTests.swift:\(line + 3) in BlockedThreadEndTests.\
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
}
