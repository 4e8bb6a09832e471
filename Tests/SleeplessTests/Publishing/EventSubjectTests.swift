import Sleepless
import Testing
import TestSupport

@Suite struct EventSubjectTests {
  let subject = EventSubject<Int, Oops>()
  let log = Log<String>()

  // MARK: P1 One order for all, in the order of the subscriptions

  @Test func `P1 each event reaches the subscribers in the order of their subscriptions`() {
    let tokens = ["a", "b", "c", "d"].map { subject.sink(into: log, as: $0) }
    subject.send(1)
    tokens[1].cancel()
    subject.send(2)
    subject.send(completion: .finished)
    #expect(log.values == ["a1", "b1", "c1", "d1", "a2", "c2", "d2", "a.", "c.", "d."])
    withExtendedLifetime(tokens) {}
  }

  @Test func `P1 two hundred subscribers keep their order when every third one cancels`() {
    let tokens = (0..<200).map { subject.sink(into: log, as: "\($0) ") }
    for index in stride(from: 0, to: 200, by: 3) { tokens[index].cancel() }
    subject.send(7)
    #expect(log.values == (0..<200).filter { $0 % 3 != 0 }.map { "\($0) 7" })
    withExtendedLifetime(tokens) {}
  }

  @Test func `P1 a subscriber does not get values sent before its subscription`() {
    subject.send(1)
    let token = subject.sink(into: log, as: "a")
    subject.send(2)
    #expect(log.values == ["a2"])
    withExtendedLifetime(token) {}
  }

  @Test func `P1 a subscription made in a callback gets the next event but not the one in flight`()
  {
    let late = Log<SubscriptionToken>()
    let tokens = ["a", "b"].map { name in
      subject.sink(into: log, as: name) { [subject, log] value in
        guard value == 1, name == "a" else { return }
        late.append(subject.sink(into: log, as: "late"))
      }
    }
    subject.send(1)
    subject.send(2)
    #expect(log.values == ["a1", "b1", "a2", "b2", "late2"])
    withExtendedLifetime((tokens, late)) {}
  }

  @Test func `P1 a subscription made in a callback does not get what was sent before it`() {
    let late = Log<SubscriptionToken>()
    let token = subject.sink(into: log, as: "a") { [subject, log] value in
      guard value == 1 else { return }
      subject.send(2)
      late.append(subject.sink(into: log, as: "late"))
      subject.send(3)
    }
    subject.send(1)
    #expect(log.values == ["a1", "a2", "a3", "late3"])
    withExtendedLifetime((token, late)) {}
  }

  @Test func `P1 two sinks of one publisher each get every value`() {
    let publisher = subject.map { $0 * 10 }
    let tokens = ["a", "b"].map { publisher.sink(into: log, as: $0) }
    subject.send(1)
    #expect(log.values == ["a10", "b10"])
    withExtendedLifetime(tokens) {}
  }

  // MARK: P2 What is sent during a delivery is delivered after it

  @Test func `P2 a value sent from a callback reaches all subscribers after the value in flight`() {
    let tokens = ["a", "b"].map { name in
      subject.sink(into: log, as: name) { [subject] value in
        if let value, value < 100, name == "a" { subject.send(value * 10) }
      }
    }
    subject.send(1)
    subject.send(2)
    #expect(
      log.values == [
        "a1", "b1", "a10", "b10", "a100", "b100", "a2", "b2", "a20", "b20", "a200", "b200",
      ])
    withExtendedLifetime(tokens) {}
  }

  @Test func `P2 ten thousand nested sends need no stack`() async {
    // Ten thousand frames of whatever size do not fit on this one.
    let last = await onThread(stackSize: 64 * 1024) { [subject] in
      let last = Locked(0)
      let token = subject.sink { _ in
      } receiveValue: { value in
        last.withLock { $0 = value }
        if value < 10_000 { subject.send(value + 1) }
      }
      subject.send(1)
      token.cancel()
      return last.withLock { $0 }
    }
    #expect(last == 10_000)
  }

  @Test func `P2 a send returns when its value was delivered, outside of callbacks`() {
    let token = subject.sink(into: log, as: "a")
    subject.send(1)
    #expect(log.values == ["a1"])
    token.cancel()
  }

  // MARK: P3 Nothing after the end, and no subscriber misses the value before it

  @Test func `P3 nothing follows the end`() {
    let token = subject.sink(into: log, as: "a")
    subject.send(1)
    subject.send(completion: .finished)
    subject.send(2)
    subject.send(completion: .finished)
    subject.send(completion: .failure(.no))
    #expect(log.values == ["a1", "a."])
    token.cancel()
  }

  @Test func `P3 an end sent in a callback comes after all subscribers have got the value`() {
    let tokens = ["a", "b", "c"].map { name in
      subject.sink(into: log, as: name) { [subject] value in
        if value == 1, name == "a" { subject.send(completion: .failure(.no)) }
      }
    }
    subject.send(1)
    #expect(log.values == ["a1", "b1", "c1", "a!", "b!", "c!"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `P3 a value sent after an end that still waits is dropped`() {
    let token = subject.sink(into: log, as: "a") { [subject] value in
      guard value == 1 else { return }
      subject.send(2)
      subject.send(completion: .finished)
      subject.send(3)
    }
    subject.send(1)
    #expect(log.values == ["a1", "a2", "a."])
    withExtendedLifetime(token) {}
  }

  @Test func `P3 a value sent during the delivery of the end is dropped`() {
    let tokens = ["a", "b"].map { name in
      subject.sink(into: log, as: name) { [subject] value in
        if value == nil { subject.send(9) }
      }
    }
    subject.send(completion: .finished)
    #expect(log.values == ["a.", "b."])
    withExtendedLifetime(tokens) {}
  }

  @Test(arguments: [PublisherCompletion<Oops>.finished, .failure(.no)])
  func `P3 a subscriber after the end gets the same end`(end: PublisherCompletion<Oops>) {
    subject.send(1)
    subject.send(completion: end)
    let received = Log<PublisherCompletion<Oops>>()
    let token = subject.sink {
      received.append($0)
    } receiveValue: { _ in
      Issue.record("a value after the end")
    }
    #expect(received.values == [end])
    token.cancel()
  }

  @Test func `P3 a subscriber that joins while the end waits gets it once, after the others`() {
    let late = Log<SubscriptionToken>()
    let token = subject.sink(into: log, as: "a") { [subject, log] value in
      guard value == 1 else { return }
      subject.send(completion: .finished)
      late.append(subject.sink(into: log, as: "late"))
    }
    subject.send(1)
    #expect(log.values == ["a1", "a.", "late."])
    withExtendedLifetime(token) {}
  }

  @Test func `P3 a subject that is released sends no end`() {
    var short: EventSubject<Int, Oops>? = EventSubject()
    let token = short?.sink(into: log, as: "a")
    short?.send(1)
    short = nil
    token?.cancel()
    #expect(log.values == ["a1"])
  }

  @Test func `an event without a value is sent by name`() {
    let taps = EventSubject<Void, Never>()
    var count = 0
    let token = taps.sink { count += 1 }
    taps.send()
    #expect(count == 1)
    token.cancel()
  }
}
