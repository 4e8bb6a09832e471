import Dispatch
import Foundation
import SleeplessTesting
import Testing
import TestSupport

/// The operators that take a scheduler, on virtual time.
@Suite struct TimeOperatorTests {
  enum Oops: Error { case no, late }

  /// An object for closures to capture, to see when it is released.
  final class Probe: Sendable {
    private let onRelease: @Sendable () -> Void
    init(onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
    deinit { onRelease() }
    func touch() {}
  }

  let scheduler = TestScheduler()
  let subject = EventSubject<Int, Oops>()
  let log = Log<String>()

  /// Subscribes and writes down each event with its millisecond: `1@300`, `.@400`, `no@500`.
  private func record(_ publisher: some PublisherType<Int, Oops>) -> SubscriptionToken {
    let write: @Sendable (String) -> Void = { [log, scheduler] text in
      log.append("\(text)@\(Int(scheduler.now / .milliseconds(1)))")
    }
    return publisher.subscribe { completion in
      switch completion {
      case .finished: write(".")
      case .failure(let error): write("\(error)")
      }
    } receiveValue: {
      write("\($0)")
    }
  }

  private func wait(_ milliseconds: Int) { scheduler.advance(by: .milliseconds(milliseconds)) }

  // MARK: receive(on:)

  @Test func `receive(on:) delivers in the next advance, in order`() {
    let token = record(subject.receive(on: scheduler))
    subject.send(1)
    subject.send(2)
    subject.send(completion: .finished)
    #expect(log.values == [])
    wait(0)
    #expect(log.values == ["1@0", "2@0", ".@0"])
    withExtendedLifetime(token) {}
  }

  @Test func `receive(on:) on an immediate scheduler is synchronous`() {
    let token = record(subject.receive(on: ImmediateScheduler()))
    subject.send(1)
    #expect(log.values == ["1@0"])
    withExtendedLifetime(token) {}
  }

  @Test func `receive(on:) takes its turn among other work of the queue`() {
    let token = record(subject.receive(on: scheduler))
    scheduler.async { [log] in log.append("before") }
    subject.send(1)
    scheduler.async { [log] in log.append("after") }
    wait(0)
    #expect(log.values == ["before", "1@0", "after"])
    withExtendedLifetime(token) {}
  }

  @Test func `P1 receive(on:) keeps the order on a concurrent queue`() async {
    let numbers = EventSubject<Int, Never>()
    var values = numbers.receive(on: DispatchQueue.global()).values.makeAsyncIterator()
    for number in 0..<1_000 { numbers.send(number) }
    numbers.send(completion: .finished)
    var received: [Int] = []
    while let value = await values.next() { received.append(value) }
    #expect(received == Array(0..<1_000))
  }

  @Test func `P4 cancelling removes waiting events from a queue in virtual time`() {
    let token = record(subject.receive(on: scheduler))
    subject.send(1)
    #expect(scheduler.pending.count == 1)
    token.cancel()
    #expect(scheduler.pending.isEmpty)
    wait(0)
    #expect(log.values == [])
  }

  @Test func `a waiting event is listed with its operator and the operator's line`() {
    let line = #line + 1
    let token = record(subject.receive(on: scheduler).delay(for: .seconds(1), scheduler: scheduler))
    subject.send(1)
    #expect(
      scheduler.pending.description.contains("receive(on:)\", TimeOperatorTests.swift:\(line)"))
    wait(0)
    #expect(scheduler.pending.description.contains("delay\", TimeOperatorTests.swift:\(line)"))
    token.cancel()
  }

  @Test func `P1 receive(on:) keeps the order on an operation queue`() async {
    let numbers = EventSubject<Int, Never>()
    var values = numbers.receive(on: OperationQueue()).values.makeAsyncIterator()
    for number in 0..<100 { numbers.send(number) }
    numbers.send(completion: .finished)
    var received: [Int] = []
    while let value = await values.next() { received.append(value) }
    #expect(received == Array(0..<100))
  }

  // MARK: subscribe(on:)

  @Test func `subscribe(on:) subscribes when its turn on the queue comes`() {
    let state = StateSubject<Int, Oops>(1)
    let token = record(state.subscribe(on: scheduler))
    state.send(2)
    #expect(log.values == [])
    #expect(state.subscriberCount == 0)
    wait(0)
    #expect(log.values == ["2@0"])
    withExtendedLifetime(token) {}
  }

  @Test func `P3 subscribe(on:) passes events and the end on at once, in order`() {
    let token = record(subject.subscribe(on: scheduler))
    wait(0)
    subject.send(1)
    #expect(log.values == ["1@0"])
    subject.send(2)
    subject.send(completion: .failure(.no))
    subject.send(3)
    #expect(log.values == ["1@0", "2@0", "no@0"])
    withExtendedLifetime(token) {}
  }

  @Test func `P2 a value sent by a callback comes after those of the subscription`() {
    let state = StateSubject<Int, Never>(1)
    let source: ErasedPublisher<Int, Never> = .just(2)
    let token = state.merge(with: source).subscribe(on: scheduler).sink { [log] value in
      log.append("\(value)")
      if value == 1 { state.send(3) }
      log.append("end of \(value)")
    }
    wait(0)
    #expect(
      log.values == ["1", "end of 1", "2", "end of 2", "3", "end of 3"])
    withExtendedLifetime(token) {}
  }

  @Test func `P4 a cancelled subscription does not take place later`() {
    let token = record(subject.subscribe(on: scheduler))
    #expect(scheduler.pending.description.contains("subscribe(on:)"))
    token.cancel()
    #expect(scheduler.pending.isEmpty)
    wait(0)
    #expect(subject.subscriberCount == 0)
  }

  @Test func `P4 a callback of subscribe(on:) may cancel during the subscription`() {
    let tokens = Log<SubscriptionToken>()
    let state = StateSubject<Int, Oops>(1)
    tokens.append(
      state.subscribe(on: scheduler).sink { _ in
      } receiveValue: { [log] in
        log.append("\($0)")
        tokens.values[0].cancel()
      })
    wait(0)
    state.send(2)
    #expect(log.values == ["1"])
    #expect(state.subscriberCount == 0)
  }

  // MARK: Seconds as numbers

  @Test func `debounce takes seconds as a number`() {
    let token = record(subject.debounce(for: 0.5, scheduler: scheduler))
    subject.send(1)
    wait(499)
    #expect(log.values == [])
    wait(1)
    #expect(log.values == ["1@500"])
    withExtendedLifetime(token) {}
  }

  @Test func `throttle takes seconds as a number`() {
    let token = record(subject.throttle(for: 1, scheduler: scheduler, latest: false))
    for number in 1...3 { subject.send(number) }
    wait(0)
    for number in 4...5 { subject.send(number) }
    wait(2_000)
    #expect(log.values == ["1@0", "4@1000"])
    withExtendedLifetime(token) {}
  }

  @Test func `delay takes seconds as a number or as a fraction of a duration`() {
    let tokens = [
      record(subject.delay(for: 0.1, scheduler: scheduler)),
      record(subject.delay(for: .seconds(0.2), scheduler: scheduler)),
      record(subject.delay(for: .zero, scheduler: scheduler)),
    ]
    subject.send(1)
    wait(1_000)
    #expect(log.values == ["1@0", "1@100", "1@200"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `timeout takes seconds as a number`() {
    let token = record(subject.timeout(1.5, scheduler: scheduler, customError: { .late }))
    wait(1_499)
    #expect(log.values == [])
    wait(1)
    #expect(log.values == ["late@1500"])
    withExtendedLifetime(token) {}
  }

  @Test func `work of an operator with seconds is listed with the operator's line`() {
    let line = #line + 2
    let publishers = (
      subject.debounce(for: 0.5, scheduler: scheduler), subject.delay(for: 1, scheduler: scheduler)
    )
    let tokens = [record(publishers.0), record(publishers.1)]
    subject.send(1)
    let pending = scheduler.pending.description
    #expect(pending.contains("debounce\", TimeOperatorTests.swift:\(line)"))
    #expect(pending.contains("delay\", TimeOperatorTests.swift:\(line)"))
    withExtendedLifetime(tokens) {}
  }

  // MARK: delay

  @Test func `delay shifts every event, the end included`() {
    let token = record(subject.delay(for: .milliseconds(100), scheduler: scheduler))
    subject.send(1)
    wait(50)
    subject.send(2)
    subject.send(completion: .failure(.no))
    wait(200)
    #expect(log.values == ["1@100", "2@150", "no@150"])
    withExtendedLifetime(token) {}
  }

  @Test func `P1 delay keeps the order when a scheduler does not`() {
    let shuffled = TestScheduler(order: .shuffled(seed: 3))
    let token = record(subject.delay(for: .milliseconds(100), scheduler: shuffled))
    for number in 1...8 { subject.send(number) }
    shuffled.advance(by: .milliseconds(100))
    #expect(log.values == (1...8).map { "\($0)@0" })
    withExtendedLifetime(token) {}
  }

  // MARK: debounce

  @Test func `debounce delivers a value that nothing has followed for a while`() {
    let token = record(subject.debounce(for: .milliseconds(300), scheduler: scheduler))
    subject.send(1)
    wait(299)
    subject.send(2)
    wait(299)
    #expect(log.values == [])
    wait(1)
    subject.send(3)
    wait(300)
    #expect(log.values == ["2@599", "3@899"])
    withExtendedLifetime(token) {}
  }

  @Test func `debounce drops a value that waits when the end comes`() {
    let token = record(subject.debounce(for: .milliseconds(300), scheduler: scheduler))
    subject.send(1)
    wait(100)
    subject.send(completion: .finished)
    wait(0)
    #expect(log.values == [".@100"])
    #expect(scheduler.pending.isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test func `debounce on an immediate scheduler delivers each value at once`() {
    let token = record(subject.debounce(for: .seconds(1), scheduler: ImmediateScheduler()))
    subject.send(1)
    subject.send(2)
    #expect(log.values == ["1@0", "2@0"])
    withExtendedLifetime(token) {}
  }

  // MARK: throttle

  @Test(arguments: [(true, ["1@0", "3@100", "4@250"]), (false, ["1@0", "2@100", "4@250"])])
  func `throttle delivers the first at once, and one per interval`(
    latest: Bool, expected: [String]
  ) {
    let token = record(
      subject.throttle(for: .milliseconds(100), scheduler: scheduler, latest: latest))
    subject.send(1)
    wait(20)
    subject.send(2)
    wait(20)
    subject.send(3)
    wait(210)
    subject.send(4)
    wait(100)
    #expect(log.values == expected)
    #expect(scheduler.pending.isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test func `throttle delivers a value that waits, and the end right after it`() {
    let token = record(
      subject.throttle(for: .milliseconds(100), scheduler: scheduler, latest: true))
    subject.send(1)
    wait(20)
    subject.send(2)
    subject.send(completion: .finished)
    wait(20)
    #expect(log.values == ["1@0"])
    wait(100)
    #expect(log.values == ["1@0", "2@100", ".@100"])
    withExtendedLifetime(token) {}
  }

  @Test func `throttle delivers the end at once when nothing waits`() {
    let token = record(
      subject.throttle(for: .milliseconds(100), scheduler: scheduler, latest: true))
    subject.send(1)
    wait(20)
    subject.send(completion: .failure(.no))
    wait(0)
    #expect(log.values == ["1@0", "no@20"])
    withExtendedLifetime(token) {}
  }

  // MARK: timeout

  @Test func `timeout finishes when no value comes for a while`() {
    let token = record(subject.timeout(.milliseconds(100), scheduler: scheduler))
    wait(99)
    subject.send(1)
    wait(99)
    #expect(log.values == ["1@99"])
    wait(1)
    #expect(log.values == ["1@99", ".@199"])
    #expect(subject.subscriberCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `timeout fails with the error it was given`() {
    let token = record(
      subject.timeout(.milliseconds(100), scheduler: scheduler, customError: { .late }))
    wait(100)
    #expect(log.values == ["late@100"])
    withExtendedLifetime(token) {}
  }

  @Test func `timeout leaves a publisher that ends in time alone`() {
    let token = record(subject.timeout(.milliseconds(100), scheduler: scheduler))
    subject.send(1)
    subject.send(completion: .finished)
    wait(200)
    #expect(log.values == ["1@0", ".@0"])
    withExtendedLifetime(token) {}
  }

  // MARK: All of them

  enum Operator: String, CaseIterable {
    case receive, subscribe, delay, debounce, throttle, timeout

    func apply(
      to publisher: some PublisherType<Int, Oops>, _ scheduler: TestScheduler
    ) -> ErasedPublisher<Int, Oops> {
      let time = Duration.milliseconds(100)
      return switch self {
      case .receive: publisher.receive(on: scheduler)
      case .subscribe: publisher.subscribe(on: scheduler)
      case .delay: publisher.delay(for: time, scheduler: scheduler)
      case .debounce: publisher.debounce(for: time, scheduler: scheduler)
      case .throttle: publisher.throttle(for: time, scheduler: scheduler, latest: true)
      case .timeout: publisher.timeout(time, scheduler: scheduler)
      }
    }
  }

  @Test(arguments: Operator.allCases)
  func `P4 after cancelling nothing is pending and nothing comes`(operator: Operator) {
    let token = record(`operator`.apply(to: subject, scheduler))
    subject.send(1)
    subject.send(2)
    token.cancel()
    #expect(scheduler.pending.isEmpty)
    wait(1_000)
    #expect(log.values == [])
    #expect(subject.subscriberCount == 0)
  }

  @Test(arguments: Operator.allCases)
  func `P6 a sink's captures are released after the end, even if token and scheduler live`(
    operator: Operator
  ) {
    let isReleased = Log<Bool>()
    let publisher = `operator`.apply(to: subject, scheduler)
    let token = publisher.sink { _ in
    } receiveValue: { [probe = Probe { isReleased.append(true) }] _ in
      probe.touch()
    }
    subject.send(1)
    subject.send(completion: .finished)
    wait(1_000)
    #expect(isReleased.values == [true])
    #expect(scheduler.pending.isEmpty)
    withExtendedLifetime((token, publisher)) {}
  }
}
