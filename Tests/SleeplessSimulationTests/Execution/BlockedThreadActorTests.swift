import SleeplessSimulation
import TestSupport
import Testing

/// A job that blocks its thread keeps its actor.
@Suite(.needs(.blockingCalls), .timeLimit(.minutes(10))) struct BlockedThreadActorTests {
  // The timeout is so long that a test would fail if its simulation waited for it.
  private let options = Simulation.Options(timeout: .seconds(600))

  @Test func `a job that blocks its thread keeps its actor, and other actors go on`() async {
    let runLog = RunLog()
    let outcome = await Simulation.run(options) {
      let (busy, free) = (Worker(runLog), Worker(runLog))
      let first = Task { await busy.sleep("first", for: .seconds(2)) }
      let second = Task { await busy.note("second") }
      let third = Task { await free.note("third") }
      for task in [first, second, third] { await task.value }
    }
    #expect(runLog.entries == ["third@0", "first@2000", "second@2000"])
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `a job that blocks the main actor's thread keeps the main actor`() async {
    let runLog = RunLog()
    let outcome = await Simulation.run(options) {
      let first = Task { @MainActor in
        sleepThread(.seconds(2))
        runLog.note("first")
      }
      let second = Task { @MainActor in runLog.note("second") }
      let third = Task { runLog.note("third") }
      for task in [first, second, third] { await task.value }
    }
    #expect(runLog.entries == ["third@0", "first@2000", "second@2000"])
    #expect(outcome.report.ending.name == "finished")
  }

  @Test func `S4 simulations that share an actor may block in it`() async {
    await withTaskGroup { group in
      for _ in 1...8 {
        group.addTask {
          let outcome = await Simulation.run {
            await withTaskGroup { tasks in
              for _ in 1...10 {
                tasks.addTask { await Worker.shared.sleep("shared", for: .milliseconds(1)) }
              }
            }
          }
          #expect(outcome.report.ending.name == "finished")
        }
      }
    }
  }
}

private actor Worker {
  static let shared = Worker(RunLog())

  private let runLog: RunLog

  init(_ runLog: RunLog) { self.runLog = runLog }

  func sleep(_ line: String, for duration: Duration) {
    sleepThread(duration)
    runLog.note(line)
  }

  func note(_ line: String) { runLog.note(line) }
}
