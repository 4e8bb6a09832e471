// virtual time: everything here runs in simulations
import Dispatch
import SleeplessTesting
import Testing
import TestSupport

@Suite struct SimulateTests {
  @Test(.needs(.capture)) func `an hour of sleeping takes no time and ends at the hour`()
    async throws
  {
    try await simulate {
      try await Task.sleep(for: .seconds(3600))
      #expect(Simulation.current?.now == .seconds(3600))
    }
  }

  @Test func `simulate returns the body's value`() async throws {
    #expect(try await simulate { 42 } == 42)
  }

  @Test func `simulate throws the body's error`() async {
    struct Broken: Error {}
    await #expect(throws: Broken.self) { try await simulate { throw Broken() } }
  }

  @Test(.needs(.capture), .simulated) func `a test is simulated as it stands`() async throws {
    let task = Task { try await Task.sleep(for: .seconds(5)) }
    try await task.value
    #expect(Simulation.current?.now == .seconds(5))
  }

  @Test(.simulated(allowing: .pendingWork))
  func `work that is never due is not waited for`() async {
    Simulation.scheduler().asyncAfter(deadline: DispatchTime.distantFuture) {}
    await settle()
    #expect(Simulation.current?.now == .zero)
  }

  @MainActor @Test(.needs(.capture), .simulated) func `a main actor test is simulated`()
    async throws
  {
    MainActor.assertIsolated()
    try await Task.sleep(for: .seconds(5))
    MainActor.assertIsolated()
    #expect(Simulation.current?.now == .seconds(5))
  }

  @Test(.needs(.capture), .simulated(time: .manual)) func `injected and uninjected time agree`()
    async throws
  {
    let scheduler = Simulation.scheduler()
    let log = Log<String>()
    scheduler.asyncAfter(deadline: .now() + 1) { log.append("scheduler \(scheduler.now)") }
    let clock = Simulation.clock()
    Task {
      try await clock.sleep(for: .seconds(1))
      log.append("clock \(clock.now)")
      try await Task.sleep(for: .seconds(1))
      log.append("task \(clock.now) \(scheduler.now)")
    }
    await Simulation.advance(by: .seconds(3))
    #expect(
      log.values == [
        "scheduler 1.0 seconds", "clock 1.0 seconds", "task 2.0 seconds 2.0 seconds",
      ])
  }

  @Test(.needs(.capture)) func `F1 a body that is cut short is reported once, with the reason`()
    async
  {
    let line = #line + 3
    let failures = await failures {
      do {
        try await simulate(time: .manual) { try await Task.sleep(for: .seconds(1)) }
      } catch { #expect(!(error is CancellationError)) }
    }
    #expect(
      failures.map(\.withoutFunctions) == [
        Failure(
          """
          The simulation is deadlocked at 0 s: nothing can run, nothing advances time, and \
          the body has not ended.
            the body: asleep until 1 s since 0 s
          Time is manual: the tasks that sleep go on when the test calls Simulation.advance(by:).
          """, line: line)
      ])
  }

  @Test(.needs(.capture)) func `a deadlock is reported with every waiting task`() async throws {
    let line = #line + 2
    let failures = await failures {
      try? await simulate {
        _ = Task(name: "reader") { await never() }
        await never()
      }
    }
    #expect(
      failures.map(\.withoutFunctions) == [
        Failure(
          """
          The simulation is deadlocked at 0 s: nothing can run, nothing is due, and the body \
          has not ended.
            the body: suspended since 0 s
            task 1 "reader": suspended since 0 s
          This is usually a continuation that is never resumed, a stream that is never finished, or \
          tasks that wait for each other.
          Threads and the network are not simulated; the simulation waits 500 ms for \
          them. Inject a double there, or run the call in Simulation.outside { ... }.
          """, line: line)
      ])
    // The optimiser leaves fewer functions, and may leave none.
    #if DEBUG
      let test = "SimulateTests.`a deadlock is reported with every waiting task`()"
      let reader = """
        task 1 "reader": suspended since 0 s, in never() at SimulateTests.swift:\(neverLine) <- closure at \
        SimulateTests.swift:\(line + 1) in \(test)

        """
      #expect(failures.first?.text.contains(reader) == true)
    #endif
  }
}

private let neverLine = #line + 2
private func never() async {
  await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
}
