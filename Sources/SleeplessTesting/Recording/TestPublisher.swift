import Sleepless

/// A publisher in the test's hands: it can break the rules on purpose, and counts who comes and goes.
///
/// ```swift
/// let answers = TestPublisher<String, Never>()
/// let model = AnswerModel(answers: answers)
/// #expect(answers.subscriptionCount == 1)
/// answers.send("42")
/// ```
///
/// Unless told otherwise it keeps the rules as ``/Sleepless/EventSubject`` does. Each contract violation has to
/// be allowed; then it is done without regard: the events go to all subscribers there ever were, on
/// the thread that sends. Subscribers are kept until the publisher is released.
public final class TestPublisher<Output: Sendable, Failure: Error>: PublisherType {
  /// A rule that a publisher may be told to break.
  public enum ContractViolation: Sendable, Hashable, CaseIterable {
    /// What is sent after the end is delivered, be it a value or another end.
    case eventsAfterEnd
    /// What is sent after a subscriber cancelled is delivered to it.
    case eventsAfterCancel
  }

  private struct Subscriber: Sendable {
    let receiveCompletion: @Sendable (PublisherCompletion<Failure>) -> Void
    let receiveValue: @Sendable (Output) -> Void
    var isCancelled = false
  }

  private struct State {
    var subscribers: [Subscriber] = []
    var hasEnded = false
  }

  private let violations: Set<ContractViolation>
  private let subject = EventSubject<Output, Failure>()
  private let state = Locked(State())

  /// Makes a publisher that keeps all rules but those it may break.
  public init(allowing violations: Set<ContractViolation> = []) { self.violations = violations }

  // MARK: Sending

  /// Sends a value.
  public func send(_ value: Output) {
    let (hasEnded, subscribers) = state.withLock { ($0.hasEnded, $0.subscribers) }
    if !hasEnded { subject.send(value) }
    for subscriber in subscribers where mayReceive(subscriber, hasEnded: hasEnded) {
      subscriber.receiveValue(value)
    }
  }

  /// Sends an end.
  public func send(completion: PublisherCompletion<Failure>) {
    let (hadEnded, subscribers) = state.withLock { state in
      defer { state.hasEnded = true }
      return (state.hasEnded, state.subscribers)
    }
    if !hadEnded { subject.send(completion: completion) }
    for subscriber in subscribers where mayReceive(subscriber, hasEnded: hadEnded) {
      subscriber.receiveCompletion(completion)
    }
  }

  /// Whether a subscriber gets an event against the rules.
  private func mayReceive(_ subscriber: Subscriber, hasEnded: Bool) -> Bool {
    (hasEnded || subscriber.isCancelled)
      && (!hasEnded || violations.contains(.eventsAfterEnd))
      && (!subscriber.isCancelled || violations.contains(.eventsAfterCancel))
  }

  // MARK: Subscribing

  /// Subscribes two closures.
  public func subscribe(
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> SubscriptionToken {
    let index = state.withLock { state in
      state.subscribers.append(
        Subscriber(receiveCompletion: receiveCompletion, receiveValue: receiveValue))
      return state.subscribers.count - 1
    }
    let token = subject.subscribe(
      receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    return SubscriptionToken { [weak self] in
      self?.state.withLock { state in
        // What comes after the end is no cancellation: releasing the token then does nothing.
        if !state.hasEnded { state.subscribers[index].isCancelled = true }
      }
      token.cancel()
    }
  }

  /// How often it was subscribed to.
  public var subscriptionCount: Int { state.withLock { $0.subscribers.count } }

  /// How many of the subscriptions were cancelled before the end.
  public var cancellationCount: Int {
    state.withLock { $0.subscribers.count { $0.isCancelled } }
  }

  /// How many subscriptions there are now.
  public var subscriberCount: Int {
    state.withLock { state in
      state.hasEnded ? 0 : state.subscribers.count { !$0.isCancelled }
    }
  }
}
