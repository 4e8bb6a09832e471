import Dispatch
import SleeplessTesting
import Testing
import TestSupport
import XCTest

// Every Swift block of the pages "From …", to the letter, and each line in the second column of their tables.

private final class AnswerService: Sendable {
  func fetchName(_ answer: @escaping @Sendable (String) -> Void) {
    DispatchQueue.main.async { answer("Ada") }
  }
}

@Suite(.needs(.capture)) struct FromClocksAndSchedulersExamples {
  @Test func `the poller asks each minute`() async {
    let clock = TestClock(allowsPendingWork: true)
    let poller = Poller(clock: clock)
    let task = Task { try await poller.run() }
    await clock.advance(by: .seconds(180))
    #expect(await poller.count == 3)
    task.cancel()
  }

  @Test func `lines of the table`() async throws {
    let clock = TestClock(now: VirtualInstant(offset: .seconds(5)))
    let task = Task {
      for try await elapsed in clock.timer(every: .seconds(1)) where elapsed == .seconds(2) {
        return
      }
    }
    await clock.advance(by: .seconds(1))
    await clock.run()
    await clock.expectNoSleepers()
    try await task.value

    try await ImmediateClock().sleep(for: .seconds(1))
    _ = UnimplementedClock()
    let scheduler = TestScheduler()
    let queues: [any SchedulerType] = [scheduler, DispatchQueue.main]
    queues[0].schedule(after: .seconds(1)) {}
    await scheduler.advance(by: .seconds(1))
    #if canImport(Combine)
      _ = scheduler.combine()
    #endif
  }
}

@Suite struct FromCombineExpectationsExamples {
  private let publisher = EventSubject<Int, Never>()

  private func send() {
    for number in 1...2 { publisher.send(number) }
    publisher.send(completion: .finished)
  }

  @Test func `the numbers come in order`() async throws {
    let recorder = Recorder(publisher)
    send()
    #expect(try await recorder.elements() == [1, 2])
  }

  @Test func `lines of the table`() async throws {
    let recorder = Recorder(publisher)
    await recorder.expectNone()
    send()
    #expect(try await recorder.next(2) == [1, 2])
    try await recorder.finish()
    #expect(try await recorder.completion() == .finished)
    #expect(try await recorder.last() == 2)
    #expect(try await recorder.prefix(2) == [1, 2])
    #expect(recorder.all() == [1, 2])
  }

  @Test func `a single value, and a whole recording`() async throws {
    let (publisher, one) = (EventSubject<Int, Never>(), EventSubject<Int, Never>())
    let whole = Recorder(publisher)
    do {
      let recorder = Recorder(one)
      one.send(1)
      one.send(completion: .finished)
      #expect(try await recorder.single() == 1)
    }
    publisher.send(completion: .finished)
    await whole.expect(then: .finished)
    let recorder = Recorder(self.publisher)
    send()
    await recorder.expect(1, 2, then: .finished)
  }
}

final class FromExpectationsExamples: XCTestCase {
  private let service = AnswerService()

  func testAnswer() throws {
    let answers = Recorder<String, Never>("answers")
    service.fetchName { answers.record($0) }
    XCTAssertEqual(try answers.waitForNext(), "Ada")
  }

  func testLinesOfTheTables() async throws {
    try Need.capture.orSkip()
    let (answers, model) = (Recorder<String, Never>("answers"), LoadingModel())
    for _ in 1...3 { service.fetchName { answers.record($0) } }
    let names = try await answers.next(3)
    XCTAssertEqual(names, ["Ada", "Ada", "Ada"])
    await answers.expectNone()
    Task { model.load() }
    await settle()
    XCTAssertTrue(model.isLoaded)
    await eventually { model.isLoaded }
  }

  func testASynchronousReadOfAPublisher() throws {
    let publisher = EventSubject<Int, Never>()
    let recorder = Recorder(publisher)
    DispatchQueue.main.async { publisher.send(1) }
    XCTAssertEqual(try recorder.waitForNext(), 1)
  }
}

private final class LoadingModel: Sendable {
  private let state = Locked(false)

  var isLoaded: Bool { state.withLock { $0 } }

  func load() { state.withLock { $0 = true } }
}
