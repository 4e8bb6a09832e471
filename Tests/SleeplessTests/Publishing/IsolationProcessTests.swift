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
}
