/// A publisher that passes on what it is given: values for those who have subscribed by then.
///
/// Combine's `PassthroughSubject`, with one order for everybody: subscribers get each event in the
/// order in which they subscribed. An event that is sent while another is being delivered, from
/// within a callback or from another thread, is delivered after it, by whoever is delivering;
/// `send` may therefore return before its event was delivered, but on one thread and outside of
/// callbacks never does. After the end nothing is accepted, and who subscribes then gets the end.
///
/// ```swift
/// let subject = EventSubject<Int, Never>()
/// let token = subject.sink { print($0) }
/// subject.send(1)  // prints 1
/// token.cancel()
/// subject.send(2)  // prints nothing
/// ```
///
/// Sending costs O(subscribers). Any thread may send, subscribe and cancel. Values that are sent
/// faster than they are delivered wait without limit: there is no back-pressure.
public final class EventSubject<Output: Sendable, Failure: Error>: PublisherType {
  private let broadcaster = Broadcaster<Output, Failure>()

  /// Makes a subject without subscribers.
  public init() {}

  /// Delivers a value to every subscriber; after the end, does nothing.
  public func send(_ value: Output) { broadcaster.send(value) }

  /// Ends the publisher; after the end, does nothing.
  public func send(completion: PublisherCompletion<Failure>) { broadcaster.send(completion) }

  /// Subscribes two closures.
  public func subscribe(
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> SubscriptionToken {
    broadcaster.subscribe(
      Subscriber(
        subscription: SubscriptionState(isGreeted: false), receiveCompletion: receiveCompletion,
        receiveValue: receiveValue))
  }

  /// How many subscribe at the moment.
  package var subscriberCount: Int { broadcaster.subscriberCount }
}

extension EventSubject where Output == Void {
  /// Tells every subscriber that it happened.
  public func send() { send(()) }
}
