import Combine
import SleeplessTesting
import Testing

/// Our publishers as Combine's, and Combine's as ours.
@Suite struct CombineAdapterTests {
  struct Oops: Error, Equatable {}

  let log = Locked<[String]>([])
  var events: [String] { log.withLock { $0 } }

  private func write(_ text: String) { log.withLock { $0.append(text) } }

  // MARK: Ours as Combine's

  @Test func `a publisher of ours goes through Combine's operators`() {
    let subject = EventSubject<Int, Oops>()
    var values: [[Int]] = []
    var completions: [Subscribers.Completion<Oops>] = []
    let token = subject.combine.scan(0, +).collect(2)
      .sink {
        completions.append($0)
      } receiveValue: {
        values.append($0)
      }
    for value in 1...4 { subject.send(value) }
    subject.send(completion: .failure(Oops()))
    #expect(values == [[1, 3], [6, 10]])
    #expect(completions == [.failure(Oops())])
    token.cancel()
  }

  @Test func `P4 cancelling in Combine cancels ours`() {
    let subject = EventSubject<Int, Never>()
    let token = subject.combine.sink { _ in Issue.record("cancelled before") }
    #expect(subject.subscriberCount == 1)
    token.cancel()
    subject.send(1)
    #expect(subject.subscriberCount == 0)
  }

  @Test func `P1 a subscriber that asks for few gets the others when it asks again`() {
    let subject = StateSubject<Int, Never>(0)
    let subscriber = Hesitant()
    subject.combine.receive(subscriber: subscriber)
    subject.send(1)
    subject.send(2)
    subject.send(completion: .finished)
    #expect(subscriber.events == [])
    subscriber.subscription?.request(.max(1))
    #expect(subscriber.events == ["0"])
    subscriber.subscription?.request(.max(2))
    #expect(subscriber.events == ["0", "1", "2", "finished"])
  }

  @Test func `P2 what a Combine subscriber sends back comes after the value in flight`() {
    let subject = EventSubject<Int, Never>()
    var values: [Int] = []
    let token = subject.combine.sink { value in
      if value < 3 { subject.send(value + 1) }
      values.append(value)
    }
    subject.send(1)
    #expect(values == [1, 2, 3])
    token.cancel()
  }

  // MARK: Combine's as ours

  @Test func `a publisher of Combine's goes through our operators`() {
    let subject = PassthroughSubject<Int, Oops>()
    let token = ErasedPublisher(subject).filter { $0 > 1 }.prefix(2).subscribe { completion in
      write(completion == .finished ? "." : "!")
    } receiveValue: {
      write("\($0)")
    }
    for value in 1...4 { subject.send(value) }
    #expect(events == ["2", "3", "."])
    token.cancel()
  }

  @Test func `a failure of Combine's is one of ours`() {
    let token = ErasedPublisher(Fail<Int, Oops>(error: Oops())).subscribe { completion in
      write(completion == .failure(Oops()) ? "!" : ".")
    } receiveValue: { _ in
    }
    #expect(events == ["!"])
    token.cancel()
  }

  @Test func `P4 cancelling ours cancels in Combine`() {
    let subject = CurrentValueSubject<Int, Never>(1)
    let token = ErasedPublisher(subject).sink { write("\($0)") }
    token.cancel()
    subject.send(2)
    #expect(events == ["1"])
  }

  @Test func `P2 what Combine delivers within itself is put in one order`() {
    let subject = PassthroughSubject<Int, Never>()
    let token = ErasedPublisher(subject).sink { value in
      write("begin \(value)")
      if value < 2 { subject.send(value + 1) }
      write("end \(value)")
    }
    subject.send(1)
    #expect(events == ["begin 1", "end 1", "begin 2", "end 2"])
    token.cancel()
  }

  @Test func `P6 what both sides captured is gone after the end`() {
    final class Probe: Sendable {}
    var probe: Probe? = Probe()
    weak let weakProbe = probe
    let combines = PassthroughSubject<Int, Oops>()
    let ours = EventSubject<Int, Oops>()
    let first = ErasedPublisher(combines).sink { [probe] _ in
      _ = probe
    } receiveValue: { _ in
    }
    let second = ours.combine.sink { [probe] _ in
      _ = probe
    } receiveValue: { _ in
    }
    probe = nil
    #expect(weakProbe != nil)
    combines.send(completion: .finished)
    ours.send(completion: .finished)
    #expect(weakProbe == nil)
    withExtendedLifetime((first, second)) {}
  }

  /// Asks for nothing by itself.
  private final class Hesitant: Subscriber {
    var subscription: (any Subscription)?
    var events: [String] = []

    func receive(subscription: any Subscription) { self.subscription = subscription }

    func receive(_ input: Int) -> Subscribers.Demand {
      events.append("\(input)")
      return .none
    }

    func receive(completion: Subscribers.Completion<Never>) { events.append("finished") }
  }
}
