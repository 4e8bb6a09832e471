// virtual time: all sleeps are in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// Resumptions from outside a simulation are counted.
@Suite(.wholeProcess) struct ExternalResumptionTests {
  /// A task is resumed from outside, sooner or later; even on a busy machine that is no deadlock.
  private let options = {
    var options = Simulation.Options()
    options.deadlockTimeout = options.timeout
    return options
  }()

  @Test func `S5 a continuation resumed on a dispatch queue is an external resumption`() async {
    let outcome = await Simulation.run(options) {
      await resumption { continuation in
        outsideSimulations { DispatchQueue.global().async { continuation.resume() } }
      }
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.externalResumptionCount == 1)
    #expect(
      outcome.report.externalResumptions.map(\.task.text) == ["0 suspended since 0.0 seconds"])
  }

  @Test
  func `S5 a continuation resumed on a thread is an external resumption of the task that waits`()
    async
  {
    let outcome = await Simulation.run(options) {
      try await Task.sleep(for: .seconds(3))
      await Task(name: "asker") {
        await resumption { continuation in Thread.detachNewThread { continuation.resume() } }
      }.value
    }
    #expect(outcome.report.externalResumptionCount == 1)
    #expect(
      outcome.report.externalResumptions.map(\.task.text)
        == ["1 \"asker\" suspended since 3.0 seconds"])
  }

  @Test func `a task outside a simulation can move its time`() async {
    var options = options
    options.time = .manual
    let outcome = await Simulation.run(options) {
      let simulation = Simulation.current!
      await resumption { continuation in
        // A task that a thread creates belongs to no simulation. By then the simulation waits.
        Thread.detachNewThread {
          Task {
            await simulation.advance(by: .seconds(1))
            continuation.resume()
          }
        }
      }
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.elapsed == .seconds(1))
  }

  @Test func `S5 the return from an actor with threads of its own is an external resumption`()
    async
  {
    let outcome = await Simulation.run(options) {
      let actor = ThreadActor()
      for _ in 1...12 { #expect(await actor.isOnItsThread()) }
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.externalResumptionCount == 12)
    #expect(outcome.report.externalResumptions.count == 10)
  }

  @Test func `a task that ends during its creation is not unfinished`() async throws {
    let outcome = await Simulation.run {
      let actor = InlineActor()
      await actor.visitInTask().value
      for _ in 1...3 { _ = await actor.visitInTask() }
      return await actor.visits
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.unfinishedTasks.map(\.text) == [])
    #expect(outcome.report.tasksIgnoringCancellation.map(\.text) == [])
    #expect(try outcome.result?.get() == 4)
  }

  @Test func `a task that starts on an actor's own executor is known from its start`()
    async throws
  {
    let outcome = await Simulation.run {
      let actor = InlineActor()
      try await actor.sleepInTask().value
      _ = await actor.sleepInTask()
      return await actor.visits
    }
    #expect(outcome.report.elapsed == .seconds(2))
    #expect(
      outcome.report.unfinishedTasks.map(\.text)
        == ["2 \"sleeper\" sleeping until 4.0 seconds since 2.0 seconds"])
    #expect(try outcome.result?.get() == 1)
  }

  @Test func `S5 the value of a task on another executor comes by an external resumption`()
    async
  {
    let gate = ThreadSignal()
    let executor = ThreadExecutor(gate: gate)
    let outcome = await Simulation.run(options) {
      let other = Task(executorPreference: executor) {
        #expect(Simulation.current == nil)
        return ThreadExecutor.isHere
      }
      // Runs when the body has been suspended.
      Task { gate.send() }
      #expect(await other.value)
    }
    #expect(outcome.report.ending.name == "finished")
    #expect(outcome.report.externalResumptionCount == 1)
  }

  @Test func `a task outside simulations stays outside when a simulation resumes it`() async {
    let latch = Latch()
    let ordinary = Task.detached {
      await latch.wait()
      return Simulation.current == nil
    }
    let outcome = await Simulation.run { latch.open() }
    #expect(await ordinary.value)
    #expect(outcome.report.externalResumptionCount == 0)
  }

  @Test func `work in a call of outside is no external resumption`() async throws {
    let outcome = await Simulation.run {
      let simulation = Simulation.current!
      let inside = try await simulation.outside { Simulation.current == nil }
      #expect(inside)
      #expect(simulation.now == .zero)
    }
    try outcome.result?.get()
    #expect(outcome.report.externalResumptionCount == 0)
  }

  @Test func `a simulation is abandoned when a job blocks its thread`() async {
    let semaphore = ThreadSignal()
    let ended = Latch()
    let outcome = await Simulation.run(Simulation.Options(timeout: .milliseconds(100))) {
      Task(name: "waiter") { await Latch().wait() }
      await Task.yield()
      block(semaphore)
      ended.open()
    }
    #expect(outcome.result == nil)
    #expect(outcome.report.ending.name == "threadBlocked")
    #expect(outcome.report.body?.text == "0 running since 0.0 seconds")
    #expect(
      outcome.report.unfinishedTasks.map(\.text) == ["1 \"waiter\" suspended since 0.0 seconds"])
    // The rest of the body runs on outside simulations.
    semaphore.send()
    await ended.wait()
  }

  @Test func `the tasks of an abandoned simulation go on and are not cancelled`() async {
    let semaphore = ThreadSignal()
    let simulation = await GivenUp { block(semaphore) }
    #expect(simulation.ending == "threadBlocked")
    semaphore.send()
    await simulation.driverHasLeft.wait()
    #expect(await !simulation.isLeftOverCancelled())
  }

  @Test func `a simulation may end before the thread that resumed its last task returns`() async {
    for _ in 1...500 {
      let outcome = await Simulation.run(options) {
        await withCheckedContinuation { done in
          Thread.detachNewThread { done.resume() }
        }
      }
      #expect(outcome.report.ending.name == "finished")
    }
  }

  // In processes of their own, where no other test needs the main actor.
  @Test(.oneProcess, .timeLimit(.minutes(10)))
  func `a blocked main actor is reported`() async {
    await #expect(processExitsWith: .success) {
      let semaphore = DispatchSemaphore(value: 0)
      let blocked = Latch()
      let holder = Task { @MainActor in
        blocked.open()
        block(semaphore)
      }
      await blocked.wait()
      let ended = Latch()
      let outcome = await Simulation.run(Simulation.Options(timeout: .milliseconds(100))) {
        await MainActor.run {}
        ended.open()
      }
      #expect(outcome.report.ending.name == "mainActorBlocked")
      #expect(outcome.report.body?.number == 0)
      semaphore.signal()
      await holder.value
      await ended.wait()
    }
  }

  #if os(Linux) && !SLEEPLESS_AS_ON_APPLE  // elsewhere it is not known that a process computes
    @Test(.oneProcess, .timeLimit(.minutes(10)))
    func `a main actor that computes is waited for`() async {
      await #expect(processExitsWith: .success) {
        let busy = Latch()
        let isOver = Locked(false)
        // real time: the main actor computes for longer than the timeout
        let end = DispatchTime.now() + .milliseconds(150)
        let holder = Task { @MainActor in
          busy.open()
          while DispatchTime.now() < end {}
          isOver.withLock { $0 = true }
        }
        await busy.wait()
        let outcome = await Simulation.run(Simulation.Options(timeout: .milliseconds(100))) {
          await MainActor.run { #expect(isOver.withLock { $0 }) }
        }
        #expect(outcome.report.ending.name == "finished")
        await holder.value
      }
    }
  #endif

  /// Waits in a continuation that is handed on only after the task has been suspended.
  private func resumption(
    by hand: @escaping @Sendable (CheckedContinuation<Void, Never>) -> Void
  ) async {
    await withCheckedContinuation { continuation in
      // Runs when the task that creates it has left its thread.
      Simulation.current!.background { _ = Task { hand(continuation) } }
    }
  }
}

private func block(_ semaphore: DispatchSemaphore) { semaphore.wait() }

private func block(_ signal: ThreadSignal) { signal.wait() }
