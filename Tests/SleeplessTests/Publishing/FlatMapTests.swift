import Sleepless
import Testing
import TestSupport

@Suite struct FlatMapTests {
  let outer = EventSubject<Int, Oops>()
  let inners = (0..<3).map { _ in EventSubject<Int, Oops>() }
  let log = Log<String>()

  /// The inner publisher of each value is the subject of that number.
  private func record(switching: Bool = false) -> SubscriptionToken {
    let publisher =
      switching
      ? outer.map { [inners] in inners[$0] }.switchToLatest()
      : outer.flatMap { [inners] in inners[$0] }
    return publisher.sink(into: log, as: "")
  }

  private var innerCounts: [Int] { inners.map(\.subscriberCount) }

  // MARK: flatMap

  @Test func `flatMap sends the values of all inner publishers as they come`() {
    let token = record()
    for number in 0..<2 { outer.send(number) }
    inners[1].send(10)
    inners[0].send(20)
    outer.send(0)
    inners[0].send(30)
    #expect(log.values == ["10", "20", "30", "30"])
    withExtendedLifetime(token) {}
  }

  @Test func `flatMap finishes when the outer and all inner publishers have finished`() {
    let token = record()
    for number in 0..<2 { outer.send(number) }
    inners[0].send(completion: .finished)
    outer.send(completion: .finished)
    inners[1].send(1)
    #expect(log.values == ["1"])
    inners[1].send(completion: .finished)
    #expect(log.values == ["1", "."])
    withExtendedLifetime(token) {}
  }

  @Test func `flatMap whose inner publishers have all finished finishes with the outer one`() {
    let token = outer.flatMap { ErasedPublisher<Int, Oops>.just($0 * 10) }.sink(into: log, as: "")
    outer.send(1)
    outer.send(2)
    #expect(log.values == ["10", "20"])
    outer.send(completion: .finished)
    #expect(log.values == ["10", "20", "."])
    withExtendedLifetime(token) {}
  }

  @Test(arguments: [false, true])
  func `P3 a failure of an inner or the outer publisher ends all`(isOuter: Bool) {
    let token = record()
    for number in 0..<3 { outer.send(number) }
    (isOuter ? outer : inners[1]).send(completion: .failure(.no))
    inners[0].send(1)
    #expect(log.values == ["!"])
    #expect(innerCounts == [0, 0, 0])
    #expect(outer.subscriberCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `P2 values of inner publishers that send at once come after the value in flight`() {
    let token = outer.flatMap { [outer, log] value in
      if value == 1 { outer.send(2) }
      log.append("made \(value)")
      return ErasedPublisher<Int, Oops>.just(value * 10)
    }.sink(into: log, as: "") { [outer, log] in
      if $0 == 10 { outer.send(3) }
      log.append("end of \($0 ?? 0)")
    }
    outer.send(1)
    #expect(
      log.values == [
        "made 1", "10", "end of 10", "made 2", "20", "end of 20", "made 3", "30", "end of 30",
      ])
    withExtendedLifetime(token) {}
  }

  @Test func `P4 P6 cancelling flatMap cancels the inner subscriptions and releases its closure`() {
    let released = Log<Int>()
    let token = outer.flatMap { [inners, probe = Probe { released.append(1) }] value in
      probe.touch()
      return inners[value]
    }.sink(into: log, as: "")
    for number in 0..<3 { outer.send(number) }
    #expect(innerCounts == [1, 1, 1])
    token.cancel()
    for inner in inners { inner.send(1) }
    #expect(log.values == [])
    #expect(innerCounts == [0, 0, 0])
    #expect(released.values == [1])
  }

  @Test func `P4 no closure of an inner publisher runs after flatMap's closure has cancelled`() {
    let tokens = Log<SubscriptionToken>()
    let state = StateSubject<Int, Oops>(0)
    let flattened = outer.flatMap { [log] _ in
      tokens.values[0].cancel()
      log.append("cancelled")
      return state.map { [log] number in
        log.append("mapped")
        return number
      }
    }
    tokens.append(flattened.sink(into: log, as: ""))
    outer.send(1)
    #expect(log.values == ["cancelled"])
    #expect(state.subscriberCount == 0)
  }

  @Test func `P4 the next publisher is not subscribed to if the end of the one before cancels`() {
    let tokens = Log<SubscriptionToken>()
    let first = Source(inner: inners[0].eraseToAnyPublisher()) { tokens.values[0].cancel() }
    let state = StateSubject<Int, Oops>(0)
    let second = state.map { [log] number in
      log.append("mapped")
      return number
    }
    let latest = outer.map { $0 == 0 ? first.eraseToAnyPublisher() : second }.switchToLatest()
    tokens.append(latest.sink(into: log, as: ""))
    outer.send(0)
    outer.send(1)
    #expect(log.values == [])
    #expect(state.subscriberCount == 0)
  }

  @Test func `P6 flatMap releases the subscription to an inner publisher that has finished`() {
    let released = Log<Int>()
    let token = outer.flatMap { value in
      Source(inner: .just(value)) { released.append(value) }
    }.sink(into: log, as: "")
    for number in 1...3 { outer.send(number) }
    #expect(released.values == [1, 2, 3])
    withExtendedLifetime(token) {}
  }

  /// Calls a closure when its token is cancelled or released, before the subscription ends.
  private struct Source: PublisherType {
    let inner: ErasedPublisher<Int, Oops>
    let onRelease: @Sendable () -> Void

    func subscribe(
      receiveCompletion: @escaping @Sendable (PublisherCompletion<Oops>) -> Void,
      receiveValue: @escaping @Sendable (Int) -> Void
    ) -> SubscriptionToken {
      let token = inner.subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
      return SubscriptionToken { [onRelease] in
        onRelease()
        token.cancel()
      }
    }
  }

  @Test func `either side of flatMap and switchToLatest may be one that cannot fail`() {
    let state = StateSubject<Int, Never>(0)
    let fail: ErasedPublisher<Int, Oops> = .fail(.no)
    let both: ErasedPublisher<Int, Never> = state.flatMap {
      .just($0) as ErasedPublisher<Int, Never>
    }
    let first: ErasedPublisher<Int, Oops> = state.flatMap { _ in fail }
    let second: ErasedPublisher<Int, Oops> = fail.flatMap { _ in state }
    let third: ErasedPublisher<Int, Oops> = state.map { _ in fail }.switchToLatest()
    let fourth: ErasedPublisher<Int, Never> = state.map { _ in state }.switchToLatest()
    let tokens = [
      both.sink(into: log, as: "a"), first.sink(into: log, as: "b"),
      second.sink(into: log, as: "c"),
      third.sink(into: log, as: "d"), fourth.sink(into: log, as: "e"),
    ]
    #expect(log.values == ["a0", "b!", "c!", "d!", "e0"])
    withExtendedLifetime(tokens) {}
  }

  // MARK: switchToLatest

  @Test func `switchToLatest sends the values of the latest publisher only`() {
    let token = record(switching: true)
    outer.send(0)
    inners[0].send(1)
    outer.send(1)
    #expect(innerCounts == [0, 1, 0])
    inners[0].send(2)
    inners[1].send(3)
    outer.send(1)
    inners[1].send(4)
    #expect(log.values == ["1", "3", "4"])
    withExtendedLifetime(token) {}
  }

  @Test func `switchToLatest finishes when the outer and the latest publisher have finished`() {
    let token = record(switching: true)
    outer.send(0)
    inners[0].send(completion: .finished)
    outer.send(1)
    outer.send(completion: .finished)
    inners[1].send(1)
    inners[1].send(completion: .finished)
    #expect(log.values == ["1", "."])
    withExtendedLifetime(token) {}
  }

  @Test func `P3 switchToLatest fails with the latest publisher, and not with one before`() {
    let token = record(switching: true)
    outer.send(0)
    outer.send(1)
    inners[0].send(completion: .failure(.no))
    #expect(log.values == [])
    inners[1].send(completion: .failure(.no))
    outer.send(2)
    #expect(log.values == ["!"])
    #expect(outer.subscriberCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `P4 a value that the publisher before sends during the switch does not follow`() {
    let first = Source(inner: inners[0].eraseToAnyPublisher()) { [inners] in inners[0].send(5) }
    let token = outer.map { [inners] in
      $0 == 0 ? first.eraseToAnyPublisher() : inners[$0].eraseToAnyPublisher()
    }
    .switchToLatest().sink(into: log, as: "")
    outer.send(0)
    inners[0].send(1)
    outer.send(1)
    inners[1].send(6)
    #expect(log.values == ["1", "6"])
    token.cancel()
    #expect(innerCounts == [0, 0, 0])
  }
}
