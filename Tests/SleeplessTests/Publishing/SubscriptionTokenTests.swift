import Sleepless
import Testing
import TestSupport

@Suite struct SubscriptionTokenTests {
  let subject = EventSubject<Int, Oops>()
  let log = Log<String>()
  let tokens = Locked<[String: SubscriptionToken]>([:])

  /// Subscribes and keeps the token under the sink's name.
  private func subscribe(
    _ names: String..., then work: @escaping @Sendable (String, Int?) -> Void
  ) {
    for name in names {
      let token = subject.sink(into: log, as: name) { work(name, $0) }
      tokens.withLock { $0[name] = token }
    }
  }

  private func cancel(_ name: String) { tokens.withLock { $0[name] }?.cancel() }

  @Test func `P4 a callback that cancels its own subscription is the last one`() {
    subscribe("a", "b") { name, _ in if name == "a" { cancel("a") } }
    subject.send(1)
    subject.send(2)
    subject.send(completion: .finished)
    #expect(log.values == ["a1", "b1", "b2", "b."])
  }

  @Test func `P4 a subscriber that another one cancels does not get the value in flight`() {
    subscribe("a", "b", "c") { name, _ in if name == "a" { cancel("b") } }
    subject.send(1)
    subject.send(2)
    #expect(log.values == ["a1", "c1", "a2", "c2"])
  }

  @Test func `P4 a subscriber that another one cancels during the end does not get the end`() {
    subscribe("a", "b", "c") { name, _ in if name == "a" { cancel("b") } }
    subject.send(completion: .finished)
    #expect(log.values == ["a.", "c."])
  }

  @Test func `P4 waiting values do not reach a subscriber that cancels before`() {
    subscribe("a", "b") { name, value in
      guard name == "a", value == 1 else { return }
      subject.send(2)
      cancel("b")
      subject.send(completion: .finished)
    }
    subject.send(1)
    #expect(log.values == ["a1", "a2", "a."])
  }

  @Test func `P4 cancelling twice or after the end does nothing`() {
    subscribe("a", "b") { _, _ in }
    cancel("a")
    cancel("a")
    subject.send(completion: .finished)
    cancel("a")
    cancel("b")
    #expect(log.values == ["b."])
  }

  @Test func `P4 releasing the token cancels`() {
    subscribe("a") { _, _ in }
    tokens.withLock { $0 = [:] }
    subject.send(1)
    #expect(log.values == [])
  }

  @Test func `P4 a token that is not kept cancels at once`() {
    _ = subject.sink(into: log, as: "a")
    subject.send(1)
    #expect(log.values == [])
  }

  @Test func `P4 a token that is released in its own callback cancels`() {
    subscribe("a") { name, _ in tokens.withLock { $0.removeValue(forKey: name) }?.cancel() }
    subject.send(1)
    subject.send(2)
    #expect(log.values == ["a1"])
  }

  @Test func `P4 tokens in a set live as long as the set`() {
    var set: Set<SubscriptionToken> = []
    subject.sink(into: log, as: "a").store(in: &set)
    subject.sink(into: log, as: "b").store(in: &set)
    #expect(set.count == 2)
    subject.send(1)
    set = []
    subject.send(2)
    #expect(log.values == ["a1", "b1"])
    #expect(set.isEmpty)
  }

  @Test func `P4 tokens in an array live as long as the array`() {
    var array: [SubscriptionToken] = []
    subject.sink(into: log, as: "a").store(in: &array)
    subject.send(1)
    array.removeAll()
    subject.send(2)
    #expect(log.values == ["a1"])
  }

  @Test func `scheduled work is cancelled when the collection that stores its token is released`() {
    final class Work: CancellableType {
      let cancels = Log<Int>()
      func cancel() { cancels.append(1) }
    }
    let (inSet, inArray) = (Work(), Work())
    do {
      var set: Set<SubscriptionToken> = []
      var array: [SubscriptionToken] = []
      let erased: any CancellableType = inSet
      erased.store(in: &set)
      inArray.store(in: &array)
      #expect(set.count + array.count == 2)
      #expect(inSet.cancels.values + inArray.cancels.values == [])
    }
    #expect(inSet.cancels.values == [1])
    #expect(inArray.cancels.values == [1])
  }

  @Test func `a token stores itself, through its protocol too`() {
    var set: Set<SubscriptionToken> = []
    let token = subject.sink(into: log, as: "a")
    token.store(in: &set)
    (token as any CancellableType).store(in: &set)
    #expect(set.contains(token))
    subject.send(1)
    set = []
    subject.send(2)
    #expect(log.values == ["a1"])
  }

  @Test func `P4 cancelling during a delivery on another thread starts no callback afterwards`()
    async
  {
    let hasBegun = Event()
    let mayEnd = Gate()
    subscribe("a", "b") { name, _ in
      guard name == "a" else { return }
      hasBegun.happen()
      mayEnd.wait()
    }
    let delivery = Task.detached { [subject] in await onThread { subject.send(1) } }
    await hasBegun.wait()
    cancel("a")  // has started: it runs to its end
    cancel("b")  // has not started: it never does
    mayEnd.open()
    await delivery.value
    #expect(log.values == ["a1"])
  }

  @Test func `a user's token runs its closure once`() {
    let count = Log<Int>()
    do {
      let token = SubscriptionToken { count.append(1) }
      token.cancel()
      token.cancel()
    }
    do { _ = SubscriptionToken { count.append(2) } }
    #expect(count.values == [1, 2])
  }

  @Test func `P6 a cancelled token releases its closure`() {
    let isReleased = Locked(false)
    let token = SubscriptionToken { [probe = Probe { isReleased.withLock { $0 = true } }] in
      probe.touch()
    }
    #expect(!isReleased.withLock { $0 })
    token.cancel()
    #expect(isReleased.withLock { $0 })
    withExtendedLifetime(token) {}
  }
}
