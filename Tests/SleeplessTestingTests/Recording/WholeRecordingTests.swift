import Dispatch
import SleeplessTesting
import Testing
import TestSupport
import VirtualTime
import XCTest

@Suite struct WholeRecordingTests {
  let numbers = Recorder<Int, Trouble>("numbers")

  @Test func `elements gives all values when the source has finished, and reads them`() throws {
    send(1, 2, 3)
    try numbers.skip()
    numbers.record(.finished)
    #expect(try numbers.elements() == [1, 2, 3])
    #expect(try numbers.elements() == [1, 2, 3])
    numbers.expectNone()
  }

  @Test func `elements waits for the end`() async throws {
    let (numbers, waits) = (numbers, AsyncStream<Void>.makeStream())
    Task {
      for await _ in waits.stream { break }
      for number in 1...3 { numbers.record(number) }
      numbers.record(.finished)
    }
    let elements = try await RecorderWait.$observer.withValue(
      .init { _ in waits.continuation.yield() }
    ) {
      try await numbers.elements()
    }
    #expect(elements == [1, 2, 3])
  }

  @Test func `completion reads the end and leaves the values`() throws {
    send(1)
    numbers.record(.failure(.offline))
    #expect(try numbers.completion() == .failure(.offline))
    #expect(try numbers.next() == 1)
    numbers.expectNone()
  }

  @Test func `completion waits for the end`() async throws {
    let numbers = numbers
    Task { numbers.record(.finished) }
    #expect(try await numbers.completion() == .finished)
  }

  @Test(arguments: [[], [1], [1, 2]])
  func `last is the last value of all, or nil`(values: [Int]) async throws {
    for value in values { numbers.record(value) }
    numbers.record(.finished)
    #expect(try await numbers.last() == values.last)
    #expect(try lastNow() == values.last)
    await numbers.expectNone()
  }

  @Test func `single is the only value`() async throws {
    send(1)
    numbers.record(.finished)
    #expect(try await numbers.single() == 1)
    #expect(try singleNow() == 1)
    await numbers.expectNone()
  }

  @Test func `a prefix counts from the beginning of the recording`() throws {
    send(1, 2, 3, 4)
    try numbers.skip()
    #expect(try numbers.prefix(3) == [1, 2, 3])
    #expect(try numbers.prefix(2) == [1, 2])
    #expect(try numbers.prefix(0) == [])
    #expect(try numbers.next() == 4)
  }

  @Test func `a prefix ends with the source`() async throws {
    let numbers = numbers
    Task {
      numbers.record(1)
      numbers.record(.finished)
    }
    #expect(try await numbers.prefix(3) == [1])
    await numbers.expectNone()
  }

  @Test func `a prefix of a source that goes on does not wait for its end`() async throws {
    let numbers = numbers
    Task { for number in 1...2 { numbers.record(number) } }
    #expect(try await numbers.prefix(2) == [1, 2])
  }

  @Test func `F3 a synchronous Swift Testing test does not wait`() {
    let line = #line + 4
    let failures = failures {
      synchronously {
        let numbers = Recorder<Int, Never>("numbers", time: .of(TestScheduler()))
        _ = try? numbers.waitForElements()
      }
    }
    #expect(
      failures == [
        Failure(
          """
          waitForElements() expected the end from "numbers", but none came: it does not wait in a Swift Testing \
          test.
          Nothing has come so far (now: 0 s).
          Make the test async, and await the same read without waitFor: it waits for the event.
          """, line: line)
      ])
  }

  @Test func `what has come need not be waited for`() throws {
    send(1, 2)
    numbers.record(.finished)
    #expect(try numbers.waitForNext() == 1)
    #expect(try numbers.waitForNext(1) == [2])
    try numbers.waitForFinish()
    #expect(try numbers.waitForLast() == 2)
    #expect(try numbers.waitForPrefix(1) == [1])
    #expect(try numbers.waitForElements() == [1, 2])
    #expect(try numbers.waitForCompletion() == .finished)
  }

  @Test func `a second value fails a wait for a single one at once`() async throws {
    let line = #line + 2
    let failures = await failures {
      let value = Task { try await numbers.single() }
      send(1, 2)
      _ = await value.result
      numbers.record(.finished)
    }
    #expect(failures.map(\.line) == [line])
    #expect(failures.first?.text.contains("expected exactly one value") == true)
    #expect(numbers.all() == [1, 2])
  }

  @Test func `F3 a prefix of less than no values fails, also after a read`() async throws {
    send(1)
    #expect(try await numbers.next() == 1)
    let line = #line + 2
    let failures = await failures {
      _ = try? await numbers.prefix(.min)
    }
    #expect(
      failures == [
        Failure(
          "prefix(\(Int.min)) must be asked for at least 0 values (was \(Int.min)). Nothing was read.",
          line: line)
      ])
  }

  private func send(_ values: Int...) { for value in values { numbers.record(value) } }

  private func lastNow() throws -> Int? { try numbers.last() }
  private func singleNow() throws -> Int { try numbers.single() }
}

final class WholeRecordingXCTests: FailureCatchingTestCase {
  func testASynchronousTestWaitsOnTheRunLoop() throws {
    let numbers = Recorder<Int, Trouble>("numbers")
    DispatchQueue.global().async {
      DispatchQueue.main.async { numbers.record(1) }
    }
    XCTAssertEqual(try numbers.waitForNext(), 1)
    DispatchQueue.main.async {
      for number in 2...3 { numbers.record(number) }
      DispatchQueue.main.async { numbers.record(.failure(.offline)) }
    }
    XCTAssertEqual(try numbers.waitForPrefix(3), [1, 2, 3])
    XCTAssertEqual(try numbers.waitForFailure(), .offline)
    XCTAssertEqual(try numbers.waitForCompletion(), .failure(.offline))
  }

  func testASynchronousTestWaitsForTheWhole() throws {
    let numbers = Recorder<Int, Never>("numbers")
    Task { @MainActor in
      numbers.record(1)
      Task { @MainActor in numbers.record(.finished) }
    }
    XCTAssertEqual(try numbers.waitForElements(), [1])
    XCTAssertEqual(try numbers.waitForSingle(), 1)
    XCTAssertEqual(try numbers.waitForLast(), 1)
    try numbers.waitForFinish()
  }

  func testF3AWaitThatEndsWithTheWaitAroundItSaysSo() async {
    let line = #line + 7
    let failures = await failures {
      synchronously {
        let outer = XCTestExpectation(description: "the wait around it")
        RunLoop.current.perform {
          outer.fulfill()
          let numbers = Recorder<Int, Never>("numbers", time: .of(TestScheduler()))
          _ = try? numbers.waitForNext()
        }
        // real time: none, as it is fulfilled at once; XCTest ends the waits within a wait that is over
        _ = XCTWaiter(delegate: nil).wait(for: [outer], timeout: 600)
      }
    }
    XCTAssertEqual(
      failures,
      [
        Failure(
          """
          waitForNext() expected a value from "numbers", but none came: a wait of XCTest around it ended first.
          Nothing has come so far (now: 0 s).
          Read the value after that wait, or give that wait more time.
          """, line: line)
      ])
  }

  func testF3AWaitThatEndsWithoutItsEventSaysSo() async {
    let line = #line + 5
    let failures = await failures {
      HangTimeout.$shortened.withValue(.milliseconds(1)) {
        synchronously {
          let numbers = Recorder<Int, Never>("numbers", time: .of(TestScheduler()))
          _ = try? numbers.waitForElements()
        }
      }
    }
    XCTAssertEqual(failures, [Failure(FailureText.noElements, line: line)])
  }
}
