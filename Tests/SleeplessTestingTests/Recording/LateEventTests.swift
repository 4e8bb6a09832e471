import SleeplessTesting
import TestSupport
import Testing
import VirtualTime
import XCTest

/// The check for more events waits until the test's tasks have come to rest.
@Suite struct LateEventTests {
  @Test(.needs(.capture))
  func `a test waits for the tasks that it has started before it counts unread events`() async {
    let failures = await failures {
      try? await EndOfTest.check {
        let number = StateSubject<Int, Never>(0)
        let numbers = Recorder(number, "numbers")
        sendLater(1, to: number, after: .milliseconds(5))
        _ = try await numbers.next()
      }
    }
    #expect(failures.map(\.text.firstLine) == ["1 event of \"numbers\" was never read:"])
  }

  @Test(.needs(.capture)) func `a recorder that its test keeps is checked at the end as well`()
    async
  {
    let kept = Log<Recorder<Int, Never>>()
    let failures = await failures {
      try? await EndOfTest.check {
        let number = StateSubject<Int, Never>(0)
        let numbers = Recorder(number, "numbers")
        kept.append(numbers)
        sendLater(1, to: number, after: .milliseconds(5))
        _ = try await numbers.next()
      }
    }
    #expect(failures.map(\.text.firstLine) == ["1 event of \"numbers\" was never read:"])
  }

  @Test func `after cancel nothing is recorded any more`() async {
    let failures = await failures {
      try? await EndOfTest.check {
        let number = StateSubject<Int, Never>(0)
        let numbers = Recorder(number, "numbers")
        await numbers.expect(0)
        numbers.cancel()
        number.value = 1
      }
    }
    #expect(failures == [])
  }

  @Test(.needs(.capture))
  func `a released recorder has released its source when the test has settled`() async {
    let failures = await failures {
      try? await EndOfTest.check {
        weak let source = record(0)
        await settle()
        #expect(source == nil)
      }
    }
    #expect(failures == [])
  }

  @Test func `a recorder inside expectDeallocated keeps nothing alive`() async {
    let failures = await failures {
      try? await EndOfTest.check {
        await expectDeallocated {
          let number = StateSubject<Int, Never>(0)
          let numbers = Recorder(number.map { [number] in $0 + number.value }, "numbers")
          await numbers.expect(0)
          return number
        }
      }
    }
    #expect(failures == [])
  }

  // With a timeout of an hour they would run into their time limit if they waited for it.

  @Test(.timeLimit(.minutes(10))) func `the check does not wait for the end of a loop that sleeps`()
    async
  {
    let failures = await failuresBeside {
      // real time: it never ends by itself
      while true { try await Task.sleep(for: .milliseconds(50)) }
    }
    #expect(failures == [])
  }

  @Test(.timeLimit(.minutes(10)))
  func `a sleep that is longer than the timeout is not waited for at all`() async {
    // real time: it never ends by itself
    let failures = await failuresBeside { try await Task.sleep(for: .seconds(7200)) }
    #expect(failures == [])
  }

  /// The failures of a test with a recorder, in which a task is left at work.
  private func failuresBeside(
    _ work: @escaping @Sendable () async throws -> Void
  ) async -> [Failure] {
    let kept = Locked<Task<Void, any Error>?>(nil)
    let failures = await failures {
      try? await HangTimeout.$shortened.withValue(.seconds(3600)) {
        try await EndOfTest.check {
          let number = StateSubject<Int, Never>(0)
          let numbers = Recorder(number, "numbers")
          await numbers.expect(0)
          let task = Task { try await work() }
          kept.withLock { $0 = task }
        }
      }
    }
    let task = kept.withLock { $0.take() }
    task?.cancel()
    _ = try? await task?.value
    return failures
  }

  @Test(.needs(.capture)) func `in a simulation the check runs after all jobs of the instant`()
    async throws
  {
    let failures = await failures {
      try? await simulate(allowing: .sleepingTasks) {
        try await EndOfTest.check {
          let number = StateSubject<Int, Never>(0)
          let numbers = Recorder(number, "numbers")
          await numbers.expect(0)
          Task { await hop { number.value = 1 } }
          Task {
            // real time: none passes, and this comes too late
            try await Task.sleep(for: .seconds(1))
            number.value = 2
          }
        }
      }
    }
    #expect(
      failures.map(\.text) == [
        """
        1 event of "numbers" was never read:
          1  0 s  0
          2  0 s  1  (unread)
        Read the events that matter to the test with next(), expect() or all(), and leave out the \
        others with skip(). If none matters, make the recorder with allowsUnread: true.
        The last one came after the recorder was released: it records until the end of the test, \
        unless cancel() ends that sooner.
        """
      ])
  }

  @Test(.needs(.capture))
  func `AssertState waits for the tasks that the test has started before it counts`() async {
    let failures = await failures {
      let number = StateSubject<Int, Never>(0)
      let start = { @Sendable in
        number.value = 1
        sendLater(2, to: number, after: .milliseconds(5))
      }
      await AssertState().assert(
        when: start, type: Int.self, publisher: number, valuesLimit: 2, valuesAssertions: { _ in })
    }
    #expect(
      failures.map(\.text.firstLine)
        == ["assert() expected 2 values from the publisher, but 3 came."])
  }

  @Test(.needs(.capture)) func `AssertState counts until the end of the test`() async {
    let failures = await failures {
      try? await EndOfTest.check {
        let number = StateSubject<Int, Never>(0)
        await AssertState().assert(
          when: {}, type: Int.self, publisher: number, valuesLimit: 1, valuesAssertions: { _ in })
        sendLater(1, to: number, after: .milliseconds(5))
      }
    }
    #expect(
      failures.map(\.text.firstLine)
        == ["assert() expected 1 value from the publisher, but another one came later."])
  }
}

final class LateEventXCTests: FailureCatchingTestCase {
  func testATestWaitsForTheTasksThatItHasStarted() async throws {
    try Need.capture.orSkip()
    let failures = await failures {
      let number = StateSubject<Int, Never>(0)
      sendLater(1, to: number, after: .milliseconds(5))
      await AssertState().assert(
        when: {}, type: Int.self, publisher: number, valuesLimit: 1, valuesAssertions: { _ in })
    }
    XCTAssertEqual(
      failures.map(\.text.firstLine), ["assert() expected 1 value from the publisher, but 2 came."])
  }

  func testANewcomerOfASimulatedCaseIsCountedAsWell() async throws {
    try Need.capture.orSkip()
    let failures = await failures {
      try? await simulate {
        let number = StateSubject<Int, Never>(0)
        await AssertState().assert(
          when: { Task { await hop { number.value = 1 } } }, type: Int.self, publisher: number,
          valuesLimit: 1, valuesAssertions: { _ in })
      }
    }
    XCTAssertEqual(
      failures.map(\.text.firstLine), ["assert() expected 1 value from the publisher, but 2 came."])
  }
}

private func sendLater(
  _ value: Int, to subject: StateSubject<Int, Never>, after delay: Duration
) {
  Task {
    // real time: the test's body is over by then
    try await Task.sleep(for: delay)
    subject.value = value
  }
}

/// Records a source and releases the recorder; returns the source, which nothing else holds.
private func record(_ value: Int) -> StateSubject<Int, Never> {
  let number = StateSubject<Int, Never>(value)
  let numbers = Recorder(number)
  _ = numbers.all()
  return number
}
