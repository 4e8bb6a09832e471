import Sleepless
import Testing
import TestSupport

/// Sinks that belong to an actor, each in its own process, because a call from elsewhere stops the
/// process.
@Suite(.oneProcess, .timeLimit(.minutes(10))) struct IsolationProcessTests {
  @MainActor private final class Model {
    private(set) var value = 0
    private var tokens: Set<SubscriptionToken> = []

    init(_ subject: EventSubject<Int, Never>) {
      subject.sink { [weak self] in self?.value = $0 }.store(in: &tokens)
    }
  }

  private actor Counter {
    private(set) var value = 0
    private var token: SubscriptionToken?

    func observe(_ subject: EventSubject<Int, Never>) {
      token = subject.sink { self.value += $0 }
    }

    func send(_ value: Int, to subject: EventSubject<Int, Never>) { subject.send(value) }
  }

  @Test func `a sink of the main actor runs on the main actor`() async {
    let subject = EventSubject<Int, Never>()
    let model = await Model(subject)
    await MainActor.run { subject.send(1) }
    #expect(await model.value == 1)
  }

  @Test func `a sink of an actor runs on that actor`() async {
    let subject = EventSubject<Int, Never>()
    let counter = Counter()
    await counter.observe(subject)
    await counter.send(2, to: subject)
    #expect(await counter.value == 2)
  }

  @Test func `a sink of the main actor that is called elsewhere stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let subject = EventSubject<Int, Never>()
      let model = await Model(subject)
      await onThread { subject.send(1) }
      _ = model
    }
  }

  @Test func `a sink of an actor that is called elsewhere stops the program`() async {
    await #expect(processExitsWith: .failure) {
      let subject = EventSubject<Int, Never>()
      let counter = Counter()
      await counter.observe(subject)
      subject.send(1)
      _ = counter
    }
  }

  @MainActor private final class Loader {
    private(set) var events: [String] = []

    func load(_ subject: EventSubject<Int, Never>) -> ErasedPublisher<Int, Never> {
      subject.handleEvents(
        receiveSubscription: { [weak self] _ in self?.events.append("loading") },
        receiveOutput: { [weak self] in self?.events.append("got \($0)") },
        receiveCancel: { [weak self] in self?.events.append("cancelled") })
    }
  }

  @Test func `closures of handleEvents may use a class of the main actor`() async {
    let subject = EventSubject<Int, Never>()
    let loader = Loader()
    await MainActor.run {
      let token = loader.load(subject).sink { _ in }
      subject.send(1)
      token.cancel()
    }
    #expect(await loader.events == ["loading", "got 1", "cancelled"])
  }

  @Test func `handleEvents checks the actor of the closures that it was given, and of no others`()
    async
  {
    let subject = EventSubject<Int, Never>()
    let log = Log<Int>()
    let publisher = await MainActor.run { subject.handleEvents(receiveOutput: { log.append($0) }) }
    await onThread {
      let token = publisher.subscribe(receiveCompletion: { _ in }, receiveValue: { _ in })
      token.cancel()
      let other = publisher.subscribe(receiveCompletion: { _ in }, receiveValue: { _ in })
      subject.send(completion: .finished)
      withExtendedLifetime(other) {}
    }
    #expect(log.values == [])
  }

  @Test(arguments: ["subscription", "output", "cancel"])
  func `a closure of handleEvents that is called elsewhere stops the program`(
    place: String
  ) async {
    await #expect(processExitsWith: .failure) { [place] in
      let subject = EventSubject<Int, Never>()
      let loader = Loader()
      let publisher = await loader.load(subject)
      let subscribe: @Sendable () -> SubscriptionToken = {
        publisher.subscribe(receiveCompletion: { _ in }, receiveValue: { _ in })
      }
      if place == "subscription" { _ = await onThread { subscribe() } }
      let token = await MainActor.run { subscribe() }
      if place == "output" { await onThread { subject.send(1) } }
      if place == "cancel" { await onThread { token.cancel() } }
      await MainActor.run { token.cancel() }
      _ = loader
    }
  }
}
