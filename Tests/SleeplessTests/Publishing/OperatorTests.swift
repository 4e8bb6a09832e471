import Sleepless
import Testing
import TestSupport

/// What the operators that need no time do to values. `OperatorRuleTests` has the rules that all operators keep; the
/// operators with time are tested with a `TestScheduler`.
@Suite struct OperatorTests {
  let subject = EventSubject<Int, Oops>()
  let other = EventSubject<Int, Oops>()
  let log = Log<String>()

  private func record(_ publisher: some PublisherType<some Any, some Error>) -> SubscriptionToken {
    publisher.sink(into: log, as: "")
  }

  private func send(_ values: Int..., end: PublisherCompletion<Oops>? = .finished) {
    for value in values { subject.send(value) }
    if let end { subject.send(completion: end) }
  }

  // MARK: Transforming

  @Test func `map transforms each value, also by key path`() {
    let tokens = [record(subject.map { $0 * 2 }), record(subject.map(\.description.count))]
    send(5, 10)
    #expect(log.values == ["10", "1", "20", "2", ".", "."])
    withExtendedLifetime(tokens) {}
  }

  @Test func `compactMap drops nil`() {
    let token = record(subject.compactMap { $0 > 1 ? "\($0)!" : nil })
    send(1, 2, end: .failure(.no))
    #expect(log.values == ["2!", "!"])
    withExtendedLifetime(token) {}
  }

  @Test func `filter drops values that do not satisfy its condition`() {
    let token = record(subject.filter { $0 % 2 == 0 })
    send(1, 2, 3, 4)
    #expect(log.values == ["2", "4", "."])
    withExtendedLifetime(token) {}
  }

  @Test func `removeDuplicates drops a value that equals the one before`() {
    let token = record(subject.removeDuplicates())
    send(1, 1, 2, 2, 1)
    #expect(log.values == ["1", "2", "1", "."])
    withExtendedLifetime(token) {}
  }

  @Test func `removeDuplicates by a predicate compares with the last value sent`() {
    let token = record(subject.removeDuplicates { abs($0 - $1) < 3 })
    send(1, 3, 5, 7)
    #expect(log.values == ["1", "5", "."])
    withExtendedLifetime(token) {}
  }

  @Test func `each subscriber of removeDuplicates has its own last value`() {
    let publisher = subject.removeDuplicates()
    let first = publisher.sink(into: log, as: "a")
    send(1, end: nil)
    let second = publisher.sink(into: log, as: "b")
    send(1, end: nil)
    #expect(log.values == ["a1", "b1"])
    withExtendedLifetime((first, second)) {}
  }

  // MARK: Prefix

  @Test(arguments: [
    (0, ["."]), (1, ["1", "."]), (2, ["1", "2", "."]), (5, ["1", "2", "3", "."]),
  ])
  func `prefix sends the first values and finishes`(length: Int, expected: [String]) {
    let token = record(subject.prefix(length))
    send(1, 2, 3)
    #expect(log.values == expected)
    withExtendedLifetime(token) {}
  }

  @Test func `prefix sends no more than its length when a callback sends`() {
    let token = subject.prefix(2).sink(into: log, as: "") { [subject] value in
      if let value { subject.send(value + 1) }
    }
    send(1)
    #expect(log.values == ["1", "2", "."])
    withExtendedLifetime(token) {}
  }

  @Test func `prefix of a state ends during the subscription`() {
    let state = StateSubject<Int, Never>(3)
    let token = record(state.prefix(1))
    #expect(log.values == ["3", "."])
    #expect(state.subscriberCount == 0)
    withExtendedLifetime(token) {}
  }

  // MARK: Merge

  @Test func `merge sends the values of both publishers and finishes with the second`() {
    let token = record(subject.merge(with: other))
    subject.send(1)
    other.send(2)
    subject.send(completion: .finished)
    other.send(3)
    other.send(completion: .finished)
    #expect(log.values == ["1", "2", "3", "."])
    withExtendedLifetime(token) {}
  }

  @Test func `merge does not subscribe to the second publisher when the first has failed`() {
    let token = record(ErasedPublisher<Int, Oops>.fail(.no).merge(with: other))
    #expect(log.values == ["!"])
    #expect(other.subscriberCount == 0)
    withExtendedLifetime(token) {}
  }

  // MARK: combineLatest

  @Test func `combineLatest sends pairs once both publishers have a value`() {
    let token = record(subject.combineLatest(other).map { "\($0)-\($1)" })
    subject.send(1)
    subject.send(2)
    other.send(10)
    subject.send(3)
    other.send(20)
    subject.send(completion: .finished)
    other.send(30)
    other.send(completion: .finished)
    #expect(log.values == ["2-10", "3-10", "3-20", "3-30", "."])
    withExtendedLifetime(token) {}
  }

  @Test func `combineLatest of three sends triples`() {
    let third = StateSubject<String, Oops>("x")
    let token = record(subject.combineLatest(other, third).map { "\($0)\($1)\($2)" })
    subject.send(1)
    other.send(2)
    third.send("y")
    #expect(log.values == ["12x", "12y"])
    withExtendedLifetime(token) {}
  }

  @Test func `combineLatest finishes when one publisher has finished without a value`() {
    let token = record(subject.combineLatest(other).map { $0 + $1 })
    subject.send(1)
    other.send(completion: .finished)
    #expect(log.values == ["."])
    #expect(subject.subscriberCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `P2 a state combined with itself is consistent after a nested change`() {
    let state = StateSubject<Int, Never>(0)
    let token = state.combineLatest(state.map { $0 * 10 }).map { "\($0)/\($1)" }
      .sink(into: log, as: "")
    state.send(1)
    #expect(log.values == ["0/0", "1/0", "1/10"])
    withExtendedLifetime(token) {}
  }

  @Test func `combineLatest with a closure sends its result for the latest values`() {
    let third = StateSubject<String, Oops>("x")
    let tokens = [
      record(subject.combineLatest(other) { "\($0)-\($1)" }),
      record(subject.combineLatest(other, third) { "\($0)-\($1)-\($2)" }),
    ]
    subject.send(1)
    other.send(2)
    third.send("y")
    subject.send(completion: .failure(.no))
    #expect(log.values == ["1-2", "1-2-x", "1-2-y", "!", "!"])
    #expect(other.subscriberCount + third.subscriberCount == 0)
    withExtendedLifetime(tokens) {}
  }

  // MARK: Catch

  @Test func `catch continues with another publisher`() {
    let token = record(
      subject.catch { error in ErasedPublisher<Int, Never>.just(error == .no ? 404 : 0) })
    send(1, end: .failure(.no))
    #expect(log.values == ["1", "404", "."])
    withExtendedLifetime(token) {}
  }

  @Test func `a failure of the replacement ends the publisher`() {
    let token = record(subject.catch { [other] _ in other })
    send(1, end: .failure(.no))
    other.send(2)
    other.send(completion: .failure(.never))
    #expect(log.values == ["1", "2", "!"])
    withExtendedLifetime(token) {}
  }

  @Test func `replaceError sends a value in place of the failure and finishes`() {
    let token = record(subject.replaceError(with: 404))
    send(1, end: .failure(.no))
    #expect(log.values == ["1", "404", "."])
    withExtendedLifetime(token) {}
  }

  @Test func `P4 a subscriber that cancels at the value of replaceError does not get the end`() {
    let token = Locked<SubscriptionToken?>(nil)
    let new = subject.replaceError(with: 404).sink(into: log, as: "") { _ in
      token.withLock { $0 }?.cancel()
    }
    token.withLock { $0 = new }
    subject.send(completion: .failure(.no))
    #expect(log.values == ["404"])
  }

  @Test func `mapError changes the error and no other event`() {
    let mapped = subject.mapError(Wrapped.init)
    let token = mapped.sink { [log] in
      log.append("\($0 == .failure(Wrapped(cause: .no)))")
    } receiveValue: { [log] in
      log.append("\($0)")
    }
    let finished = record(other.mapError(Wrapped.init))
    send(1, end: .failure(.no))
    other.send(2)
    other.send(completion: .finished)
    #expect(log.values == ["1", "true", "2", "."])
    withExtendedLifetime((token, finished)) {}
  }

  // MARK: Sources and erasure

  @Test func `the simplest sources send what their names say`() {
    typealias Source = ErasedPublisher<Int, Oops>
    let tokens = [
      ("just", Source.just(1)), ("empty", .empty), ("fail", .fail(.no)), ("never", .never),
    ]
    .map { $1.sink(into: log, as: $0) }
    #expect(log.values == ["just1", "just.", "empty.", "fail!"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `a leading dot makes a source wherever a publisher is wanted`() {
    let existential: any PublisherType<Int, Oops> = .just(2)
    let answers: @Sendable () -> ErasedPublisher<Int, Oops> = { .fail(.no) }
    let tokens = [
      record(subject.merge(with: .just(1))), record(existential), record(answers()),
      record(answers().catch { _ in .just(3) } as ErasedPublisher<Int, Never>),
    ]
    #expect(log.values == ["1", "2", ".", "!", "3", "."])
    withExtendedLifetime(tokens) {}
  }

  @Test func `setFailureType changes the type of the error and no event`() {
    let state = StateSubject<Int, Never>(1)
    let typed: ErasedPublisher<Int, Oops> = state.setFailureType(to: Oops.self)
    let tokens = [record(typed), record(typed)]
    tokens[0].cancel()
    state.value = 2
    state.send(completion: .finished)
    #expect(log.values == ["1", "1", "2", "."])
    #expect(state.subscriberCount == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test func `erasing an erased publisher returns it unchanged`() {
    let erased = subject.eraseToAnyPublisher().eraseToAnyPublisher()
    let token = record(erased)
    send(1)
    #expect(log.values == ["1", "."])
    withExtendedLifetime(token) {}
  }
}

private struct Wrapped: Error, Equatable {
  let cause: Oops
}
