import Sleepless

/// A publisher that the test controls: it counts subscriptions, and can break the rules on purpose.
///
/// ```swift
/// let answers = TestPublisher<String, Never>()
/// let model = AnswerModel(answers: answers)
/// #expect(answers.subscriptionCount == 1)
/// answers.send("42")
/// ```
///
/// By default it keeps the rules as ``/Sleepless/EventSubject`` does. Allow each contract violation by
/// name. Events of a violation are delivered on the thread that sends. Those after the end go to all
/// subscribers that have not cancelled; with `.eventsAfterCancel` allowed, to the others as well.
/// Subscribers are kept until the publisher is released.
///
/// The first value that is sent after the end and not delivered, or before any subscription, is a warning.
public final class TestPublisher<Output: Sendable, Failure: Error>: PublisherType {
  /// A rule that the publisher may break.
  public enum ContractViolation: Sendable, Hashable, CaseIterable {
    /// Events sent after the end are delivered, values and further ends alike.
    case eventsAfterEnd
    /// Events sent after a subscriber has cancelled are delivered to it.
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
    var hasWarned = false
  }

  private let violations: Set<ContractViolation>
  private let subject = EventSubject<Output, Failure>()
  private let state = Locked(State())
  private let reporter: Reporter

  /// Makes a publisher that keeps all rules but the ones that it may break.
  ///
  /// ```swift
  /// let answers = TestPublisher<Int, Never>(allowing: [.eventsAfterEnd])
  /// var received: [Int] = []
  /// let token = answers.sink { received.append($0) }
  /// answers.send(completion: .finished)
  /// answers.send(1)
  /// #expect(received == [1])  // [] without the allowance, with a warning that 1 is lost
  /// ```
  public init(
    allowing violations: Set<ContractViolation> = [],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    self.violations = violations
    reporter = Reporter(
      at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  // MARK: Sending

  /// Sends a value.
  ///
  /// It is delivered as by ``/Sleepless/EventSubject``: on this thread, before the call returns,
  /// unless another delivery is under way.
  ///
  /// ```swift
  /// let answers = TestPublisher<Int, Never>()
  /// let numbers = Recorder(answers)
  /// answers.send(1)
  /// answers.send(completion: .finished)
  /// numbers.expect(1, then: .finished)
  /// ```
  public func send(
    _ value: Output,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let (hasEnded, subscribers) = state.withLock { ($0.hasEnded, $0.subscribers) }
    if subscribers.isEmpty || hasEnded && !violations.contains(.eventsAfterEnd) {
      let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
      warnOfLost(value, hasEnded: hasEnded, at: site)
    }
    if !hasEnded { subject.send(value) }
    for subscriber in subscribers where mayReceive(subscriber, hasEnded: hasEnded) {
      subscriber.receiveValue(value)
    }
  }

  /// Sends an end.
  ///
  /// Only the first end counts, unless `.eventsAfterEnd` is allowed.
  ///
  /// ```swift
  /// let answers = TestPublisher<Int, Never>()
  /// let numbers = Recorder(answers)
  /// answers.send(1)
  /// answers.send(completion: .finished)
  /// numbers.expect(1, then: .finished)
  /// ```
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

  private func warnOfLost(_ value: Output, hasEnded: Bool, at site: CallSite) {
    let hasWarned = state.withLock { state in
      defer { state.hasWarned = true }
      return state.hasWarned
    }
    guard !hasWarned else { return }
    let (reason, advice) =
      hasEnded && !violations.contains(.eventsAfterEnd)
      ? ("after the end", "Send it before, or make the publisher with allowing: [.eventsAfterEnd].")
      : ("before any subscription", "Let the code under test subscribe first.")
    reporter.warn("The value \(value) was sent \(reason), so nothing gets it.\n\(advice)", at: site)
  }

  /// Whether a subscriber gets an event against the rules.
  private func mayReceive(_ subscriber: Subscriber, hasEnded: Bool) -> Bool {
    (hasEnded || subscriber.isCancelled)
      && (!hasEnded || violations.contains(.eventsAfterEnd))
      && (!subscriber.isCancelled || violations.contains(.eventsAfterCancel))
  }

  // MARK: Subscribing

  /// Subscribes two closures.
  ///
  /// The subscription ends when the token is cancelled or released.
  ///
  /// ```swift
  /// let answers = TestPublisher<Int, Never>()
  /// let received = Recorder<Int, Never>("received")
  /// let token = answers.subscribe(
  ///   receiveCompletion: { _ in }, receiveValue: { received.record($0) })
  /// answers.send(1)
  /// token.cancel()
  /// answers.send(2)
  /// received.expect(1)
  /// ```
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
        // After the end, releasing the token is no cancellation.
        if !state.hasEnded { state.subscribers[index].isCancelled = true }
      }
      token.cancel()
    }
  }

  /// The number of subscriptions so far.
  ///
  /// ```swift
  /// let answers = TestPublisher<Int, Never>()
  /// let (first, second) = (answers.sink { _ in }, answers.sink { _ in })
  /// first.cancel()
  /// #expect(answers.subscriptionCount == 2)  // all of them so far
  /// #expect(answers.cancellationCount == 1)
  /// #expect(answers.subscriberCount == 1)  // the current ones
  /// ```
  public var subscriptionCount: Int { state.withLock { $0.subscribers.count } }

  /// The number of subscriptions that were cancelled before the end.
  ///
  /// ```swift
  /// let answers = TestPublisher<Int, Never>()
  /// let (first, second) = (answers.sink { _ in }, answers.sink { _ in })
  /// first.cancel()
  /// #expect(answers.subscriptionCount == 2)  // all of them so far
  /// #expect(answers.cancellationCount == 1)
  /// #expect(answers.subscriberCount == 1)  // the current ones
  /// ```
  public var cancellationCount: Int {
    state.withLock { $0.subscribers.count { $0.isCancelled } }
  }

  /// The number of subscriptions now.
  ///
  /// ```swift
  /// let answers = TestPublisher<Int, Never>()
  /// let (first, second) = (answers.sink { _ in }, answers.sink { _ in })
  /// first.cancel()
  /// #expect(answers.subscriptionCount == 2)  // all of them so far
  /// #expect(answers.cancellationCount == 1)
  /// #expect(answers.subscriberCount == 1)  // the current ones
  /// ```
  public var subscriberCount: Int {
    state.withLock { state in
      state.hasEnded ? 0 : state.subscribers.count { !$0.isCancelled }
    }
  }
}
