import Sleepless
import Testing
import TestSupport

/// The operators that count values: dropFirst, first, collect. For `prefix` see `OperatorTests`.
@Suite struct CountingOperatorTests {
  let subject = EventSubject<Int, Oops>()
  let log = Log<String>()

  private func send(_ values: Int..., end: PublisherCompletion<Oops>? = .finished) {
    for value in values { subject.send(value) }
    if let end { subject.send(completion: end) }
  }

  // MARK: dropFirst

  @Test(arguments: [(0, ["1", "2", "3", "."]), (1, ["2", "3", "."]), (3, ["."]), (4, ["."])])
  func `dropFirst drops the first values and passes on the end`(count: Int, expected: [String]) {
    let token = subject.dropFirst(count).sink(into: log, as: "")
    send(1, 2, 3)
    #expect(log.values == expected)
    withExtendedLifetime(token) {}
  }

  @Test func `dropFirst drops one value unless told otherwise, and passes on a failure`() {
    let token = subject.dropFirst().sink(into: log, as: "")
    send(1, 2, end: .failure(.no))
    #expect(log.values == ["2", "!"])
    withExtendedLifetime(token) {}
  }

  @Test func `P5 dropFirst of a state drops the current value, for each subscriber`() {
    let state = StateSubject<Int, Never>(0)
    let publisher = state.dropFirst()
    let first = publisher.sink(into: log, as: "a")
    state.value = 1
    let second = publisher.sink(into: log, as: "b")
    state.value = 2
    #expect(log.values == ["a1", "a2", "b2"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `P2 dropFirst counts a value that a callback sends`() {
    let first = subject.sink(into: Log(), as: "") { [subject] in if $0 == 1 { subject.send(2) } }
    let token = subject.dropFirst(2).sink(into: log, as: "")
    send(1, 3)
    #expect(log.values == ["3", "."])
    withExtendedLifetime((first, token)) {}
  }

  // MARK: first

  @Test func `first sends one value, finishes and ends the subscription`() {
    let token = subject.first().sink(into: log, as: "") { [subject] in
      if $0 == 1 { subject.send(2) }
    }
    send(1, end: nil)
    #expect(log.values == ["1", "."])
    #expect(subject.subscriberCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: [PublisherCompletion.finished, .failure(Oops.no)])
  func `first of a publisher without values ends as it does`(end: PublisherCompletion<Oops>) {
    let token = subject.first().sink(into: log, as: "")
    send(end: end)
    #expect(log.values == [end == .finished ? "." : "!"])
    withExtendedLifetime(token) {}
  }

  // MARK: collect

  @Test func `collect sends all values when the publisher finishes`() {
    let token = subject.collect().sink(into: log, as: "")
    send(1, 2, 3, end: nil)
    #expect(log.values == [])
    subject.send(completion: .finished)
    #expect(log.values == ["[1, 2, 3]", "."])
    withExtendedLifetime(token) {}
  }

  @Test func `collect of a publisher without values sends an empty array`() {
    let token = subject.collect().sink(into: log, as: "")
    send()
    #expect(log.values == ["[]", "."])
    withExtendedLifetime(token) {}
  }

  @Test(arguments: [
    (1, ["[1]", "[2]", "[3]", "."]), (2, ["[1, 2]", "[3]", "."]), (3, ["[1, 2, 3]", "."]),
    (4, ["[1, 2, 3]", "."]),
  ])
  func `collect of a number sends arrays of that length and then the rest`(
    count: Int, expected: [String]
  ) {
    let token = subject.collect(count).sink(into: log, as: "")
    send(1, 2, 3)
    #expect(log.values == expected)
    withExtendedLifetime(token) {}
  }

  @Test func `P3 collect passes on a failure at once and drops the values`() {
    let tokens = [
      subject.collect().sink(into: log, as: "a"), subject.collect(2).sink(into: log, as: "b"),
    ]
    send(1, 2, 3, end: .failure(.no))
    #expect(log.values == ["b[1, 2]", "a!", "b!"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `P6 collect releases its values when it is cancelled or has ended`() {
    let released = Log<Int>()
    let probes = EventSubject<Probe, Oops>()
    func collect() -> [SubscriptionToken] {
      [probes.collect(), probes.collect(2)].map {
        $0.subscribe(receiveCompletion: { _ in }, receiveValue: { _ in })
      }
    }
    let cancelled = collect()
    probes.send(Probe { released.append(1) })
    #expect(released.values == [])
    for token in cancelled { token.cancel() }
    #expect(released.values == [1])
    let ended = collect()
    probes.send(Probe { released.append(2) })
    probes.send(completion: .finished)
    #expect(released.values == [1, 2])
    #expect(probes.subscriberCount == 0)
    withExtendedLifetime((cancelled, ended)) {}
  }
}
