// virtual time: all sleeps are in simulations
#if os(Linux)
  import Dispatch
  import Foundation
  import Sleepless
  import SleeplessSimulation
  import TestSupport
  import Testing

  /// Calls that block a thread in real time, and so the simulation. After the timeout they are reported as blocked threads.
  @Suite(.needs(.blockingCalls), .timeLimit(.minutes(10))) struct UnfollowedCallTests {
    private let options = Simulation.Options(timeout: .milliseconds(100))

    @Test(arguments: UnfollowedWait.allCases)
    func `a call that is not followed is a blocked thread, and moves no virtual time`(
      wait: UnfollowedWait
    ) async {
      let call = wait.prepare()
      let isOver = Latch()
      let outcome = await Simulation.run(options) {
        Task(name: "sleeper") { try await Task.sleep(for: .seconds(1)) }
        await Task.yield()
        call.wait()
        isOver.open()
      }
      #expect(outcome.result == nil)
      #expect(outcome.report.ending.name == "threadBlocked")
      #expect(outcome.report.elapsed == .zero)
      #expect(outcome.report.body?.text == "0 running since 0.0 seconds")
      #expect(
        outcome.report.unfinishedTasks.map(\.text)
          == ["1 \"sleeper\" sleeping until 1.0 seconds since 0.0 seconds"])
      // The rest of the body runs on outside simulations.
      call.release()
      await isOver.wait()
    }

    // In a process of its own: nothing ends the sleep.
    @Test(.oneProcess) func `a sleep with a clock of C's choice is a blocked thread`() async {
      await #expect(processExitsWith: .success) {
        let outcome = await Simulation.run(Simulation.Options(timeout: .milliseconds(100))) {
          var time = timespec(tv_sec: 3600, tv_nsec: 0)
          clock_nanosleep(CLOCK_MONOTONIC, 0, &time, nil)
        }
        #expect(outcome.report.ending.name == "threadBlocked")
        #expect(outcome.report.elapsed == .zero)
        #expect(outcome.report.body?.text == "0 running since 0.0 seconds")
      }
    }

    // On Linux it never returns. In a block of Dispatch it stops the process.
    @Test(.oneProcess) func `dispatchMain in a task keeps the thread, as without a simulation`()
      async
    {
      await #expect(processExitsWith: .success) {
        let outcome = await Simulation.run(Simulation.Options(timeout: .milliseconds(100))) {
          Task(name: "main") { dispatchMain() }
          try await Task.sleep(for: .seconds(1))
        }
        #expect(outcome.report.ending.name == "threadBlocked")
        #expect(
          outcome.report.unfinishedTasks.map(\.text) == ["1 \"main\" running since 0.0 seconds"])
      }
    }

    @Test(.needs(.queues), arguments: [UnfollowedWait.mutex, .lock])
    func `a block that waits for a lock is told beside the other tasks`(wait: UnfollowedWait) async
    {
      let call = wait.prepare()
      let isOver = Latch()
      let outcome = await Simulation.run(options) {
        DispatchQueue(label: "com.example.reader").async {
          call.wait()
          isOver.open()
        }
        try await Task.sleep(for: .seconds(1))
      }
      #expect(outcome.report.ending.name == "threadBlocked")
      #expect(
        outcome.report.unfinishedTasks.map(\.text) == [
          "1 \"queue com.example.reader\" running since 0.0 seconds"
        ])
      #expect(outcome.report.body?.text == "0 sleeping until 1.0 seconds since 0.0 seconds")
      call.release()
      await isOver.wait()
    }

    @Test(.needs(.queues))
    func `a lock that a blocked block has is told with the block and the task that waits`() async {
      let lock = NSLock()
      let isOver = Latch()
      let outcome = await Simulation.run(options) {
        DispatchQueue(label: "com.example.writer").async {
          lock.withLock { Thread.sleep(forTimeInterval: 60) }
        }
        Task(name: "reader") {
          try await Task.sleep(for: .seconds(1))
          take(lock)
          isOver.open()
        }
        try await Task.sleep(for: .seconds(2))
      }
      #expect(outcome.report.ending.name == "threadBlocked")
      #expect(outcome.report.elapsed == .seconds(1))
      #expect(
        outcome.report.unfinishedTasks.map(\.text) == [
          "1 \"queue com.example.writer\" sleeping until 60.0 seconds since 0.0 seconds",
          "2 \"reader\" running since 1.0 seconds",
        ])
      // The block that has the lock goes on outside, too.
      await isOver.wait()
    }

    @Test(.needs(.queues)) func `a lock that is free again in time is no blocked thread`() async {
      let lock = NSLock()
      let outcome = await Simulation.run {
        DispatchQueue(label: "com.example.writer").async {
          lock.withLock { Thread.sleep(forTimeInterval: 60) }
        }
        try await Task.sleep(for: .seconds(60))
        await Task.yield()
        take(lock)
      }
      #expect(outcome.report.ending.name == "finished")
      #expect(outcome.report.elapsed == .seconds(60))
    }
  }

  private func take(_ lock: NSLock) { lock.withLock {} }
#endif
