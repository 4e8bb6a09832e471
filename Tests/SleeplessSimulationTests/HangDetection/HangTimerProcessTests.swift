import Sleepless
import SleeplessSimulation
import TestSupport
import Testing

/// A timer of 110 ms that counts real time, in a process of its own. It has slices of 11 ms.
@Suite(.needs(.capture), .oneProcess, .timeLimit(.minutes(10))) struct HangTimerProcessTests {
  @Test func `W1 the timer waits on while tasks compute on all threads`() async {
    await #expect(processExitsWith: .success) {
      // Without a look at what the process does, it fires after 2.2 s: after a hundred slices, each with its wait for a
      // task.
      await expectNoEnd(whileComputingFor: .seconds(3)) {}
    }
  }

  @Test func `W1 the timer waits on for longer while the tasks start other tasks`() async {
    await #expect(processExitsWith: .success) {
      // If no jobs are given to the threads, it fires after 3.96 s. HangTimer documents how it counts slices.
      await expectNoEnd(whileComputingFor: .seconds(5)) { Task {} }
    }
  }

  @Test func `tasks that the timer starts do not count as jobs given to the threads`() async {
    await #expect(processExitsWith: .success) {
      let hasFired = ThreadSignal()
      let before = ProcessActivity.jobCount
      let timer = HangTimer(.milliseconds(110)) { hasFired.send() }
      hasFired.wait()
      #expect(ProcessActivity.jobCount == before)
      await Task {}.value
      #expect(ProcessActivity.jobCount != before)
      timer.cancel()
    }
  }
}

/// Computes on all threads that run tasks, calls a function every 20 ms meanwhile, and expects that a timer does not
/// fire while they compute.
private func expectNoEnd(
  whileComputingFor duration: Duration, _ doMeanwhile: @escaping @Sendable () -> Void
) async {
  let hasFired = Locked(false)
  let end = ContinuousClock.now + duration
  await withTaskGroup { group in
    // The pool has a thread for each core. A task that begins after the end does nothing.
    for _ in 1...(2 * CPUContention.Reading.cores) {
      group.addTask {
        while ContinuousClock.now < end {
          doMeanwhile()
          let next = ContinuousClock.now + .milliseconds(20)
          while ContinuousClock.now < next {}
        }
      }
    }
    let timer = HangTimer(.milliseconds(110)) { hasFired.withLock { $0 = true } }
    await group.waitForAll()
    timer.cancel()
  }
  #expect(!hasFired.withLock { $0 })
}
