// virtual time: everything here runs in simulations
import SleeplessTesting
import Testing
import TestSupport

@Suite struct SimulatedRecorderTests {
  @Test(.needs(.capture), .simulated) func `a read waits in virtual time`() async throws {
    let subject = EventSubject<Int, Never>()
    let recorder = Recorder(subject)
    Task {
      try await Task.sleep(for: .seconds(3600))
      subject.send(1)
    }
    #expect(try await recorder.next() == 1)
    #expect(Simulation.current?.now == .seconds(3600))
  }

  @Test(.standingStill) func `W3 a read fails at once when nothing can run any more`() async {
    let line = #line + 5
    let failures = await failures {
      try? await simulate {
        let subject = EventSubject<Int, Never>()
        let recorder = Recorder(subject, "numbers")
        _ = try await recorder.next()
        withExtendedLifetime(subject) {}
      }
    }
    #expect(
      failures == [
        Failure(
          """
          next() expected a value from "numbers", but none came: nothing can run in the simulation \
          any more, and nothing is due.
          Nothing has come so far (now: 0 s).
          Nothing left to run can send the event. Look for code that was not started, or that waits for a queue, a thread or a server.
          """, line: line)
      ])
  }
}
