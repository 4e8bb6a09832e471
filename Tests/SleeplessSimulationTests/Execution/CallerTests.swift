import Dispatch
import SleeplessSimulation
import TestSupport
import Testing
import VirtualTime

/// Where the caller of a simulation continues.
@Suite(.wholeProcess, .timeLimit(.minutes(10))) struct CallerTests {
  @Test func `a caller that prefers an executor continues there`() async {
    let executor = QueueExecutor()
    await withTaskExecutorPreference(executor) {
      for _ in 0..<2 {
        _ = await Simulation.run {}
        #expect(executor.isHere)
      }
    }
  }

  @Test @MainActor func `a caller on the main actor continues there`() async {
    for _ in 0..<2 {
      _ = await Simulation.run {}
      MainActor.assertIsolated()
    }
  }

  @Test func `a caller can wait for a simulation of a task that runs within it`() async {
    _ = await Simulation.run {}
    Self.waitForSimulationWithin()
  }

  /// The task's first job runs within the caller's, so the thread is not free before the simulation has ended.
  private static func waitForSimulationWithin() {
    let hasEnded = DispatchSemaphore(value: 0)
    Task(executorPreference: InlineExecutor()) {
      _ = await Simulation.run {}
      hasEnded.signal()
    }
    hasEnded.wait()
  }

  @Test func `callers that run at once share nothing`() async {
    await withTaskGroup { group in
      for number in 0..<50 {
        group.addTask {
          for _ in 0..<10 {
            let outcome = await Simulation.run { number }
            #expect((try? outcome.result?.get()) == number)
            #expect(Simulation.current == nil)
          }
        }
      }
    }
  }
}

#if os(Linux)
  /// Each test has a process of its own, in which nothing else calls simulations.
  @Suite(.wholeProcess, .oneProcess, .timeLimit(.minutes(10))) struct CallerProcessTests {
    @Test func `one call after another needs no other thread`() async {
      await #expect(processExitsWith: .success) {
        await CallerProcessTests.moveToDriverThread()
        for _ in 0..<3 { #expect(await CallerProcessTests.staysOnDriverThread()) }
      }
    }

    @Test func `a second caller does not continue on its driver's thread`() async {
      await #expect(processExitsWith: .success) {
        await CallerProcessTests.moveToDriverThread()
        // This task has its driver's thread until it is suspended, and that is after the other's end.
        CallerProcessTests.expectOtherCallerToLeaveItsDriver()
      }
    }

    /// A driver can be so quick that its caller is not suspended yet; then the caller changes no thread.
    private static func moveToDriverThread() async {
      while await !staysOnDriverThread() {}
    }

    private static func staysOnDriverThread() async -> Bool {
      let outcome = await Simulation.run { currentThreadID() }
      return (try? outcome.result?.get()) == currentThreadID()
    }

    private static func expectOtherCallerToLeaveItsDriver() {
      let hasEnded = DispatchSemaphore(value: 0)
      Task.detached {
        #expect(await !staysOnDriverThread())
        hasEnded.signal()
      }
      hasEnded.wait()
    }
  }
#endif
