// virtual time: everything here runs in simulations
import Dispatch
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

  // MARK: What comes over queues

  /// A source that sends a number in the second of two blocks of a queue.
  private static func sendOverQueues(_ subject: EventSubject<Int, Never>) {
    DispatchQueue(label: "first").async {
      DispatchQueue.global().async { subject.send(1) }
    }
  }

  @Test(.needs(.queues), .simulated) func `a read waits for what comes over queues`() async throws {
    let subject = EventSubject<Int, Never>()
    let recorder = Recorder(subject.receive(on: DispatchQueue(label: "delivery")))
    Self.sendOverQueues(subject)
    #expect(try await recorder.next() == 1)
    DispatchQueue.main.asyncAfter(deadline: .now() + 3_600) { subject.send(2) }
    #expect(try await recorder.next() == 2)
    await recorder.expectNone()
  }

  @Test(.needs(.queues)) func `expectNone waits for what comes over queues`() async {
    let line = #line + 6
    let failures = await failures {
      try? await simulate {
        let subject = EventSubject<Int, Never>()
        let recorder = Recorder(subject, "numbers")
        Self.sendOverQueues(subject)
        await recorder.expectNone()
        _ = recorder.all()
      }
    }
    #expect(
      failures == [
        Failure(
          """
          expectNone() expected nothing unread from "numbers", but 1 event is.
          So far (now: 0 s):
            1  0 s  1  (unread)
          Either the code sends too many events, or the test has read too few.
          """, line: line)
      ])
  }

  @Test(.needs(.queues)) func `the end of a test waits for what comes over queues`() async {
    let failures = await failures {
      try? await simulate {
        try await EndOfTest.check {
          let subject = EventSubject<Int, Never>()
          let recorder = Recorder(subject, "numbers")
          Self.sendOverQueues(subject)
          withExtendedLifetime(recorder) {}
        }
      }
    }
    #expect(failures.map(\.text.firstLine) == ["1 event of \"numbers\" was never read:"])
  }
}
