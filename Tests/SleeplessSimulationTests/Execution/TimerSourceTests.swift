// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Dispatch's timer sources fire in virtual time (S10).
@Suite(.needs(.queues), .needs(.clocks), .timeLimit(.minutes(10))) struct TimerSourceTests {
  private let queue = DispatchQueue(label: "com.example.queue")

  /// A timer that writes its name, on the queue or another one.
  private func timer(_ name: String, on queue: DispatchQueue? = nil, _ log: QueueLog)
    -> any DispatchSourceTimer
  {
    let timer = DispatchSource.makeTimerSource(queue: queue ?? self.queue)
    timer.setEventHandler { log.write(name) }
    return timer
  }

  // MARK: Times

  @Test func `S10 a timer fires once at its deadline, or at each interval`() async throws {
    let log = try await log { log in
      let once = timer("once", log)
      once.schedule(deadline: .now() + 5)
      once.activate()
      let wall = timer("wall", log)
      wall.schedule(wallDeadline: .now() + 7)
      wall.resume()
      let repeated = timer("repeated", log)
      repeated.schedule(deadline: .now() + 1, repeating: 3, leeway: .seconds(1))
      repeated.activate()
      try await Task.sleep(for: .milliseconds(8500))
      repeated.cancel()
      withExtendedLifetime((once, wall)) {}
    }
    #expect(log == ["1 repeated", "4 repeated", "5 once", "7 wall", "7 repeated"])
  }

  @Test(arguments: [false, true])
  func `S10 strict timers, and others with a leeway, fire at their times`(
    isStrict: Bool
  ) async throws {
    let log = try await log { [queue] log in
      let timer = DispatchSource.makeTimerSource(flags: isStrict ? .strict : [], queue: queue)
      timer.setEventHandler { log.write("\(timer.data)") }
      timer.schedule(deadline: .now() + 60, repeating: 60, leeway: .seconds(30))
      timer.activate()
      try await Task.sleep(for: .seconds(150))
      queue.async { Thread.sleep(forTimeInterval: 100) }
      try await Task.sleep(for: .seconds(160))
      timer.cancel()
    }
    #expect(log == ["60 1", "120 1", "250 2", "300 1"])
  }

  @Test func `S10 a day of a ten-second timer takes 8,640 events`() async throws {
    let count = Locked(0)
    let outcome = await Simulation.run(Simulation.Options(stepLimit: .max)) { [queue] in
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler { count.withLock { $0 += 1 } }
      timer.schedule(deadline: .now() + 10, repeating: 10)
      timer.activate()
      try await Task.sleep(for: .seconds(86_405))
      timer.cancel()
    }
    try outcome.result?.get()
    #expect(count.withLock { $0 } == 8_640)
  }

  @Test func `S10 a timer that is set again forgets its earlier times`() async throws {
    let log = try await log { log in
      let timer = timer("timer", log)
      timer.schedule(deadline: .now() + 1, repeating: 1)
      timer.activate()
      try await Task.sleep(for: .milliseconds(1500))
      timer.schedule(deadline: .now() + 5)
      try await Task.sleep(for: .seconds(20))
      timer.schedule(deadline: .distantFuture)
      try await Task.sleep(for: .seconds(1))
      timer.schedule(deadline: .now() - 1)
      try await Task.sleep(for: .seconds(1))
    }
    #expect(log.map { $0 } == ["1 timer", "6 timer", "22 timer"])
  }

  // MARK: Events

  @Test func `S10 the handler runs on the timer's queue, also on the main one`() async throws {
    let log = try await log { [queue] log in
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler {
        dispatchPrecondition(condition: .onQueue(queue))
        log.write("own")
      }
      let main = DispatchSource.makeTimerSource(queue: .main)
      main.setEventHandler { MainActor.assumeIsolated { log.write("main") } }
      for (index, timer) in [timer, main].enumerated() {
        timer.schedule(deadline: .now() + Double(index))
        timer.activate()
      }
      try await Task.sleep(for: .seconds(1))
      await Simulation.current!.settle()
    }
    #expect(log == ["0 own", "1 main"])
  }

  @Test func `S10 events that a busy queue holds up are one event, which counts them`()
    async throws
  {
    let log = try await log { [queue] log in
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler { log.write("\(timer.data)") }
      timer.schedule(deadline: .now() + 1, repeating: 1)
      timer.activate()
      try await Task.sleep(for: .milliseconds(1500))
      queue.async { Thread.sleep(forTimeInterval: 3) }
      try await Task.sleep(for: .milliseconds(4000))
      timer.cancel()
    }
    #expect(log == ["1 1", "4 3", "5 1"])
  }

  /// The quotient of two durations is a rounded number, one too small for this one.
  @Test func `S10 events that a queue has held up for long are counted one by one`() async throws {
    let log = try await log { [queue] log in
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler { log.write("\(timer.data)") }
      timer.schedule(deadline: .now() + 1, repeating: 1)
      queue.async { Thread.sleep(forTimeInterval: 2366) }
      timer.activate()
      try await Task.sleep(for: .milliseconds(2_366_500))
      timer.cancel()
    }
    #expect(log == ["2366 2366"])
  }

  @Test func `S10 a handler is not called again while it runs`() async throws {
    let log = try await log { log in
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.setEventHandler {
        log.write("begins")
        Thread.sleep(forTimeInterval: 2.5)
        log.write("ends")
      }
      timer.schedule(deadline: .now() + 1, repeating: 1)
      timer.activate()
      try await Task.sleep(for: .seconds(5))
      timer.cancel()
      try await Task.sleep(for: .seconds(2))
    }
    #expect(log == ["1 begins", "3 ends", "3 begins", "6 ends"])
  }

  @Test func `a timer that nothing wants any more keeps no test from its end`() async {
    let log = QueueLog()
    let outcome = await Simulation.run {
      let timer = timer("late", log)
      timer.schedule(deadline: .now() + 3600, repeating: 1)
      timer.activate()
    }
    #expect(outcome.report.elapsed == .zero)
    #expect(outcome.report.ending.name == "finished")
    #expect(log.values == [])
  }

  // MARK: Suspension, cancellation, release

  @Test func `S10 a timer fires when it is active, and what it missed comes as one event`()
    async throws
  {
    let log = try await log { log in
      let timer = timer("timer", log)
      timer.schedule(deadline: .now() + 1, repeating: 1)
      try await Task.sleep(for: .milliseconds(2500))
      timer.activate()
      timer.activate()
      try await Task.sleep(for: .zero)
      timer.suspend()
      try await Task.sleep(for: .seconds(3))
      timer.resume()
      try await Task.sleep(for: .seconds(1))
      timer.cancel()
    }
    #expect(log == ["2 timer", "5 timer", "6 timer"])
  }

  @Test func `S10 a cancelled timer fires no more, and its cancel handler runs once`()
    async throws
  {
    let log = try await log { [queue] log in
      let timer = timer("event", log)
      timer.setCancelHandler {
        dispatchPrecondition(condition: .onQueue(queue))
        log.write("cancelled")
      }
      timer.schedule(deadline: .now() + 1, repeating: 1)
      timer.activate()
      try await Task.sleep(for: .milliseconds(1500))
      #expect(!timer.isCancelled)
      timer.cancel()
      timer.cancel()
      #expect(timer.isCancelled)
      try await Task.sleep(for: .seconds(3))
    }
    #expect(log == ["1 event", "1 cancelled"])
  }

  @Test func `S10 the cancel handler of a timer runs that its own handler cancels and releases`()
    async throws
  {
    let log = try await log { log in
      nonisolated(unsafe) var held: (any DispatchSourceTimer)? = timer("event", log)
      held!.setEventHandler {
        log.write("event")
        held!.cancel()
        held = nil
      }
      held!.setCancelHandler { log.write("cancelled") }
      held!.schedule(deadline: .now() + 1, repeating: 1)
      held!.activate()
      try await Task.sleep(for: .seconds(3))
    }
    #expect(log == ["1 event", "1 cancelled"])
  }

  @Test func `S10 a suspended timer that is cancelled runs its cancel handler when it is resumed`()
    async throws
  {
    let log = try await log { log in
      let timer = timer("event", log)
      timer.setCancelHandler { log.write("cancelled") }
      timer.schedule(deadline: .now() + 1, repeating: 1)
      timer.activate()
      try await Task.sleep(for: .milliseconds(1500))
      timer.suspend()
      // Two events are due.
      try await Task.sleep(for: .seconds(2))
      timer.cancel()
      #expect(timer.isCancelled)
      try await Task.sleep(for: .seconds(2))
      log.write("resumes")
      timer.resume()
      try await Task.sleep(for: .seconds(2))
    }
    #expect(log == ["1 event", "5 resumes", "5 cancelled"])
  }

  @Test func `S10 a timer that is cancelled before it is active only runs its cancel handler`()
    async throws
  {
    let log = try await log { log in
      let timer = timer("event", log)
      timer.setCancelHandler { log.write("cancelled") }
      timer.schedule(deadline: .now() + 1, repeating: 1)
      timer.cancel()
      try await Task.sleep(for: .seconds(3))
      log.write("activates")
      timer.activate()
      try await Task.sleep(for: .seconds(3))
    }
    #expect(log == ["3 activates", "3 cancelled"])
  }

  @Test func `S10 a timer that is cancelled while its queue is suspended has no event any more`()
    async throws
  {
    let log = try await log { [queue] log in
      let timer = timer("event", log)
      timer.setCancelHandler { log.write("cancelled") }
      timer.schedule(deadline: .now() + 1, repeating: 1)
      timer.activate()
      try await Task.sleep(for: .milliseconds(1500))
      queue.suspend()
      // The queue has a block for two events.
      try await Task.sleep(for: .seconds(2))
      timer.cancel()
      try await Task.sleep(for: .seconds(2))
      log.write("resumes")
      queue.resume()
      try await Task.sleep(for: .seconds(2))
    }
    #expect(log == ["1 event", "5 resumes", "5 cancelled"])
  }

  @Test func `S10 a timer that its handler suspends and cancels waits to be resumed`() async throws
  {
    let log = try await log { [queue] log in
      nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler {
        timer.suspend()
        timer.cancel()
        log.write("event")
      }
      timer.setCancelHandler { log.write("cancelled") }
      timer.schedule(deadline: .now() + 1, repeating: 1)
      timer.activate()
      try await Task.sleep(for: .seconds(4))
      timer.resume()
      try await Task.sleep(for: .seconds(1))
    }
    #expect(log == ["1 event", "4 cancelled"])
  }

  @Test func `S10 a timer fires no more when the last reference to it is gone`() async throws {
    let isReleased = Locked(false)
    let log = try await log { log in
      var timer: (any DispatchSourceTimer)? = timer("event", log)
      let object = Released { isReleased.withLock { $0 = true } }
      timer!.setCancelHandler { withExtendedLifetime(object) {} }
      timer!.schedule(deadline: .now() + 1, repeating: 1)
      timer!.activate()
      try await Task.sleep(for: .milliseconds(1500))
      timer = nil
      try await Task.sleep(for: .seconds(3))
    }
    #expect(log == ["1 event"])
    #expect(isReleased.withLock { $0 })
  }

  @Test func `a cancel handler runs outside if the simulation is over`() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let log = QueueLog()
    let outcome = await Simulation.run { [queue] in
      let source = DispatchSource.makeTimerSource(queue: queue)
      source.setEventHandler { log.write("event") }
      source.setCancelHandler {
        log.write("cancelled")
        end.finish()
      }
      source.schedule(deadline: .now() + 1, repeating: 1)
      source.activate()
      return Timer(source)
    }
    try outcome.result?.get().source.cancel()
    for await _ in ends {}
    #expect(log.values == ["outside cancelled"])
  }

  // MARK: Outside

  @Test func `a timer of code outside, or of a simulation that leaves Dispatch alone, is real`()
    async throws
  {
    for options in [nil, Simulation.Options(dispatch: .outside)] {
      let fires: @Sendable () async -> Void = { [queue] in
        await withCheckedContinuation { done in
          let timer = DispatchSource.makeTimerSource(queue: queue)
          timer.setEventHandler {
            #expect(timer.data >= 1)
            timer.cancel()
            done.resume()
          }
          // real time: a timer of Dispatch's own
          timer.schedule(deadline: .now() + .milliseconds(1))
          timer.activate()
        }
      }
      guard let options else {
        await fires()
        continue
      }
      let outcome = await Simulation.run(options, fires)
      #expect(outcome.report.elapsed == .zero)
    }
  }

  // MARK: Exploring

  @Test @available(macOS 15, *)
  func `S8 a timer and a task that are due at one time come in either order`() async {
    let (result, orders) = await explored(.exhaustive, schedules: 1_000) {
      let log = Locked<[String]>([])
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.setEventHandler { log.withLock { $0.append("timer") } }
      timer.schedule(deadline: .now() + 1)
      timer.activate()
      let task = Task {
        try? await Task.sleep(for: .seconds(1))
        log.withLock { $0.append("task") }
      }
      await task.value
      await Simulation.current!.settle()
      timer.cancel()
      return log.withLock { $0 }
    }
    #expect(result.isComplete)
    #expect(Set(orders) == [["timer", "task"], ["task", "timer"]])
  }
}

private final class Timer: @unchecked Sendable {
  // Unchecked because the protocol is not Sendable, while Dispatch's sources are safe on any thread.
  let source: any DispatchSourceTimer
  init(_ source: any DispatchSourceTimer) { self.source = source }
}

private final class Released: Sendable {
  private let release: @Sendable () -> Void
  init(_ release: @escaping @Sendable () -> Void) { self.release = release }
  deinit { release() }
}
