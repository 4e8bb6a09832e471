import Sleepless
import Testing
import TestSupport

@Suite struct ShareTests {
  let subject = EventSubject<Int, Oops>()
  let log = Log<String>()

  /// Logs each subscription and each cancellation of the subject.
  private struct Source: PublisherType {
    let subject: EventSubject<Int, Oops>
    let log: Log<String>

    func subscribe(
      receiveCompletion: @escaping @Sendable (PublisherCompletion<Oops>) -> Void,
      receiveValue: @escaping @Sendable (Int) -> Void
    ) -> SubscriptionToken {
      log.append("subscribed")
      let token = subject.subscribe(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue)
      return SubscriptionToken { [log] in
        token.cancel()
        log.append("cancelled")
      }
    }
  }

  private var shared: ErasedPublisher<Int, Oops> { Source(subject: subject, log: log).share() }

  @Test func `P1 share has one subscription for all, who get each value in the order they came`() {
    let shared = shared
    #expect(log.values == [])
    let tokens = ["a", "b"].map { shared.sink(into: log, as: $0) }
    subject.send(1)
    subject.send(2)
    #expect(log.values == ["subscribed", "a1", "b1", "a2", "b2"])
    withExtendedLifetime(tokens) {}
  }

  @Test
  func
    `share lets the last subscriber that leaves end the subscription, and a new one begin another`()
  {
    let shared = shared
    let first = shared.sink(into: log, as: "a")
    let second = shared.sink(into: log, as: "b")
    first.cancel()
    first.cancel()
    subject.send(1)
    second.cancel()
    subject.send(2)
    let third = shared.sink(into: log, as: "c")
    subject.send(3)
    #expect(log.values == ["subscribed", "b1", "cancelled", "subscribed", "c3"])
    third.cancel()
  }

  @Test func `P3 share sends the end to all, and to those who come later`() {
    let shared = shared
    let tokens = ["a", "b"].map { shared.sink(into: log, as: $0) }
    subject.send(completion: .failure(.no))
    let late = shared.sink(into: log, as: "late")
    late.cancel()
    for token in tokens { token.cancel() }
    let later = shared.sink(into: log, as: "later")
    #expect(log.values == ["subscribed", "a!", "b!", "cancelled", "late!", "later!"])
    withExtendedLifetime(later) {}
  }

  @Test func `share of a publisher that sends at once gives the second subscriber the end only`() {
    let shared = ErasedPublisher<Int, Oops>.just(1).share()
    let tokens = ["a", "b"].map { shared.sink(into: log, as: $0) }
    #expect(log.values == ["a1", "a.", "b."])
    withExtendedLifetime(tokens) {}
  }

  @Test func `share of a state gives its current value to the first subscriber only`() {
    let state = StateSubject<Int, Oops>(0)
    let shared = state.share()
    let tokens = ["a", "b"].map { shared.sink(into: log, as: $0) }
    state.value = 1
    #expect(log.values == ["a0", "a1", "b1"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `P2 a value that a callback sends comes after the value in flight, for all`() {
    let shared = subject.share()
    let first = shared.sink(into: log, as: "a") { [subject] in if $0 == 1 { subject.send(2) } }
    let second = shared.sink(into: log, as: "b")
    subject.send(1)
    #expect(log.values == ["a1", "b1", "a2", "b2"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `P1 a subscriber from within a callback gets the values after the one in flight`() {
    let shared = shared
    let late = Log<SubscriptionToken>()
    let token = shared.sink(into: log, as: "a") { [log] in
      if $0 == 1 { late.append(shared.sink(into: log, as: "late")) }
    }
    subject.send(1)
    subject.send(2)
    #expect(log.values == ["subscribed", "a1", "a2", "late2"])
    withExtendedLifetime(token) {}
  }

  @Test func `P4 the last subscriber may cancel in its callback, and a new one may come there`() {
    let shared = shared
    let tokens = Log<SubscriptionToken>()
    tokens.append(
      shared.sink(into: log, as: "a") { [log] _ in
        tokens.values[0].cancel()
        tokens.append(shared.sink(into: log, as: "b"))
      })
    subject.send(1)
    subject.send(2)
    #expect(log.values == ["subscribed", "a1", "cancelled", "subscribed", "b2"])
  }

  @Test func `P4 a subscriber that ends during the subscription ends it for the publisher, too`() {
    let state = StateSubject<Int, Oops>(0)
    let token = state.share().first().sink(into: log, as: "")
    #expect(log.values == ["0", "."])
    #expect(state.subscriberCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test
  func `P6 share keeps the subscription without the shared publisher, and releases its captures`() {
    let released = Log<String>()
    func share() -> SubscriptionToken {
      subject.map { [probe = Probe { released.append("map") }] value in
        probe.touch()
        return value
      }.share().sink(into: log, as: "") { [probe = Probe { released.append("sink") }] _ in
        probe.touch()
      }
    }
    let token = share()
    subject.send(1)
    #expect(log.values == ["1"])
    #expect(released.values == [])
    token.cancel()
    #expect(Set(released.values) == ["map", "sink"])
    #expect(subject.subscriberCount == 0)
    let second = share()
    subject.send(completion: .finished)
    #expect(released.values.count == 4)
    withExtendedLifetime((token, second)) {}
  }

  @Test func `P6 the publisher is released although the token of a shared subscription lives`() {
    var state: StateSubject<Int, Oops>? = StateSubject(0)
    weak let weakState = state
    let token = state?.share().sink(into: log, as: "")
    state = nil
    #expect(weakState == nil)
    withExtendedLifetime(token) {}
  }

  @Test(.timeLimit(.minutes(10)))
  func `P4 subscribers that come and leave on several threads leave no subscription behind`() async
  {
    for _ in 0..<rounds(100) {
      let subject = EventSubject<Int, Oops>()
      let shared = subject.share()
      await withTaskGroup { group in
        for thread in 0..<3 {
          group.addTask {
            await onThread {
              for number in 0..<20 {
                let values = Log<Int>()
                let token = shared.subscribe(
                  receiveCompletion: { _ in }, receiveValue: { values.append($0) })
                subject.send(thread * 100 + number)
                token.cancel()
              }
            }
          }
        }
      }
      #expect(subject.subscriberCount == 0)
    }
  }
}
