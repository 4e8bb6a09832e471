// virtual time: all sleeps and yields are in simulations
import Sleepless
@_spi(Benchmarks) import SleeplessSimulation
import TestSupport
import Testing

/// What is left of a simulation that is over.
@Suite(.wholeProcess, .timeLimit(.minutes(10))) struct EndedSimulationTests {
  @Test func `a simulation that has left a task asleep is freed`() async {
    let isFreed = Latch()
    _ = await Simulation.run { [probe = Probe { isFreed.open() }] in
      Task { try await Task.sleep(for: .seconds(60)) }
      await Task.yield()
      Simulation.current!.onDeadlock { probe.touch() }
    }
    // If the simulation kept itself, this would not return.
    await isFreed.wait()
  }

  // In a process of its own: at some of the depths, a read of reused memory stops the process.
  @Test(.oneProcess)
  func `a job that returns late reads no memory of the tasks that run outside by then`() async {
    await #expect(processExitsWith: .success) {
      for depth in 1...10 {
        let (mayGoOn, hasEnded) = (Latch(), Latch())
        let (mayReturn, isOver) = (ThreadSignal(), ThreadSignal())
        // The driver retains the second closure, and is the last to release it.
        await Simulation.runSeries {
          Task {
            await wait(for: mayGoOn, in: depth)
            await fillMemory(8) {
              mayReturn.send()
              isOver.wait()
            }
            hasEnded.open()
          }
          await Simulation.current!.settleAtThisInstant()
          mayReturn.wait()
        } options: { [probe = Probe { isOver.send() }] previous in
          probe.touch()
          guard let previous else { return Simulation.Options(timeout: .milliseconds(50)) }
          #expect(previous.report.ending.name == "threadBlocked")
          return nil
        }
        mayGoOn.open()
        await hasEnded.wait()
      }
    }
  }
}

/// Suspends a task in so many functions.
private func wait(for latch: Latch, in functions: Int) async {
  if functions > 1 { await wait(for: latch, in: functions - 1) } else { await latch.wait() }
  await doNothing()
}

/// Uses the memory again in which a task was suspended, for words that are no addresses, while it runs the closure.
private func fillMemory(_ times: Int, during closure: () -> Void) async {
  var words = eight((0x4141_4141_4141, 0x4141_4141_4141))
  await doNothing()
  if times > 1 { await fillMemory(times - 1, during: closure) } else { closure() }
  await change(&words)
}

private typealias Eight<Value> = (Value, Value, Value, Value, Value, Value, Value, Value)

private func eight<Value>(_ value: Value) -> Eight<Value> {
  (value, value, value, value, value, value, value, value)
}

private func doNothing() async {}

private func change(_ words: inout Eight<(Int, Int)>) async { words.0.0 += 1 }
