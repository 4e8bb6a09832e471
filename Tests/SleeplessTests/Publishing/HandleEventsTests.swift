import Sleepless
import Testing
import TestSupport

@Suite struct HandleEventsTests {
  let subject = EventSubject<Int, Oops>()
  let log = Log<String>()

  /// All closures of `handleEvents` write to the log; the subscriber writes `sink`.
  private func record(
    _ publisher: some PublisherType<Int, Oops>,
    then work: @escaping @Sendable (Int?) -> Void = { _ in }
  ) -> SubscriptionToken {
    handled(publisher).sink(into: log, as: "sink ", then: work)
  }

  private func handled(
    _ publisher: some PublisherType<Int, Oops>
  ) -> ErasedPublisher<Int, Oops> {
    publisher.handleEvents(
      receiveSubscription: { [log] _ in log.append("subscription") },
      receiveOutput: { [log] in log.append("output \($0)") },
      receiveCompletion: { [log] in log.append($0 == .finished ? "finished" : "failed") },
      receiveCancel: { [log] in log.append("cancel") })
  }

  @Test func `P1 P3 handleEvents calls its closures before the subscriber`() {
    let token = record(subject)
    subject.send(1)
    subject.send(completion: .finished)
    subject.send(2)
    token.cancel()
    #expect(log.values == ["subscription", "output 1", "sink 1", "finished", "sink ."])
  }

  @Test func `P3 handleEvents passes a failure on`() {
    let token = record(subject)
    subject.send(completion: .failure(.no))
    #expect(log.values == ["subscription", "failed", "sink !"])
    withExtendedLifetime(token) {}
  }

  @Test func `handleEvents without closures changes nothing`() {
    let token = subject.handleEvents().sink(into: log, as: "")
    subject.send(1)
    subject.send(completion: .failure(.no))
    #expect(log.values == ["1", "!"])
    withExtendedLifetime(token) {}
  }

  @Test func `each subscriber of handleEvents has calls of its own`() {
    let publisher = handled(subject)
    let tokens = (0..<2).map { publisher.sink(into: log, as: "\($0): ") }
    subject.send(1)
    #expect(
      log.values == ["subscription", "subscription", "output 1", "0: 1", "output 1", "1: 1"])
    withExtendedLifetime(tokens) {}
  }

  @Test(arguments: [false, true])
  func `P4 handleEvents tells of a cancellation once, also of a release`(isRelease: Bool) {
    var token: SubscriptionToken? = record(subject)
    if isRelease { token = nil } else { token?.cancel() }
    subject.send(1)
    token?.cancel()
    #expect(log.values == ["subscription", "cancel"])
    #expect(subject.subscriberCount == 0)
  }

  @Test(.timeLimit(.minutes(10)))
  func `P3 P4 of an end and a cancellation on two threads handleEvents tells one`() async {
    for _ in 0..<rounds(200) {
      let (subject, log) = (EventSubject<Int, Oops>(), Log<String>())
      let token = subject.handleEvents(
        receiveCompletion: { _ in log.append("end") }, receiveCancel: { log.append("cancel") }
      ).subscribe(receiveCompletion: { _ in }, receiveValue: { _ in })
      await withTaskGroup { group in
        group.addTask { await onThread { token.cancel() } }
        group.addTask { await onThread { subject.send(completion: .finished) } }
      }
      #expect(log.values.count == 1)
    }
  }

  @Test func `handleEvents tells of the cancellation by an operator that ends`() {
    let token = handled(subject).first().sink(into: log, as: "sink ")
    subject.send(1)
    #expect(log.values == ["subscription", "output 1", "sink 1", "cancel", "sink ."])
    withExtendedLifetime(token) {}
  }

  @Test func `P2 a value sent in a closure of handleEvents comes after the one in flight`() {
    let token = subject.handleEvents(receiveOutput: { [subject, log] value in
      log.append("output \(value)")
      if value < 3 { subject.send(value + 1) }
    }).sink(into: log, as: "")
    subject.send(1)
    #expect(log.values == ["output 1", "1", "output 2", "2", "output 3", "3"])
    withExtendedLifetime(token) {}
  }

  @Test func `P4 a value during whose closure the subscription is cancelled is not delivered`() {
    let tokens = Log<SubscriptionToken>()
    tokens.append(
      subject.handleEvents(
        receiveOutput: { _ in tokens.values[0].cancel() },
        receiveCancel: { [log] in log.append("cancel") }
      ).sink(into: log, as: ""))
    subject.send(1)
    #expect(log.values == ["cancel"])
  }

  @Test func `P4 receiveSubscription may cancel the subscription before it begins`() {
    let state = StateSubject<Int, Oops>(1)
    let token = state.handleEvents(
      receiveSubscription: { $0.cancel() },
      receiveCancel: { [log] in log.append("cancel") }
    ).sink(into: log, as: "")
    state.send(2)
    #expect(log.values == ["cancel"])
    #expect(state.subscriberCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `P4 P6 the subscription of receiveSubscription cancels later, and not by its release`()
  {
    let subscriptions = Log<any CancellableType>()
    let token = subject.handleEvents(receiveSubscription: { subscriptions.append($0) })
      .sink(into: log, as: "")
    let other = subject.handleEvents(receiveSubscription: { _ in }).sink(into: log, as: "")
    subject.send(1)
    subscriptions.values[0].cancel()
    subject.send(2)
    #expect(log.values == ["1", "1", "2"])
    #expect(subject.subscriberCount == 1)
    withExtendedLifetime((token, other)) {}
  }

  @Test func `P4 a subscriber of handleEvents may cancel in its callback`() {
    let tokens = Log<SubscriptionToken>()
    tokens.append(record(subject) { _ in tokens.values[0].cancel() })
    subject.send(1)
    subject.send(2)
    #expect(log.values == ["subscription", "output 1", "sink 1", "cancel"])
  }

  @Test
  func `P5 handleEvents passes a current value on, and tells that its publisher was released`() {
    var state: StateSubject<Int, Oops>? = StateSubject(5)
    let token = state.map { record($0) }
    #expect(log.values == ["subscription", "output 5", "sink 5"])
    state = nil
    #expect(log.values.dropFirst(3) == ["cancel"])
    withExtendedLifetime(token) {}
  }
}
