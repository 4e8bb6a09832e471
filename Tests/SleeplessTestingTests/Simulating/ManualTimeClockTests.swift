// virtual time: everything here runs in simulations
import Dispatch
import Foundation
import Sleepless
import SleeplessTesting
import Testing
import TestSupport

#if os(Linux)
  /// With manual time every clock stands still until the test advances (S2, S10).
  @Suite(.needs(.queues), .needs(.clocks), .needs(.dates), .simulated(time: .manual))
  struct ManualTimeClockTests {
    private let queue = DispatchQueue(label: "app")

    @Test func `S2 each clock moves by advances, and by nothing else`() async throws {
      let start = clockReadings()
      let sleeper = Task { try await Task.sleep(for: .seconds(60)) }
      queue.asyncAfter(deadline: .now() + 60) {}
      for _ in 1...3 { await Task.yield() }
      await settle()
      #expect(clockReadings() == start)
      await Simulation.advance(by: .zero)
      #expect(clockReadings() == start)
      await Simulation.advance(by: .seconds(5))
      expectPassed(5, since: start)
      await settle()
      expectPassed(5, since: start)
      await Simulation.advance(by: .seconds(86_400))
      expectPassed(86_405, since: start)
      try await sleeper.value
      #expect(clockReadings() == clockReadings())
    }

    @Test func `T3 work that an advance runs sees the clocks at its own time`() async {
      let start = clockReadings()
      let log = Log<String>()
      let note: @Sendable (String) -> Void = { name in
        log.append("\(name) \(Set(secondsPassed(since: start).values).sorted())")
      }
      Task {
        try await Task.sleep(for: .seconds(1))
        note("task")
        try await ContinuousClock().sleep(for: .seconds(1))
        note("task by the clock")
      }
      queue.asyncAfter(deadline: .now() + 3) {
        note("block")
        Thread.sleep(forTimeInterval: 1)
        note("block that has slept")
      }
      DispatchQueue.main.asyncAfter(wallDeadline: .now() + 5) { note("block of the main queue") }
      Simulation.scheduler().schedule(after: .seconds(6)) { note("work of the scheduler") }
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now() + 7, repeating: 2)
      timer.setEventHandler { note("timer") }
      timer.activate()
      await Simulation.advance(by: .seconds(10))
      timer.cancel()
      note("test")
      #expect(
        log.values == [
          "task [1.0]", "task by the clock [2.0]", "block [3.0]", "block that has slept [4.0]",
          "block of the main queue [5.0]", "work of the scheduler [6.0]", "timer [7.0]",
          "timer [9.0]", "test [10.0]",
        ])
    }
  }

  private func expectPassed(
    _ seconds: Double, since start: [String: Double],
    at location: SourceLocation = #_sourceLocation
  ) {
    let passed = secondsPassed(since: start)
    #expect(passed.filter { $0.value != seconds } == [:], sourceLocation: location)
  }
#endif
