import Dispatch
import Observation
import SleeplessTesting
import TestSupport
import Testing
import XCTest

/// The examples on the pages of recorders and what they record.
@Suite struct RecordingReference {
  // MARK: Sources

  @Test func `callbacks are recorded`() throws {
    let answers = Recorder<String, Never>("answers")
    let queue = TestScheduler()
    queue.async { answers.record("Ada") }
    queue.advance()
    #expect(try answers.next() == "Ada")
  }

  @Test func `values and an end are recorded`() {
    let numbers = Recorder<Int, Never>("numbers")
    numbers.record(1)
    numbers.record(.finished)
    numbers.expect(1, then: .finished)
  }

  @Test func `events before the cancellation remain`() {
    let subject = EventSubject<Int, Never>()
    let numbers = Recorder(subject)
    subject.send(1)
    numbers.cancel()
    subject.send(2)  // not delivered: the subscription has ended
    numbers.expect(1)
  }

  @Test func `a recorder prints its events`() {
    let numbers = Recorder<Int, Never>("numbers")
    numbers.record(1)
    print(numbers)  // its name, then a line for each event with its time
    numbers.expect(1)
    #expect("\(numbers)".hasPrefix("\"numbers\"\n"))
  }

  @Test func `a publisher is recorded`() {
    let subject = StateSubject<Int, Never>(1)
    let numbers = Recorder(subject)  // records the current value, 1
    subject.send(2)
    numbers.expect(1, 2)
  }

  @Test func `an asynchronous sequence is recorded`() async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let numbers = Recorder(stream)
    continuation.yield(1)
    continuation.finish()
    await numbers.expect(1, then: .finished)
  }

  @Test func `an asynchronous sequence fails`() async throws {
    let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
    let numbers = Recorder(stream)
    continuation.yield(1)
    continuation.finish(throwing: Trouble.offline)
    #expect(try await numbers.next() == 1)
    #expect(try await numbers.failure() is Trouble)
  }

  @MainActor @Test func `each change of a property is recorded`() async {
    let counter = TapCounter()
    let counts = Recorder(of: counter, \.count)
    counter.count = 1
    counter.count = 2
    await counts.expect(0, 1, 2)  // Observations would give 0 and 2
  }

  // MARK: Comparing

  @Test func `unread events are compared`() {
    let numbers = Recorder<Int, Never>("numbers")
    numbers.record(1)
    numbers.record(2)
    numbers.expect(1, 2)  // expect(1) would fail: 2 is unread, too
    numbers.record(.finished)
    numbers.expect(then: .finished)
  }

  @Test func `the next events are compared when they have come`() async {
    let numbers = Recorder<Int, Never>("numbers")
    Task { for number in 1...2 { numbers.record(number) } }
    await numbers.expect(1, 2)  // a 3 that has come by then would be a difference
    numbers.record(3)
    await numbers.expect(3)
  }

  @Test func `unread events are compared with a list`() {
    let numbers = Recorder<Int, Never>("numbers")
    for number in 1...100 { numbers.record(number) }
    numbers.expect(all: Array(1...100))
  }

  @Test func `the next events are compared with a list`() async {
    let numbers = Recorder<Int, Never>("numbers")
    Task { for number in 1...100 { numbers.record(number) } }
    await numbers.expect(all: Array(1...100))
  }

  // MARK: Reading

  @Test func `the next value is read`() throws {
    let numbers = Recorder<Int, Never>("numbers")
    numbers.record(1)
    #expect(try numbers.next() == 1)  // a second next() would fail the test
  }

  @Test func `the next value is read when it has come`() async throws {
    let numbers = Recorder<Int, Never>("numbers")
    Task { numbers.record(1) }
    #expect(try await numbers.next() == 1)  // waits for the value, not for a time
  }

  @Test func `several values are read`() throws {
    let numbers = Recorder<Int, Never>("numbers")
    for number in 1...3 { numbers.record(number) }
    #expect(try numbers.next(2) == [1, 2])
    #expect(try numbers.next() == 3)
  }

  @Test func `several values are read when they have come`() async throws {
    let numbers = Recorder<Int, Never>("numbers")
    Task { for number in 1...3 { numbers.record(number) } }
    #expect(try await numbers.next(2) == [1, 2])
    #expect(try await numbers.next() == 3)
  }

  @Test func `values are skipped`() throws {
    let numbers = Recorder<Int, Never>("numbers")
    for number in 1...3 { numbers.record(number) }
    try numbers.skip(2)
    #expect(try numbers.next() == 3)
  }

  @Test func `values are skipped when they have come`() async throws {
    let numbers = Recorder<Int, Never>("numbers")
    Task { for number in 1...3 { numbers.record(number) } }
    try await numbers.skip(2)
    #expect(try await numbers.next() == 3)
  }

  @Test func `the latest value is read`() throws {
    let numbers = Recorder<Int, Never>("numbers")
    for number in 1...3 { numbers.record(number) }
    #expect(try numbers.latest() == 3)
    numbers.expectNone()  // 1 and 2 are read as well
  }

  @Test func `the latest value is read when one has come`() async throws {
    let numbers = Recorder<Int, Never>("numbers")
    Task { numbers.record(1) }
    #expect(try await numbers.latest() == 1)  // the latest of those that have come by then
  }

  @Test func `all values are read`() throws {
    let numbers = Recorder<Int, Never>("numbers")
    for number in 1...3 { numbers.record(number) }
    #expect(try numbers.next() == 1)
    #expect(numbers.all() == [1, 2, 3])  // with the 1 that was read before
    numbers.expectNone()
  }

  @Test func `the time of each value`() {
    let scheduler = TestScheduler()
    let ticks = Recorder<Int, Never>("ticks", time: .of(scheduler))
    scheduler.schedule(after: .seconds(1)) { ticks.record(1) }
    scheduler.schedule(after: .seconds(3)) { ticks.record(2) }
    scheduler.run()
    #expect(ticks.times == [.seconds(1), .seconds(3)])
    ticks.expect(1, 2)  // times has not read them
  }

  @Test func `the finish is read`() throws {
    let numbers = Recorder<Int, Never>("numbers")
    numbers.record(1)
    numbers.record(.finished)
    #expect(try numbers.next() == 1)  // finish() would fail before
    try numbers.finish()
  }

  @Test func `the finish is read when it has come`() async throws {
    let numbers = Recorder<Int, Never>("numbers")
    Task { numbers.record(.finished) }
    try await numbers.finish()  // a value before the finish would fail the test
  }

  @Test func `the error is read`() throws {
    let answers = Recorder<Int, Trouble>("answers")
    answers.record(.failure(.offline))
    #expect(try answers.failure() == .offline)
  }

  @Test func `the error is read when it has come`() async throws {
    let answers = Recorder<Int, Trouble>("answers")
    Task { answers.record(.failure(.offline)) }
    #expect(try await answers.failure() == .offline)
  }

  @Test func `nothing comes before its time`() throws {
    let numbers = Recorder<Int, Never>("numbers")
    let scheduler = TestScheduler()
    scheduler.schedule(after: .seconds(1)) { numbers.record(1) }
    scheduler.advance(by: .milliseconds(900))
    numbers.expectNone()
    scheduler.advance(by: .milliseconds(100))
    #expect(try numbers.next() == 1)
  }

  @Test func `nothing comes from a cancelled task`() async {
    let numbers = Recorder<Int, Never>("numbers")
    let clock = TestClock()
    let task = Task {
      try await clock.sleep(for: .seconds(60))
      numbers.record(1)
    }
    await clock.waitForSleepers()
    task.cancel()
    await clock.advance(by: .seconds(60))
    await numbers.expectNone()
  }

  // MARK: The whole

  @Test func `all values of a finished source`() throws {
    let numbers = Recorder<Int, Never>("numbers")
    for number in 1...3 { numbers.record(number) }
    numbers.record(.finished)
    #expect(try numbers.elements() == [1, 2, 3])  // without the finish it would fail
  }

  @Test func `all values when the source has finished`() async throws {
    let numbers = Recorder<Int, Never>("numbers")
    Task {
      for number in 1...3 { numbers.record(number) }
      numbers.record(.finished)
    }
    #expect(try await numbers.elements() == [1, 2, 3])
  }

  @Test func `how a source has ended`() throws {
    let answers = Recorder<Int, Trouble>("answers")
    answers.record(1)
    answers.record(.failure(.offline))
    #expect(try answers.completion() == .failure(.offline))
    #expect(try answers.next() == 1)  // was still unread
  }

  @Test func `how a source ends`() async throws {
    let answers = Recorder<Int, Trouble>("answers")
    Task { answers.record(.failure(.offline)) }
    #expect(try await answers.completion() == .failure(.offline))
  }

  @Test func `the last value of a finished source`() throws {
    let numbers = Recorder<Int, Never>("numbers")
    for number in 1...3 { numbers.record(number) }
    numbers.record(.finished)
    #expect(try numbers.last() == 3)  // nil if nothing came before the finish
  }

  @Test func `the last value when the source has finished`() async throws {
    let numbers = Recorder<Int, Never>("numbers")
    Task {
      for number in 1...3 { numbers.record(number) }
      numbers.record(.finished)
    }
    #expect(try await numbers.last() == 3)
  }

  @Test func `the only value of a finished source`() throws {
    let numbers = Recorder<Int, Never>("numbers")
    numbers.record(1)
    numbers.record(.finished)
    #expect(try numbers.single() == 1)  // no value, or two, would fail the test
  }

  @Test func `the only value when the source has finished`() async throws {
    let numbers = Recorder<Int, Never>("numbers")
    Task {
      numbers.record(1)
      numbers.record(.finished)
    }
    #expect(try await numbers.single() == 1)  // no value, or two, would fail the test
  }

  @Test func `the first values`() throws {
    let numbers = Recorder<Int, Never>("numbers")
    for number in 1...3 { numbers.record(number) }
    #expect(try numbers.prefix(2) == [1, 2])
    numbers.record(.finished)
    #expect(try numbers.prefix(5) == [1, 2, 3])  // fewer, since the source has finished
  }

  @Test func `the first values when they have come`() async throws {
    let numbers = Recorder<Int, Never>("numbers")
    Task { for number in 1...3 { numbers.record(number) } }
    #expect(try await numbers.prefix(2) == [1, 2])
    #expect(try await numbers.next() == 3)
  }
}

/// The examples on the pages of recorders' times, and of a publisher that the test controls.
@Suite struct RecordingTimesReference {
  @Test(.simulated) func `events have the simulation's time`() async {
    let ticks = Recorder<Int, Never>("ticks", time: .current)  // as without time:
    await Simulation.advance(by: .seconds(2))
    ticks.record(1)
    ticks.expect(marbles: "2s 1")
  }

  @Test func `events have real times`() {
    let ticks = Recorder<Int, Never>("ticks", time: .real)
    ticks.record(1)
    ticks.expect(marbles: "1")  // real times are not compared
    #expect(ticks.times.count == 1)
  }

  @Test func `events have a scheduler's time`() {
    let scheduler = TestScheduler()
    let ticks = Recorder<Int, Never>("ticks", time: .of(scheduler))
    scheduler.schedule(after: .seconds(2)) { ticks.record(1) }
    scheduler.run()
    ticks.expect(marbles: "2s 1")
  }

  @Test func `events have a clock's time`() async {
    let clock = TestClock()
    let ticks = Recorder<Int, Never>("ticks", time: .of(clock))
    await clock.advance(by: .seconds(2))
    ticks.record(1)
    ticks.expect(marbles: "2s 1")
  }

  @Test func `a publisher breaks a rule`() {
    let answers = TestPublisher<Int, Never>(allowing: [.eventsAfterEnd])
    var received: [Int] = []
    let token = answers.sink { received.append($0) }
    answers.send(completion: .finished)
    answers.send(1)
    #expect(received == [1])  // [] without the allowance, with a warning that 1 is lost
    token.cancel()
  }

  @Test func `a publisher sends`() {
    let answers = TestPublisher<Int, Never>()
    let numbers = Recorder(answers)
    answers.send(1)
    answers.send(completion: .finished)
    numbers.expect(1, then: .finished)
  }

  @Test func `two closures are subscribed`() {
    let answers = TestPublisher<Int, Never>()
    let received = Recorder<Int, Never>("received")
    let token = answers.subscribe(
      receiveCompletion: { _ in }, receiveValue: { received.record($0) })
    answers.send(1)
    token.cancel()
    answers.send(2)
    received.expect(1)
  }

  @Test func `subscriptions are counted`() {
    let answers = TestPublisher<Int, Never>()
    let (first, second) = (answers.sink { _ in }, answers.sink { _ in })
    first.cancel()
    #expect(answers.subscriptionCount == 2)  // all of them so far
    #expect(answers.cancellationCount == 1)
    #expect(answers.subscriberCount == 1)  // the current ones
    second.cancel()
  }

  @MainActor @Test func `all states in an async test`() async {
    let model = LoadingModel()
    await AssertState().assert(
      when: { model.load() }, type: LoadingState.self, publisher: model.$state,
      valuesAssertions: { #expect($0 == [.initial, .loading, .loaded]) })
  }

  @MainActor @Test func `all states of an async function`() async {
    let model = LoadingModel()
    await AssertState().assert(
      when: { await model.reload() }, type: LoadingState.self, publisher: model.$state,
      valuesAssertions: { #expect($0 == [.initial, .loading, .loaded]) })
  }

  @Test func `all values in a synchronous test`() {
    let subject = StateSubject<Int, Never>(0)
    AssertState().assert(
      when: { subject.value = 1 }, type: Int.self, publisher: subject, valuesLimit: 2,
      valuesAssertions: { #expect($0 == [0, 1]) })  // the current value counts
  }
}

/// The examples of reads in synchronous XCTest tests.
final class RecordingXCTReference: XCTestCase {
  func testAllValues() {
    let subject = StateSubject<Int, Never>(0)
    AssertState().assert(
      when: { DispatchQueue.main.async { subject.value = 1 } },
      type: Int.self, testCase: self, publisher: subject, valuesLimit: 2,
      valuesAssertions: { XCTAssertEqual($0, [0, 1]) })
  }

  func testNextValues() throws {
    let answers = Recorder<Int, Never>("answers")
    DispatchQueue.main.async { for number in 1...3 { answers.record(number) } }
    XCTAssertEqual(try answers.waitForNext(), 1)
    XCTAssertEqual(try answers.waitForNext(2), [2, 3])
  }

  func testTheFinish() throws {
    let answers = Recorder<Int, Never>("answers")
    DispatchQueue.main.async { answers.record(.finished) }
    try answers.waitForFinish()  // a value before the finish would fail the test
  }

  func testTheError() throws {
    let answers = Recorder<Int, Trouble>("answers")
    DispatchQueue.main.async { answers.record(.failure(.offline)) }
    XCTAssertEqual(try answers.waitForFailure(), .offline)
  }

  func testAllElements() throws {
    let answers = Recorder<Int, Never>("answers")
    DispatchQueue.main.async {
      for number in 1...3 { answers.record(number) }
      answers.record(.finished)
    }
    XCTAssertEqual(try answers.waitForElements(), [1, 2, 3])
    XCTAssertEqual(try answers.waitForLast(), 3)
  }

  func testTheEnd() throws {
    let answers = Recorder<Int, Trouble>("answers")
    DispatchQueue.main.async { answers.record(.failure(.offline)) }
    XCTAssertEqual(try answers.waitForCompletion(), .failure(.offline))
  }

  func testTheOnlyValue() throws {
    let answers = Recorder<Int, Never>("answers")
    DispatchQueue.main.async {
      answers.record(1)
      answers.record(.finished)
    }
    XCTAssertEqual(try answers.waitForSingle(), 1)  // no value, or two, would fail the test
  }

  func testTheFirstValues() throws {
    let answers = Recorder<Int, Never>("answers")
    DispatchQueue.main.async { for number in 1...3 { answers.record(number) } }
    XCTAssertEqual(try answers.waitForPrefix(2), [1, 2])
    XCTAssertEqual(try answers.next(), 3)
  }
}

@MainActor @Observable private final class TapCounter {
  var count = 0
}

private enum LoadingState { case initial, loading, loaded }

@MainActor private final class LoadingModel {
  @PublishedState private(set) var state = LoadingState.initial

  func load() { Task { await reload() } }

  func reload() async {
    state = .loading
    state = await answer()
  }

  private nonisolated func answer() async -> LoadingState { .loaded }
}
