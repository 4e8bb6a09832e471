import Sleepless
import Testing
import TestSupport

/// Values and ends that come exactly when an interval ends. At one instant the order is that in which the work was
/// enqueued: what comes then is before or after the work of the operator.
@Suite struct TimeBoundaryTests {
  enum Turn: CaseIterable { case before, after }

  private let time = VirtualScheduler()
  private let subject = EventSubject<Int, Oops>()
  private let log = Log<String>()

  private let interval = Duration.milliseconds(10)

  /// Subscribes and logs each event with its millisecond: `1@10`, `.@20`.
  private func record(_ publisher: ErasedPublisher<Int, Oops>) -> SubscriptionToken {
    let write: @Sendable (String) -> Void = { [log, time] text in
      log.append("\(text)@\(Int(time.now / .milliseconds(1)))")
    }
    return publisher.subscribe {
      write($0 == .finished ? "." : "!")
    } receiveValue: {
      write("\($0)")
    }
  }

  /// Sends an event at the instant for which `work` makes the operator enqueue something. The event is enqueued before
  /// that or after it.
  private func send(
    _ event: @escaping @Sendable (EventSubject<Int, Oops>) -> Void, at milliseconds: Int,
    _ turn: Turn, _ work: () -> Void
  ) {
    let enqueue = { [time, subject] in
      _ = time.schedule(after: .milliseconds(milliseconds) - time.now) { event(subject) }
    }
    if turn == .before { enqueue() }
    work()
    if turn == .after { enqueue() }
    time.advance(by: .milliseconds(100))
  }

  @Test(arguments: zip(Turn.allCases, [["2@20"], ["1@10", "2@20"]]))
  func `debounce drops a value if another comes just before the end of its interval`(
    turn: Turn, expected: [String]
  ) {
    let token = record(subject.debounce(for: interval, scheduler: time))
    send({ $0.send(2) }, at: 10, turn) { subject.send(1) }
    #expect(log.values == expected)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: zip(Turn.allCases, [[".@10"], ["1@10", ".@10"]]))
  func `debounce drops a value if the end comes just before the end of its interval`(
    turn: Turn, expected: [String]
  ) {
    let token = record(subject.debounce(for: interval, scheduler: time))
    send({ $0.send(completion: .finished) }, at: 10, turn) { subject.send(1) }
    #expect(log.values == expected)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: [false, true])
  func `throttle delivers a value at the end of an interval at once if none waits`(latest: Bool) {
    let token = record(subject.throttle(for: interval, scheduler: time, latest: latest))
    send({ $0.send(2) }, at: 10, .after) { subject.send(1) }
    #expect(log.values == ["1@0", "2@10"])
    withExtendedLifetime(token) {}
  }

  @Test(arguments: [
    (Turn.before, true, ["1@0", "3@10"]), (.before, false, ["1@0", "2@10"]),
    (.after, true, ["1@0", "2@10", "3@20"]), (.after, false, ["1@0", "2@10", "3@20"]),
  ])
  func `throttle takes a value at the end of an interval into the interval if one waits`(
    turn: Turn, latest: Bool, expected: [String]
  ) {
    let token = record(subject.throttle(for: interval, scheduler: time, latest: latest))
    subject.send(1)
    time.advance(by: .milliseconds(5))
    send({ $0.send(3) }, at: 10, turn) { subject.send(2) }
    #expect(log.values == expected)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: Turn.allCases)
  func `throttle delivers an end at the end of an interval after the value that waits`(turn: Turn) {
    let token = record(subject.throttle(for: interval, scheduler: time, latest: true))
    subject.send(1)
    time.advance(by: .milliseconds(5))
    send({ $0.send(completion: .failure(.no)) }, at: 10, turn) { subject.send(2) }
    #expect(log.values == ["1@0", "2@10", "!@10"])
    withExtendedLifetime(token) {}
  }

  @Test(arguments: zip(Turn.allCases, [["1@10", "!@20"], ["!@10"]]))
  func `timeout ends the publisher unless a value comes just before the end of the interval`(
    turn: Turn, expected: [String]
  ) {
    let tokens = Log<SubscriptionToken>()
    send({ $0.send(1) }, at: 10, turn) {
      tokens.append(record(subject.timeout(interval, scheduler: time) { .no }))
    }
    #expect(log.values == expected)
    #expect(subject.subscriberCount == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test(arguments: zip(Turn.allCases, [[".@10"], ["!@10"]]))
  func `timeout leaves a publisher alone that ends just before the end of the interval`(
    turn: Turn, expected: [String]
  ) {
    let tokens = Log<SubscriptionToken>()
    send({ $0.send(completion: .finished) }, at: 10, turn) {
      tokens.append(record(subject.timeout(interval, scheduler: time) { .no }))
    }
    #expect(log.values == expected)
    #expect(time.pendingCount == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test func `P4 timeout makes no error if the value that it delivers before cancels`() {
    let scheduler = UserScheduler()
    let tokens = Log<SubscriptionToken>()
    let timed = subject.timeout(.zero, scheduler: scheduler) { [log] in
      log.append("error made")
      return .no
    }
    let token = timed.sink(into: log, as: "") { _ in tokens.values[0].cancel() }
    tokens.append(token)
    subject.send(1)
    scheduler.runBackwards()
    #expect(log.values == ["1"])
  }

  @Test(arguments: [-1, 0, 1])
  func `delay delivers values and the end exactly when the delay has elapsed`(difference: Int) {
    let token = record(subject.delay(for: interval, scheduler: time))
    subject.send(1)
    subject.send(completion: .finished)
    time.advance(by: .milliseconds(10 + difference))
    #expect(log.values == (difference < 0 ? [] : ["1@10", ".@10"]))
    withExtendedLifetime(token) {}
  }
}
