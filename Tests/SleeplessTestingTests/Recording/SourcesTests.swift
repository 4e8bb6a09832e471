import SleeplessTesting
import Testing
import TestSupport

@Suite struct PublisherSourceTests {
  @Test func `a subject's values and end are recorded before send returns`() throws {
    let subject = EventSubject<Int, Trouble>()
    let numbers = Recorder(subject)
    subject.send(1)
    subject.send(2)
    subject.send(completion: .failure(.offline))
    numbers.expect(1, 2, then: .failure(.offline))
  }

  @Test func `P5 the current value comes first`() {
    let state = StateSubject<Int, Never>(1)
    let numbers = Recorder(state)
    state.value = 2
    numbers.expect(1, 2)
  }

  @Test func `a publisher that has ended is recorded as ended`() throws {
    let subject = EventSubject<Int, Never>()
    subject.send(completion: .finished)
    try Recorder(subject).finish()
  }

  @Test func `two recorders of one publisher each get everything`() {
    let subject = EventSubject<Int, Never>()
    let first = Recorder(subject)
    let second = Recorder(subject)
    subject.send(1)
    first.expect(1)
    second.expect(1)
  }

  @Test func `P4 the subscription ends with the recorder, and when it is cancelled`() {
    let publisher = TestPublisher<Int, Never>()
    var numbers: Recorder<Int, Never>? = Recorder(publisher)
    #expect(publisher.subscriberCount == 1)
    numbers?.cancel()
    #expect(publisher.subscriberCount == 0)
    #expect(publisher.cancellationCount == 1)
    numbers = Recorder(publisher)
    #expect(publisher.subscriberCount == 1)
    numbers = nil
    #expect(publisher.subscriberCount == 0)
    _ = numbers
  }

  @Test func `P6 a released recorder is not kept by its publisher`() {
    let subject = EventSubject<Int, Never>()
    weak var core: AnyObject?
    do {
      let numbers = Recorder(subject)
      core = numbers.observedCore
      subject.send(1)
      numbers.expect(1)
    }
    #expect(core == nil)
    withExtendedLifetime(subject) {}
  }

  @Test func `an event under way on another thread is no contract violation`() async {
    let publisher = TestPublisher<Int, Never>(allowing: [.eventsAfterCancel])
    let failures = await failures {
      let numbers = Recorder(publisher, "numbers", allowsUnread: true)
      numbers.cancel()
      await onThread { publisher.send(1) }
      await onThread { publisher.send(2) }
      withExtendedLifetime(numbers) {}
    }
    #expect(
      failures.map(\.text.firstLine) == [
        "The source of \"numbers\" sent a value, 2, after it was cancelled."
      ])
  }
}

@Suite struct SequenceSourceTests {
  @Test func `a sequence's elements and end are recorded`() async throws {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let numbers = Recorder(stream)
    continuation.yield(1)
    continuation.yield(2)
    continuation.finish()
    await numbers.expect(1, 2, then: .finished)
  }

  @Test func `a sequence's error is recorded`() async throws {
    let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
    let numbers = Recorder(stream)
    continuation.finish(throwing: Trouble.offline)
    #expect(try await numbers.failure() as? Trouble == .offline)
  }

  @Test func `the sequence's task ends with the recorder`() async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let hasEnded = Signal()
    continuation.onTermination = { _ in hasEnded.send() }
    do {
      let numbers = Recorder(stream)
      continuation.yield(1)
      await numbers.expect(1)
    }
    await hasEnded.wait()
  }

  @Test func `an element after the end of a sequence is named`() async {
    let sequence = Haunted()
    let failures = await failures {
      let numbers = Recorder(sequence, "numbers", allowsUnread: true)
      await sequence.hasBeenLeft.wait()
      withExtendedLifetime(numbers) {}
    }
    #expect(
      failures.map(\.text.firstLine) == [
        "The source of \"numbers\" sent a value, 2, after its end."
      ])
  }

  @Test func `elements have the virtual time of the task that gives them`() async throws {
    let clock = TestClock()
    let ticks = Recorder(clock.timer(every: .seconds(1)).prefix(2), time: .of(clock))
    await clock.waitForSleepers()
    await clock.advance(by: .seconds(5))
    try await ticks.skip(2)
    try await ticks.finish()
    #expect(ticks.times == [.seconds(1), .seconds(2)])
  }
}

/// Gives 1, ends, and then gives 2.
private struct Haunted: AsyncSequence, Sendable {
  let hasBeenLeft = Signal()

  /// Signals when the recorder's task has released the iterator, after the last element.
  final class GiveUpResult: Sendable {
    private let signal: Signal
    init(_ signal: Signal) { self.signal = signal }
    deinit { signal.send() }
  }

  struct Iterator: AsyncIteratorProtocol {
    let result: GiveUpResult
    var count = 0

    mutating func next() async -> Int? {
      count += 1
      return count == 2 ? nil : Swift.min(count, 2)
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(result: GiveUpResult(hasBeenLeft)) }
}
