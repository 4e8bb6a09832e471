// virtual time: what sleeps here does so in simulations
import Foundation
import SleeplessTesting
import Testing

/// The tests of FailureMessages.md that fail in a process with another setting, or in the one after a crash. One keeps
/// a thread of the pool; beside other tests that do, none would be left for the end of the wait.
@Suite struct ProcessMessages {
  @Test func `tasks cannot be followed`() async {
    await settle()
  }

  @Test func `a search is cancelled at each suspension`() async {
    _ = try? await exploreCancellation { try await Task.sleep(for: .seconds(1)) }
  }

  @Test func `objects cannot be counted`() async {
    await assertNoGrowth { _ = NSObject() }
  }

  @Test func `a task blocks its thread while time is advanced`() async {
    let scheduler = TestScheduler()
    let computing = Task(name: "computing") { while !Task.isCancelled {} }
    await scheduler.advance(by: .seconds(3))
    computing.cancel()
  }

  @Test(.simulated) func `a date is an hour later`() async throws {
    let start = Date()
    try await Task.sleep(for: .seconds(3600))
    #expect(Date().timeIntervalSince(start) >= 3600)
  }

  @Test(.explored) func `the process dies in a schedule`() async {
    let names: [String] = []
    await Task.yield()
    print(names[0])
  }
}
