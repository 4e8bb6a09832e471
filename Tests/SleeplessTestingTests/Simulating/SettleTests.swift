import SleeplessTesting
import Testing
import TestSupport
import VirtualTime
import XCTest

@Suite(.needs(.capture)) struct SettleTests {
  @Test func `settle waits for the test's tasks and for the tasks that they make`() async {
    let log = Log<Int>()
    for number in 0..<100 {
      Task {
        // real time: settle waits for it, the test does not depend on how long it takes
        try await Task.sleep(for: .milliseconds(1))
        let inner = Task.detached { @MainActor in log.append(number) }
        _ = inner
      }
    }
    await settle()
    #expect(log.values.count == 100)
  }

  @Test func `a task that waits for something else is at rest`() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    let log = Log<Int>()
    let reading = Task { for await value in stream { log.append(value) } }
    await settle()
    continuation.yield(1)
    await settle()
    #expect(log.values == [1])
    continuation.finish()
    await reading.value
  }

  @Test func `a sleep of zero or less is over at once`() async {
    let log = Log<Int>()
    for number in 0..<10 {
      Task {
        // real time: settle waits for it, which takes none
        for _ in 0..<10 { try await Task.sleep(for: .seconds(-number)) }
        log.append(number)
      }
    }
    await settle()
    #expect(log.values.sorted() == Array(0..<10))
  }

  @Test func `without tasks settle returns at once`() async { await settle() }

  @Test func `tracked tasks keep their priority and isolation`() async {
    let log = Log<TaskPriority>()
    Task(priority: .low) { log.append(Task.currentPriority) }
    Task(priority: .high) { @MainActor in
      MainActor.assertIsolated()
      log.append(Task.currentPriority)
    }
    await settle()
    #expect(
      Set(log.values.map(\.rawValue)) == [TaskPriority.low.rawValue, TaskPriority.high.rawValue])
  }

  @Test func `a sleep that is too long fails`() async {
    let sleeping = Task(name: "poller") {
      // real time: cancelled below
      try await Task.sleep(for: .seconds(1000))
    }
    let line = #line + 2
    let failures = await failures {
      await HangTimeout.$shortened.withValue(.milliseconds(20)) { await settle() }
    }
    sleeping.cancel()
    #expect(
      failures == [
        Failure(
          """
          settle() waited 20 ms of real time, but the test's tasks have not come to rest. \
          Unfinished:
            task 1 "poller": asleep
          This is usually a loop that sleeps and that is never cancelled, or a long sleep. In a \
          simulation (.simulated, SimulatedTestCase) sleeping takes no time.
          """, line: line)
      ])
    await settle()
  }

  @Test(.timeLimit(.minutes(10)), arguments: [false, true])
  func `a cancelled task waits no longer, and fails`(simulated: Bool) async {
    let line = #line + 7
    let failures = await failures {
      try? await HangTimeout.$shortened.withValue(.seconds(3600)) {
        // real time: cancelled below
        let sleeping = Task { try await Task.sleep(for: .seconds(7200)) }
        let body: @Sendable () async -> Void = {
          let waiting = Task {
            await settle()
            await asyncAssert("nothing") { Issue.record("the assertion has run") }
          }
          Task { waiting.cancel() }
          await waiting.value
        }
        if simulated {
          try await simulate(allowing: .sleepingTasks) {
            // real time: none, the loop is simulated
            Task { while true { try await Task.sleep(for: .seconds(1)) } }
            await body()
          }
        } else {
          await body()
        }
        sleeping.cancel()
        _ = try? await sleeping.value
      }
    }
    #expect(
      failures == [
        Failure(FailureText.aCancelledRest, line: line),
        Failure(
          """
          asyncAssert "nothing" was cancelled before the test's tasks had come to rest. The assertions \
          were not run.
          Usually a time limit of the test, or the test itself, cancels the task that waits. Wait in a task that nobody cancels, or find out what takes so long.
          """, line: line + 1),
      ])
  }
}

final class SettleXCTests: FailureCatchingTestCase {
  func testItWaitsInASynchronousTest() throws {
    try Need.capture.orSkip()
    let log = Log<Int>()
    for number in 0..<100 {
      Task {
        // real time: settle waits for it, the test does not depend on how long it takes
        try await Task.sleep(for: .milliseconds(1))
        Task { @MainActor in log.append(number) }
      }
    }
    settle()
    XCTAssertEqual(log.values.count, 100)
  }

  func testF3NobodysWorkCannotBeSettled() async throws {
    try Need.capture.orSkip()
    let line = #line + 4
    let failures = await failures {
      await withCheckedContinuation { done in
        DispatchQueue.global().async {
          settle()
          done.resume()
        }
      }
    }
    XCTAssertEqual(
      failures,
      [
        Failure(
          """
          settle() was called by code that belongs to no test, so it cannot know whose tasks to \
          wait for.
          Call it in the test itself. A detached task, a dispatch queue or a thread does not know \
          its test.
          """, line: line)
      ])
  }

  func testItWaitsInAnAsynchronousTest() async throws {
    try Need.capture.orSkip()
    let log = Log<Int>()
    for number in 0..<100 { Task.detached { Task { @MainActor in log.append(number) } } }
    await settle()
    XCTAssertEqual(log.values.count, 100)
  }
}
