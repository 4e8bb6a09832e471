// virtual time: all waits are in simulations
#if os(Linux)
  import CoreFoundation
  import Foundation
  import Sleepless
  import SleeplessSimulation
  import TestSupport
  import Testing

  private func run(for seconds: Double, untilHandled: Bool = false) -> CFRunLoopRunResult {
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, seconds, untilHandled)
  }

  private func stopMain() { CFRunLoopStop(CFRunLoopGetMain()) }

  private func schedule(after seconds: Double, _ code: @escaping @Sendable () -> Void) {
    _ = Timer.scheduledTimer(withTimeInterval: seconds, repeats: false) { _ in code() }
  }

  /// The name that Core Foundation gives a result.
  private func name(_ result: CFRunLoopRunResult) -> String {
    switch result {
    case .finished: "finished"
    case .stopped: "stopped"
    case .timedOut: "timed out"
    case .handledSource: "handled source"
    @unknown default: "\(result.rawValue)"
    }
  }

  /// A reference to a run loop for code on other threads, as Core Foundation allows it.
  private struct RunLoopReference: @unchecked Sendable {
    let runLoop: CFRunLoop

    static var current: Self { Self(runLoop: CFRunLoopGetCurrent()) }

    func stop() { CFRunLoopStop(runLoop) }

    func perform(_ code: @escaping @Sendable () -> Void) {
      CFRunLoopPerformBlock(runLoop, kCFRunLoopDefaultMode) { code() }
      CFRunLoopWakeUp(runLoop)
    }

    /// Adds a source while the code runs, so that the run loop has something to wait for.
    func withSource(_ code: (CFRunLoopSource) -> Void) {
      var context = CFRunLoopSourceContext()
      context.perform = { _ in }
      let source = CFRunLoopSourceCreate(nil, 0, &context)!
      CFRunLoopAddSource(runLoop, source, kCFRunLoopDefaultMode)
      code(source)
      CFRunLoopRemoveSource(runLoop, source, kCFRunLoopDefaultMode)
    }
  }

  /// Core Foundation's functions that run and stop run loops use the virtual time of a simulation (S10).
  @Suite(.needs(.runLoops)) struct CoreRunLoopTests {
    private func simulate(_ body: @escaping @MainActor (TimedLog) -> Void) async -> [String] {
      let log = TimedLog()
      let outcome = await Simulation.run { @MainActor in
        body(log)
        log.note("returns")
      }
      return log.values
        + (outcome.report.externalResumptionCount == 0 ? [] : ["resumed from outside"])
    }

    // MARK: The main run loop

    @Test(.needs(.clocks))
    func `S10 CFRunLoopRun runs timers, blocks and tasks in their order until it is stopped`()
      async
    {
      let log = await simulate { log in
        DispatchQueue.main.async { log.note("block") }
        DispatchQueue.main.asyncAfter(deadline: .now() + 1.5) { log.note("late block") }
        RunLoop.main.perform { log.note("performed") }
        schedule(after: 1) { log.note("timer") }
        Task { @MainActor in
          try await Task.sleep(for: .milliseconds(500))
          log.note("task")
        }
        schedule(after: 2) {
          stopMain()
          log.note("stop")
        }
        schedule(after: 3) { log.note("too late") }
        CFRunLoopRun()
      }
      #expect(
        log == [
          "block at 0.0 seconds", "performed at 0.0 seconds", "task at 0.5 seconds",
          "timer at 1.0 seconds", "late block at 1.5 seconds", "stop at 2.0 seconds",
          "returns at 2.0 seconds",
        ])
    }

    private enum Stopper: String, CaseIterable {
      case block, queue, timer, task, mainActor

      @MainActor func stop(after seconds: Int) {
        let deadline = DispatchTime.now() + Double(seconds)
        switch self {
        case .block: DispatchQueue.main.asyncAfter(deadline: deadline) { stopMain() }
        case .queue: DispatchQueue.global().asyncAfter(deadline: deadline) { stopMain() }
        case .timer: schedule(after: Double(seconds)) { stopMain() }
        case .task:
          Task.detached {
            try await Task.sleep(for: .seconds(seconds))
            stopMain()
          }
        case .mainActor:
          Task {
            try await Task.sleep(for: .seconds(seconds))
            stopMain()
          }
        }
      }
    }

    @Test(.needs(.clocks), arguments: Stopper.allCases)
    private func `the main run loop is stopped from anywhere`(stopper: Stopper) async {
      let log = await simulate { log in
        stopper.stop(after: 3)
        log.note(name(run(for: 10)))
      }
      #expect(log == ["stopped at 3.0 seconds", "returns at 3.0 seconds"])
    }

    @Test func `CFRunLoopRunInMode times out in virtual time`() async {
      let log = await simulate { log in
        for seconds in [86_400.0, 0, -1] { log.note(name(run(for: seconds))) }
      }
      #expect(
        log == [
          "timed out at 86400.0 seconds", "timed out at 86400.0 seconds",
          "timed out at 86400.0 seconds", "returns at 86400.0 seconds",
        ])
    }

    @Test(.needs(.clocks)) func `a run until a source is handled returns after a block or a job`()
      async
    {
      let log = await simulate { log in
        DispatchQueue.main.asyncAfter(deadline: .now() + 2) { log.note("block") }
        log.note(name(run(for: 10, untilHandled: true)))
        Task {
          try await Task.sleep(for: .seconds(3))
          log.note("task")
        }
        // The task begins, and goes on.
        log.note(name(run(for: 10, untilHandled: true)))
        log.note(name(run(for: 10, untilHandled: true)))
      }
      #expect(
        log == [
          "block at 2.0 seconds", "handled source at 2.0 seconds", "handled source at 2.0 seconds",
          "task at 5.0 seconds", "handled source at 5.0 seconds", "returns at 5.0 seconds",
        ])
    }

    @Test func `a timer and a performed block are no sources`() async {
      let log = await simulate { log in
        schedule(after: 2) { log.note("timer") }
        RunLoop.main.perform { log.note("performed") }
        log.note(name(run(for: 10, untilHandled: true)))
        schedule(after: 2) { stopMain() }
        log.note(name(run(for: 10, untilHandled: true)))
      }
      #expect(
        log == [
          "performed at 0.0 seconds", "timer at 2.0 seconds", "timed out at 10.0 seconds",
          "stopped at 12.0 seconds", "returns at 12.0 seconds",
        ])
    }

    @Test func `a stop in a block that is the awaited source counts as the source`() async {
      let log = await simulate { log in
        DispatchQueue.main.async { stopMain() }
        log.note(name(run(for: 10, untilHandled: true)))
      }
      #expect(log == ["handled source at 0.0 seconds", "returns at 0.0 seconds"])
    }

    @Test(.needs(.clocks)) func `a stop ends the innermost run, and only that`() async {
      let log = await simulate { log in
        schedule(after: 1) {
          DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
            stopMain()
            stopMain()
          }
          log.note("inner " + name(run(for: 10)))
        }
        log.note("outer " + name(run(for: 5)))
      }
      #expect(
        log == [
          "inner stopped at 2.0 seconds", "outer timed out at 5.0 seconds",
          "returns at 5.0 seconds",
        ])
    }

    @Test(.needs(.clocks))
    func `what a stopped run in a block has not performed is performed later`() async {
      let log = await simulate { log in
        DispatchQueue.main.async {
          DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
            stopMain()
            RunLoop.main.perform { log.note("first") }
            RunLoop.main.perform { log.note("second") }
          }
          log.note("inner " + name(run(for: 10)))
          RunLoop.main.perform { log.note("third") }
        }
        DispatchQueue.main.async { log.note("block") }
        log.note("outer " + name(run(for: 2)))
      }
      #expect(
        log == [
          "inner stopped at 1.0 seconds", "block at 1.0 seconds", "first at 1.0 seconds",
          "second at 1.0 seconds", "third at 1.0 seconds", "outer timed out at 2.0 seconds",
          "returns at 2.0 seconds",
        ])
    }

    @Test func `a stop before the run is forgotten`() async {
      let log = await simulate { log in
        stopMain()
        log.note(name(run(for: 1)))
      }
      #expect(log == ["timed out at 1.0 seconds", "returns at 1.0 seconds"])
    }

    @Test func `a stop ends run before a date, and does not end run until a date`() async {
      let log = await simulate { log in
        schedule(after: 1) { stopMain() }
        log.note("\(RunLoop.main.run(mode: .default, before: Date() + 10))")
        schedule(after: 1) { stopMain() }
        RunLoop.main.run(until: Date() + 10)
        log.note("until")
      }
      #expect(
        log == ["true at 1.0 seconds", "until at 11.0 seconds", "returns at 11.0 seconds"])
    }

    @Test(.needs(.clocks)) func `S4 simulations side by side stop their own runs`() async {
      let logs = await withTaskGroup { group in
        for number in 1...8 {
          group.addTask {
            await simulate { log in
              // The code of a block may run while another simulation runs the main run loop.
              DispatchQueue.global().asyncAfter(deadline: .now() + Double(number)) { stopMain() }
              CFRunLoopRun()
              log.note("\(number)")
            }
          }
        }
        return await group.reduce(into: Set()) { $0.formUnion($1.prefix(1)) }
      }
      #expect(logs == Set((1...8).map { "\($0) at \(Double($0)) seconds" }))
    }

    @Test func `S6 a run that nothing stops is a deadlock, with the run loop's name`() async {
      let outcome = await Simulation.run(.init(timeout: .milliseconds(100))) {
        RunLoopReference.current.withSource { _ in CFRunLoopRun() }
      }
      #expect(outcome.report.ending.name == "deadlock")
      #expect(
        outcome.report.body?.text
          == "0 waiting for a stop of its thread's run loop since 0.0 seconds")
    }

    // MARK: The run loop of another thread

    private func simulateOff(_ body: @escaping @Sendable (TimedLog) -> Void) async -> [String] {
      let log = TimedLog()
      _ = await Simulation.run {
        body(log)
        log.note("returns")
      }
      return log.values
    }

    @Test func `a run of a thread's own run loop has finished when nothing is left`() async {
      let log = await simulateOff { log in
        log.note(name(run(for: 10)))
        schedule(after: 1) { log.note("timer") }
        log.note(name(run(for: 10)))
        CFRunLoopRun()
        schedule(after: 20) { log.note("too late") }
        log.note(name(run(for: 10)))
      }
      #expect(
        log == [
          "finished at 0.0 seconds", "timer at 1.0 seconds", "finished at 1.0 seconds",
          "timed out at 11.0 seconds", "returns at 11.0 seconds",
        ])
    }

    @Test func `a run of a thread's own run loop is stopped, and performs blocks meanwhile`() async
    {
      let log = await simulateOff { log in
        let runLoop = RunLoopReference.current
        schedule(after: 60) { log.note("too late") }
        Task {
          try await Task.sleep(for: .seconds(1))
          runLoop.perform { log.note("performed") }
          try await Task.sleep(for: .seconds(1))
          runLoop.stop()
        }
        CFRunLoopRun()
      }
      #expect(log == ["performed at 1.0 seconds", "returns at 2.0 seconds"])
    }

    @Test(.needs(.clocks))
    func `a run of a thread's own run loop with a source lasts until it is stopped`() async {
      let log = await simulateOff { log in
        let runLoop = RunLoopReference.current
        runLoop.withSource { _ in
          log.note(name(run(for: 10)))
          DispatchQueue.global().asyncAfter(deadline: .now() + 5) {
            runLoop.perform { log.note("performed") }
            runLoop.perform { runLoop.stop() }
          }
          CFRunLoopRun()
        }
      }
      #expect(
        log == [
          "timed out at 10.0 seconds", "performed at 15.0 seconds", "returns at 15.0 seconds",
        ])
    }

    @Test func `a thread outside stops a run`() async {
      let log = await simulateOff { log in
        let runLoop = RunLoopReference.current
        let isRunning = ThreadSignal()
        startThread {
          isRunning.wait()
          runLoop.stop()
        }
        runLoop.perform { isRunning.send() }
        runLoop.withSource { _ in CFRunLoopRun() }
      }
      #expect(log == ["returns at 0.0 seconds"])
    }

    // MARK: Outside

    @Test func `S1 a lock of Core Foundation that code outside has changes no order`() async {
      let isOver = Locked(false)
      for _ in 1...4 {
        startThread {
          // A limit, because Foundation does not free all of the timers' memory.
          for _ in 1...10_000 where !isOver.withLock({ $0 }) { useRunLoop() }
        }
      }
      let log = Log<String>()
      let outcome = await Simulation.run {
        let other = Task { log.append("other") }
        for _ in 1...5_000 { useRunLoop() }
        log.append("body")
        await other.value
      }
      isOver.withLock { $0 = true }
      #expect(log.values == ["body", "other"])
      #expect(outcome.report.ending.name == "finished")
    }

    /// Takes a lock that all run loops share. A thread that finds it taken calls `sleep(0)` until it is free: without the
    /// exception for that the test failed in each of ten runs on two cores.
    private func useRunLoop() {
      let timer = Timer(timeInterval: 1, repeats: false) { _ in }
      RunLoop.current.add(timer, forMode: .default)
      timer.invalidate()
    }

    @Test func `X2 outside simulations the functions are Core Foundation's`() async {
      let log = Log<String>()
      await withCheckedContinuation { continuation in
        startThread {
          log.append(name(run(for: 10)))
          let runLoop = RunLoopReference.current
          runLoop.withSource { source in
            log.append(name(run(for: 0)))
            runLoop.perform { runLoop.stop() }
            CFRunLoopRun()
            runLoop.perform { runLoop.stop() }
            log.append(name(run(for: 1e10)))
            CFRunLoopSourceSignal(source)
            log.append(name(run(for: 1e10, untilHandled: true)))
          }
          continuation.resume()
        }
      }
      #expect(log.values == ["finished", "timed out", "stopped", "handled source"])
    }

    @Test func `S4 with dispatch outside, the functions are real`() async {
      var options = Simulation.Options()
      options.dispatch = .outside
      let log = TimedLog()
      _ = await Simulation.run(options) {
        let runLoop = RunLoopReference.current
        runLoop.withSource { _ in
          runLoop.perform { runLoop.stop() }
          log.note(name(run(for: 1e10)))
        }
      }
      #expect(log.values == ["stopped at 0.0 seconds"])
    }

    @Test func `with dispatch outside, a run for a duration ends when that has passed`() async {
      var options = Simulation.Options()
      options.dispatch = .outside
      let log = TimedLog()
      _ = await Simulation.run(options) {
        try await Task.sleep(for: .seconds(86_400))
        let start = outsideSimulations { ContinuousClock.now }
        // It takes real time: a millisecond.
        RunLoopReference.current.withSource { _ in log.note(name(run(for: 0.001))) }
        let passed = outsideSimulations { ContinuousClock.now } - start
        #expect(passed >= .milliseconds(1) && passed < .seconds(3600))
      }
      #expect(log.values == ["timed out at 86400.0 seconds"])
    }
  }
#endif
