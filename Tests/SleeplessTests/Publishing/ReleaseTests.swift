import Sleepless
import Testing
import TestSupport

/// P6: nothing is retained after cancellation or completion. `OperatorRuleTests` checks this for each operator.
@Suite struct ReleaseTests {
  enum Ending: CaseIterable {
    case cancelled, released, finished, failed
  }

  private final class Flag: Sendable {
    private let isRaised = Locked(false)
    var value: Bool { isRaised.withLock { $0 } }
    func raise() { isRaised.withLock { $0 = true } }
  }

  /// Ends a subscription. Keeps the token in all cases but one.
  private func end(
    _ ending: Ending, _ token: inout SubscriptionToken?, _ subject: EventSubject<Int, Oops>
  ) {
    switch ending {
    case .cancelled: token?.cancel()
    case .released: token = nil
    case .finished: subject.send(completion: .finished)
    case .failed: subject.send(completion: .failure(.no))
    }
  }

  @Test(arguments: Ending.allCases)
  func `P6 a sink's captures are released although subject and token live`(ending: Ending) {
    let isReleased = Flag()
    let subject = EventSubject<Int, Oops>()
    var token: SubscriptionToken? = subject.sink {
      [probe = Probe { isReleased.raise() }] _ in
      probe.touch()
    } receiveValue: {
      [probe = Probe { isReleased.raise() }] _ in
      probe.touch()
    }
    subject.send(1)
    #expect(!isReleased.value)
    end(ending, &token, subject)
    #expect(isReleased.value)
    #expect(subject.subscriberCount == 0)
    withExtendedLifetime((subject, token)) {}
  }

  @Test(arguments: Ending.allCases)
  func `P6 the subject is released although the token lives`(ending: Ending) {
    var subject: EventSubject<Int, Oops>? = EventSubject()
    weak let weakSubject = subject
    var token = subject?.sink { _ in
    } receiveValue: { _ in
    }
    if let subject { end(ending, &token, subject) }
    subject = nil
    #expect(weakSubject == nil)
    withExtendedLifetime(token) {}
  }

  @Test func `P6 a prefix releases its publisher with the last value`() {
    let subject = EventSubject<Int, Oops>()
    let token = subject.prefix(2).sink { _ in
    } receiveValue: { _ in
    }
    subject.send(1)
    #expect(subject.subscriberCount == 1)
    subject.send(2)
    #expect(subject.subscriberCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `P6 a replaced value is released outside of the lock`() {
    // A deadlock if the subject released the value under its lock: the probe uses the subject when
    // it is released.
    let released = Log<Int>()
    let subject = StateSubject<Probe?, Never>(nil)
    func send() {
      subject.send(Probe { released.append(subject.value == nil ? 0 : 1) })
    }
    send()
    send()
    #expect(released.values == [1])
    subject.send(nil)
    #expect(released.values == [1, 0])
  }

  @Test func `P6 sinks are released outside of the lock`() {
    let released = Log<Int>()
    let subject = EventSubject<Int, Oops>()
    func subscribe() -> SubscriptionToken {
      let probe = Probe { [weak subject] in
        subject?.send(7)
        released.append(subject?.subscriberCount ?? -1)
      }
      return subject.sink { _ in
      } receiveValue: { _ in
        probe.touch()
      }
    }
    subscribe().cancel()
    #expect(released.values == [0])
    let token = subscribe()
    subject.send(completion: .finished)
    #expect(released.values == [0, 0])
    withExtendedLifetime(token) {}
  }

  @Test func `P6 a subscriber that is cancelled during a delivery is released after it`() {
    let isReleased = Flag()
    let subject = EventSubject<Int, Oops>()
    let token = Locked<SubscriptionToken?>(nil)
    let first = subject.sink { _ in
    } receiveValue: { _ in
      token.withLock { $0 }?.cancel()
    }
    token.withLock {
      $0 = subject.sink { _ in
      } receiveValue: { [probe = Probe { isReleased.raise() }] _ in
        probe.touch()
      }
    }
    subject.send(1)
    #expect(isReleased.value)
    withExtendedLifetime((first, token)) {}
  }

  @Test func `P6 a published property is released with its object although subscribers live`() {
    final class Model {
      @PublishedState var probe: Probe
      init(_ probe: Probe) { self.probe = probe }
    }
    let isReleased = Flag()
    var model: Model? = Model(Probe { isReleased.raise() })
    weak let weakModel = model
    let token = model?.$probe.sink { _ in }
    #expect(!isReleased.value)
    model = nil
    #expect(weakModel == nil)
    #expect(isReleased.value)
    withExtendedLifetime(token) {}
  }
}
