// virtual time: all sleeps are in simulations
import Dispatch
import Sleepless
import SleeplessSimulation
import Testing
import TestSupport
import VirtualTime

/// How a simulation ends, and what happens to the tasks that are left.
@Suite(.wholeProcess, .timeLimit(.minutes(10))) struct EndTests {
  @Test func `a cancelled caller cancels the body`() async {
    let started = Latch()
    let run = Task {
      await Simulation.run {
        started.open()
        // The cancellation comes from outside, however late that is.
        try await Simulation.current?.outside {
          for await _ in AsyncStream<Int>.makeStream().stream {}
        }
        return Task.isCancelled
      }
    }
    await started.wait()
    run.cancel()
    let outcome = await run.value
    #expect(try! outcome.result?.get() == true)
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `unfinished tasks are reported, cancelled, run to their ends and released`() async {
    let runLog = RunLog()
    let outcome = await Simulation.run {
      Task(name: "sleeper") {
        let probe = Probe { runLog.note("sleeper released") }
        do { try await Task.sleep(for: .seconds(5)) } catch { runLog.note("sleeper cancelled") }
        probe.touch()
      }
      Task(name: "reader") {
        let probe = Probe { runLog.note("reader released") }
        for await _ in AsyncStream<Int>.makeStream().stream {}
        try? await Task.sleep(for: .seconds(1))
        runLog.note("reader cancelled")
        probe.touch()
      }
      let probe = Probe { runLog.note("body released") }
      try await Task.sleep(for: .seconds(1))
      probe.touch()
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.elapsed == .seconds(1))
    let left = [
      "1 \"sleeper\" sleeping until 5.0 seconds since 0.0 seconds",
      "2 \"reader\" suspended since 0.0 seconds",
    ]
    #expect(outcome.report.unfinishedTasks.map(\.text) == left)
    #expect(outcome.report.tasksIgnoringCancellation.isEmpty)
    let ends = [
      "body released@1000", "sleeper cancelled@1000", "sleeper released@1000",
      "reader cancelled@1000", "reader released@1000",
    ]
    #expect(runLog.entries.sorted() == ends.sorted())
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `only the unfinished of thousands of tasks are reported, in the order of creation`(
    seed: UInt64
  ) async {
    var generator = SeededGenerator(seed: seed)
    var all = Array(1...3_000)
    for index in all.indices { all.swapAt(index, generator.next(below: all.count)) }
    let (ending, others) = (all[..<2_000], all[2_000...])
    let outcome = await Simulation.run {
      let ends = (1...3_000).map { _ in
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        Task { for await _ in stream {} }
        return end
      }
      let simulation = Simulation.current!
      for (count, number) in ending.enumerated() {
        ends[number - 1].finish()
        // Some end one by one, others together.
        if count % 3 == 0 { await simulation.advance(by: .zero) }
      }
    }
    #expect(outcome.report.unfinishedTasks.map(\.number) == others.sorted())
    #expect(outcome.report.tasksIgnoringCancellation.map(\.number) == [])
  }

  @Test func `S1 unfinished tasks are cancelled in the order of creation`() async {
    let order = Log<Int>()
    _ = await Simulation.run {
      for number in 1...100 {
        Task {
          await withTaskCancellationHandler {
            for await _ in AsyncStream<Int>.makeStream().stream {}
          } onCancel: {
            order.append(number)
          }
        }
      }
    }
    #expect(order.values == Array(1...100))
  }

  @Test func `background tasks may be unfinished at the end`() async {
    let runLog = RunLog()
    let outcome = await Simulation.run {
      Simulation.current!.background {
        _ = Task {
          // So are the tasks that they start.
          async let second: Void? = try? await Task.sleep(for: .seconds(70))
          while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
          _ = await second
          runLog.note("ended")
        }
      }
      try await Task.sleep(for: .seconds(150))
      await Simulation.current!.settle()
      runLog.note("settled")
    }
    #expect(outcome.report.unfinishedTasks.isEmpty)
    #expect(outcome.report.tasksIgnoringCancellation.isEmpty)
    #expect(runLog.entries == ["settled@150000", "ended@150000"])
  }

  @Test func `a task that ignores its cancellation is reported by name`() async {
    let latch = Latch()
    let ended = Latch()
    let outcome = await Simulation.run {
      Task(name: "stubborn") {
        await latch.wait()
        ended.open()
      }
      await Task.yield()
    }
    let text = "1 \"stubborn\" suspended since 0.0 seconds"
    #expect(outcome.report.unfinishedTasks.map(\.text) == [text])
    #expect(outcome.report.tasksIgnoringCancellation.map(\.text) == [text])
    // Resumed after the simulation, the task runs on outside simulations.
    latch.open()
    await ended.wait()
  }

  @Test func `a task that outlives its simulation goes on in real time, hops and sleeps included`()
    async
  {
    let latch = Latch()
    let (stream, source) = AsyncStream.makeStream(of: String.self)
    _ = await Simulation.run {
      let actor = YieldingActor()
      Task { @MainActor in
        await latch.wait()
        MainActor.assertIsolated()
        await actor.yield()
        MainActor.assertIsolated()
        try? await Task.sleep(for: .milliseconds(1))
        await Task { await Task.yield() }.value
        MainActor.assertIsolated()
        source.yield("\(Simulation.current == nil)")
        source.finish()
      }
      await Task.yield()
    }
    latch.open()
    var values: [String] = []
    for await value in stream { values.append(value) }
    #expect(values == ["true"])
  }

  private actor YieldingActor {
    func yield() async {
      assertIsolated()
      await Task.yield()
      assertIsolated()
    }
  }

  @Test func `a task of a dead simulation never runs again`() async {
    let latch = Latch()
    let runLog = RunLog()
    let body = { @Sendable in
      await latch.wait()
      runLog.note("the body's memory may be gone")
    }
    let options = Simulation.Options(timeout: .milliseconds(100))
    let outcome = await Simulation.run(lent: body, options)
    #expect(outcome.report.ending.name == "deadlock")
    latch.open()
    // A job that could run would have been sent on to this executor before.
    await Task.detached {}.value
    #expect(runLog.entries.isEmpty)
  }

  @Test func `a job that blocked the thread of a dead simulation may end later`() async {
    let semaphore = ThreadSignal()
    let ended = Latch()
    let body = { @Sendable in
      block(semaphore)
      ended.open()
    }
    let options = Simulation.Options(timeout: .milliseconds(100))
    let outcome = await Simulation.run(lent: body, options)
    #expect(outcome.report.ending.name == "threadBlocked")
    semaphore.send()
    await ended.wait()
  }

  @Test func `the library's own work in a job is not taken for a job that blocks its thread`() async
  {
    let options = Simulation.Options(timeout: .milliseconds(50))
    let outcome = await Simulation.run(options) {
      Simulation.current!.unwatched {
        let semaphore = ThreadSignal()
        // real time: the watchdog's timeout is one of real time, and this is longer
        let timer = HangTimer(.milliseconds(400)) { semaphore.send() }
        block(semaphore)
        timer.cancel()
      }
    }
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `neither time nor settle waits for a sleep that was cancelled in an actor`() async {
    let runLog = RunLog()
    let outcome = await Simulation.run {
      let napper = Napper(runLog)
      let nap = Task { await napper.nap() }
      try await Task.sleep(for: .seconds(1))
      nap.cancel()
      await Simulation.current!.settle()
      runLog.note("settled")
      nap.cancel()
      await napper.wakeUp()
      await nap.value
    }
    #expect(runLog.entries == ["cancelled@1000", "settled@1000", "awake@1000"])
    #expect(outcome.report.elapsed == .seconds(1))
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `a task that sleeps again in an actor after a cancelled sleep ends on time`() async {
    let runLog = RunLog()
    _ = await Simulation.run {
      let napper = Napper(runLog)
      try await napper.napTwice()
      runLog.note("end")
    }
    #expect(runLog.entries == ["first cancelled@1000", "second@4000", "end@4000"])
  }

  private actor Napper {
    private let runLog: RunLog
    private var continuation: CheckedContinuation<Void, Never>?

    init(_ runLog: RunLog) { self.runLog = runLog }

    /// Sleeps until it is cancelled, and then waits for something other than time.
    func nap() async {
      do { try await Task.sleep(for: .seconds(100)) } catch { runLog.note("cancelled") }
      await withCheckedContinuation { continuation = $0 }
      runLog.note("awake")
    }

    func wakeUp() { continuation?.resume() }

    func napTwice() async throws {
      let nap = Task {
        do { try await Task.sleep(for: .seconds(2)) } catch { runLog.note("first cancelled") }
        // A task that is not cancelled, on the same actor, in place of the first.
        await Task {
          try? await Task.sleep(for: .seconds(3))
          runLog.note("second")
        }.value
      }
      try await Task.sleep(for: .seconds(1))
      nap.cancel()
      await nap.value
    }
  }

  @Test func `neither time nor settle waits for cancelled sleeps`() async {
    let outcome = await Simulation.run {
      let naps = (1...5).map { number in
        Task { try await Task.sleep(for: .seconds(1000 * number)) }
      }
      try await Task.sleep(for: .seconds(1))
      for nap in naps { nap.cancel() }
      await Simulation.current!.settle()
    }
    #expect(outcome.report.elapsed == .seconds(1))
    #expect(outcome.report.unfinishedTasks.isEmpty)
  }

  @Test func `a simulation ends before virtual time passes its limit`() async {
    let outcome = await Simulation.run(Simulation.Options(timeLimit: .seconds(10))) {
      while true { try await Task.sleep(for: .seconds(3)) }
    }
    #expect(outcome.report.ending.name == "tooLate")
    #expect(outcome.report.elapsed == .seconds(9))
    #expect(outcome.report.body?.text == "0 sleeping until 12.0 seconds since 9.0 seconds")
    #expect(outcome.report.tasksIgnoringCancellation.isEmpty)
  }

  @Test func `a loop of yields reaches the limit of steps`() async throws {
    let outcome = await Simulation.run(Simulation.Options(stepLimit: 1000)) {
      let spinner = Task(name: "spinner") { while !Task.isCancelled { await Task.yield() } }
      await spinner.value
    }
    guard case .tooManySteps(let busiest) = outcome.report.ending else {
      Issue.record("\(outcome.report.ending)")
      return
    }
    #expect(busiest.first?.name == "spinner")
    #expect(outcome.report.steps == 1001)
    #expect(outcome.report.tasksIgnoringCancellation.isEmpty)
  }

  @Test func `a simulation ends although a loop ignores its cancellation`() async {
    let isOver = Locked(false)
    let hasEnded = Latch()
    let outcome = await Simulation.run(Simulation.Options(stepLimit: 1000)) {
      Task(name: "endless") {
        // A sleep that throws is slow, as Swift Testing looks up its line.
        while !isOver.withLock({ $0 }) {
          if Task.isCancelled {
            await Task.yield()
          } else {
            try? await Task.sleep(for: .seconds(1))
          }
        }
        hasEnded.open()
      }
      try await Task.sleep(for: .seconds(5))
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.tasksIgnoringCancellation.map(\.name) == ["endless"])
    // It runs on outside simulations, and would until the process ends.
    isOver.withLock { $0 = true }
    await hasEnded.wait()
  }

  @Test func `a simulation inside another one is refused`() async throws {
    let outcome = await Simulation.run { await Simulation.run { 1 }.report.ending.name }
    #expect(try outcome.result?.get() == "nested")
  }
}

private func block(_ semaphore: ThreadSignal) { semaphore.wait() }
