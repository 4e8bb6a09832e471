import Sleepless
import Testing
import TestSupport

@Suite struct StateSubjectTests {
  let subject = StateSubject<Int, Oops>(0)
  let log = Log<String>()

  @Test func `P5 a subscriber gets the current value at once, and once`() {
    let token = subject.sink(into: log, as: "a")
    #expect(log.values == ["a0"])
    subject.send(1)
    subject.value = 2
    #expect(log.values == ["a0", "a1", "a2"])
    token.cancel()
  }

  @Test func `P5 a value sent without a subscriber becomes the current value`() {
    subject.send(1)
    subject.send(2)
    #expect(subject.value == 2)
    let token = subject.sink(into: log, as: "a")
    #expect(log.values == ["a2"])
    token.cancel()
  }

  @Test func `P5 a subscription made in a callback gets the value in flight once`() {
    let late = Log<SubscriptionToken>()
    let token = subject.sink(into: log, as: "a") { [subject, log] value in
      guard value == 1 else { return }
      late.append(subject.sink(into: log, as: "late"))
      log.append("subscribed")
    }
    subject.send(1)
    subject.send(2)
    #expect(log.values == ["a0", "a1", "late1", "subscribed", "a2", "late2"])
    withExtendedLifetime(token) {}
  }

  @Test func `P5 a subscription made while values wait gets the latest and none of them again`() {
    let late = Log<SubscriptionToken>()
    let token = subject.sink(into: log, as: "a") { [subject, log] value in
      guard value == 1 else { return }
      subject.send(2)
      subject.send(3)
      late.append(subject.sink(into: log, as: "late"))
      subject.send(4)
    }
    subject.send(1)
    #expect(log.values == ["a0", "a1", "late3", "a2", "a3", "a4", "late4"])
    withExtendedLifetime(token) {}
  }

  @Test func `P5 a value sent from the first value's callback comes after that one`() {
    let first = subject.sink(into: log, as: "a")
    let second = subject.sink(into: log, as: "b") { [subject] value in
      if value == 0 { subject.send(1) }
    }
    #expect(log.values == ["a0", "b0", "a1", "b1"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `P5 after nested sends the value is the last one that all subscribers got`() {
    let tokens = ["a", "b"].map { name in
      subject.sink(into: log, as: name) { [subject] value in
        if let value, name == "b", value < 3, value > 0 { subject.value = value + 1 }
      }
    }
    subject.value = 1
    #expect(log.values == ["a0", "b0", "a1", "b1", "a2", "b2", "a3", "b3"])
    #expect(subject.value == 3)
    withExtendedLifetime(tokens) {}
  }

  @Test func `P5 a value can be read as soon as it was sent, even before its delivery`() {
    let seen = Log<[Int]>()
    let token = subject.sink { _ in
    } receiveValue: { [subject] value in
      if value == 1 { subject.send(2) }
      seen.append([value, subject.value])
    }
    subject.send(1)
    #expect(seen.values == [[0, 0], [1, 2], [2, 2]])
    token.cancel()
  }

  @Test(arguments: [PublisherCompletion<Oops>.finished, .failure(.no)])
  func `P3 a subscriber after the end gets the end and no value`(
    end: PublisherCompletion<Oops>
  ) {
    subject.send(completion: end)
    let token = subject.sink(into: log, as: "a")
    #expect(log.values == [end == .finished ? "a." : "a!"])
    token.cancel()
  }

  @Test func `P3 after the end neither sending nor setting changes the value`() {
    let token = subject.sink(into: log, as: "a")
    subject.send(1)
    subject.send(completion: .finished)
    subject.send(2)
    subject.value = 3
    #expect(subject.value == 1)
    #expect(log.values == ["a0", "a1", "a."])
    token.cancel()
  }

  @Test func `P5 nil can be the current value`() {
    let optional = StateSubject<Int?, Never>(nil)
    var values: [Int?] = []
    let token = optional.sink { values.append($0) }
    optional.value = 1
    optional.value = nil
    #expect(values == [nil, 1, nil])
    token.cancel()
  }

  @Test func `P5 a subscriber that joins during another thread's delivery gets each value once`()
    async
  {
    let hasBegun = Event()
    let mayEnd = Gate()
    let hasInitialValue = Event()
    let mayGoOn = Gate()
    let blocking = subject.sink { _ in
    } receiveValue: { value in
      guard value == 1 else { return }
      hasBegun.happen()
      mayEnd.wait()
    }
    let delivery = Task.detached { [subject] in await onThread { subject.send(1) } }
    await hasBegun.wait()
    // Another thread delivers 1. This one subscribes, and is still receiving its first value when
    // the other delivers the next two.
    let subscription = Task.detached { [subject, log] in
      await onThread {
        subject.sink(into: log, as: "late") { value in
          guard value == 1 else { return }
          hasInitialValue.happen()
          mayGoOn.wait()
        }
      }
    }
    await hasInitialValue.wait()
    subject.send(2)
    subject.send(3)
    subject.send(completion: .finished)
    mayEnd.open()
    await delivery.value
    #expect(log.values == ["late1"])
    mayGoOn.open()
    let token = await subscription.value
    #expect(log.values == ["late1", "late2", "late3", "late."])
    withExtendedLifetime((blocking, token)) {}
  }
}
