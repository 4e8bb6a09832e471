// virtual time: all sleeps here are in simulations, unless they are marked as real time
import SleeplessTesting
import Testing
import TestSupport

@Suite struct ExpectThrowsTests {
  @Test func `an error is returned`() async {
    let error = await expectThrows { try await fail(with: .offline) }
    #expect(error as? Trouble == .offline)
  }

  @Test func `an error of a type, an equal error and an accepted error are returned`() async {
    let error = await expectThrows(Trouble.self) { try await fail(with: .offline) }
    #expect(error == .offline)
    await expectThrows(Trouble.offline) { try await fail(with: .offline) }
    await expectThrows(where: { $0 is Trouble }) { try await fail(with: .offline) }
  }

  @Test @MainActor func `the operation runs in the caller's isolation`() async {
    await expectThrows(Trouble.self) {
      MainActor.assertIsolated()
      throw Trouble.offline
    }
  }
}

@Suite(.simulated) struct StartedOperationTests {

  @Test(.needs(.capture)) func `an operation finishes with its value or its error`() async throws {
    let operation = StartedOperation {
      try await Task.sleep(for: .seconds(5))
      return 7
    }
    #expect(operation.isRunning)
    #expect(try await operation.expectFinish() == 7)
    #expect(Simulation.current?.now == .seconds(5))
    let failing = StartedOperation { try await fail(with: .offline) }
    await #expect(throws: Trouble.offline) { try await failing.expectFinish() }
  }

  @Test(.needs(.capture)) func `an operation is running until it ends`() async throws {
    let operation = StartedOperation { try await Task.sleep(for: .seconds(5)) }
    await operation.expectRunning()
    #expect(Simulation.current?.now == .zero)
    await operation.expectRunning(during: .seconds(4))
    #expect(Simulation.current?.now == .seconds(4))
    try await operation.expectFinish(within: .seconds(1))
  }

  @Test func `cancelling ends an operation at once`() async {
    let operation = StartedOperation { try await Task.sleep(for: .seconds(5)) }
    let result = await operation.expectCancellation(within: .zero)
    #expect(throws: CancellationError.self) { try result?.get() }
    #expect(Simulation.current?.now == .zero)
  }

  @Test(.needs(.capture)) func `the limit of a cancellation is virtual time`() async {
    let operation = StartedOperation {
      try? await Task.sleep(for: .seconds(5))
      // The cleanup after the cancellation takes a while.
      await Task { try? await Task.sleep(for: .seconds(2)) }.value
    }
    await operation.expectRunning()
    await operation.expectCancellation(within: .seconds(2))
    #expect(Simulation.current?.now == .seconds(2))
  }
}

@Suite struct OutsideOperationTests {
  @Test func `an operation finishes in real time as well`() async throws {
    let operation = StartedOperation { await Task { 7 }.value }
    #expect(try await operation.expectFinish() == 7)
  }

  @Test @MainActor func `an operation runs in the test's isolation`() async throws {
    try await StartedOperation { MainActor.assertIsolated() }.expectFinish()
  }

  @Test func `cancelling ends an operation outside a simulation`() async {
    let operation = StartedOperation {
      // real time: it is cancelled at once
      try await Task.sleep(for: .seconds(1000))
    }
    await operation.expectRunning()
    await operation.expectCancellation(within: .zero)
    #expect(!operation.isRunning)
  }

  @Test func `an operation that runs at the end of the test fails it and is cancelled`() async {
    let line = #line + 5
    let kept = Log<StartedOperation<Void>>()
    let failures = await failures {
      try? await EndOfTest.check {
        // real time: it is cancelled at the end
        let operation = StartedOperation("poller") { try await Task.sleep(for: .seconds(1000)) }
        kept.append(operation)
      }
    }
    #expect(
      failures == [
        Failure(
          """
          The operation "poller" was still running at the end of the test, and has been cancelled.
          Wait for it with expectFinish(), or cancel it with expectCancellation().
          """, line: line)
      ])
    _ = try? await kept.values.first?.expectFinish()
  }
}

@Suite struct ExactlyOnceTests {
  @Test func `the callback's argument is returned, whenever it is called`() async throws {
    #expect(try await expectExactlyOnce { $0(1) } == 1)
    let name = try await expectExactlyOnce { done in
      Task.detached { done("Ada") }
    }
    #expect(name == "Ada")
  }
}

private func fail(with trouble: Trouble) async throws { throw trouble }
