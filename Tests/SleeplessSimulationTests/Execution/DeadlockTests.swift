// virtual time: all sleeps are in simulations
import Dispatch
import Sleepless
import SleeplessSimulation
import Testing

/// Nothing can run, nothing is due, and the body has not ended.
@Suite(.wholeProcess, .timeLimit(.minutes(10))) struct DeadlockTests {
  // The timeout is so long that the test would fail if the simulation waited for it.
  private let options = Simulation.Options(timeout: .seconds(600))

  @Test func `S6 a deadlock is declared long before the timeout, with all waiting tasks`() async {
    let outcome = await Simulation.run(options) {
      Task(name: "reader") {
        try? await Task.sleep(for: .seconds(2))
        await never()
      }
      async let child: Void = never()
      await withTaskGroup { group in
        group.addTask(name: "member") { await never() }
        await group.waitForAll()
      }
      await child
    }
    #expect(outcome.result == nil)
    #expect(outcome.report.ending.name == "deadlock")
    #expect(outcome.report.elapsed == .seconds(2))
    #expect(outcome.report.body?.text == "0 suspended since 0.0 seconds")
    let waiting = [
      "1 \"reader\" suspended since 2.0 seconds", "2 suspended since 0.0 seconds",
      "3 \"member\" suspended since 0.0 seconds",
    ]
    #expect(outcome.report.unfinishedTasks.map(\.text) == waiting)
    #expect(outcome.report.tasksIgnoringCancellation.map(\.number) == [0, 1, 2, 3])
  }

  @Test func `tasks that wait for each other are deadlocked`() async {
    let outcome = await Simulation.run(options) {
      let (first, second) = (Latch(), Latch())
      let one = Task(name: "one") {
        await first.wait()
        second.open()
      }
      let two = Task(name: "two") {
        await second.wait()
        first.open()
      }
      _ = await (one.value, two.value)
    }
    #expect(outcome.report.ending.name == "deadlock")
    #expect(outcome.report.unfinishedTasks.map(\.name) == ["one", "two"])
  }

  @Test func `with manual time a sleep is a deadlock if no call advances to its end`() async {
    var options = options
    options.time = .manual
    let outcome = await Simulation.run(options) { try await Task.sleep(for: .seconds(1)) }
    #expect(outcome.report.ending.name == "deadlock")
    #expect(outcome.report.body?.text == "0 sleeping until 1.0 seconds since 0.0 seconds")
    #expect(outcome.report.elapsed == .zero)
  }

  @Test func `a deadlocked body that heeds its cancellation ends`() async {
    let outcome = await Simulation.run(options) {
      for await _ in AsyncStream<Int>.makeStream().stream {}
    }
    #expect(outcome.report.ending.name == "deadlock")
    #expect(outcome.report.tasksIgnoringCancellation.isEmpty)
  }

  @Test func `after an external resumption the simulation waits for another one`() async {
    let outcome = await Simulation.run(options) {
      await Latch.opened(after: .now())
      await Latch.opened(after: .now() + 0.8)
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.externalResumptionCount == 2)
  }

  @Test func `a deadlock after an external resumption is declared after the timeout`()
    async
  {
    let outcome = await Simulation.run(Simulation.Options(timeout: .milliseconds(100))) {
      await Latch.opened(after: .now())
      await never()
    }
    #expect(outcome.report.ending.name == "deadlock")
    #expect(outcome.report.externalResumptionCount == 1)
  }
}

extension Latch {
  /// Waits for a latch that a dispatch queue opens, but only after a task waits for it.
  fileprivate static func opened(after deadline: DispatchTime) async {
    let latch = Latch()
    Task {
      // real time: the test is about resumptions from outside a simulation
      outsideSimulations {
        DispatchQueue.global().asyncAfter(deadline: deadline) { latch.open() }
      }
    }
    await latch.wait()
  }
}

private func never() async {
  await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}
