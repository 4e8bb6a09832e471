/// A publisher that sends each value it is given to its current subscribers.
///
/// The counterpart of Combine's `PassthroughSubject`, with one order of events for all subscribers.
/// Subscribers get each event in the order in which they subscribed. An event that is sent during the
/// delivery of another, from within a callback or on another thread, is delivered after it by the
/// delivering thread. In these cases `send` may return before its event was delivered. On one thread
/// and outside of callbacks it never does. After the end the subject accepts no events, and a new
/// subscriber gets the end.
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
  let broadcaster = Broadcaster<Output, Failure>()

  /// Makes a subject without subscribers.
  ///
  /// ```swift
  /// let subject = EventSubject<Int, Never>()
  /// subject.send(1)
  /// let token = subject.sink { print($0) }  // prints nothing
  /// subject.send(2)  // prints 2
  /// ```
  public init() {}

  /// Delivers a value to every subscriber; after the end, does nothing.
  ///
  /// A value that is sent from within a callback is delivered when the running delivery has ended; that call returns
  /// first.
  ///
  /// ```swift
  /// let subject = EventSubject<Int, Never>()
  /// let token = subject.sink { value in
  ///   print(value)
  ///   if value == 1 { subject.send(2) }
  ///   print("end of \(value)")
  /// }
  /// subject.send(1)  // prints 1, "end of 1", 2, "end of 2"
  /// ```
  public func send(_ value: Output) { broadcaster.send(value) }

  /// Ends the publisher; after the end, does nothing.
  ///
  /// ```swift
  /// let subject = EventSubject<Int, Never>()
  /// let token = subject.sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// subject.send(completion: .finished)  // prints finished
  /// subject.send(1)  // prints nothing
  /// ```
  public func send(completion: PublisherCompletion<Failure>) {
    // `ObjectPublishers` may drop a publisher without subscribers once nothing references it. The optimiser would
    // release this one after reading its broadcaster.
    withExtendedLifetime(self) { broadcaster.send(completion) }
  }

  /// Subscribes two closures.
  ///
  /// ```swift
  /// let subject = EventSubject<Int, Never>()
  /// let token = subject.subscribe(
  ///   receiveCompletion: { print($0) },
  ///   receiveValue: { print($0) })
  /// subject.send(1)  // prints 1
  /// subject.send(completion: .finished)  // prints finished
  /// ```
  public func subscribe(
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> SubscriptionToken {
    // As in `send(completion:)`: the subscriber must not join a publisher that was dropped.
    withExtendedLifetime(self) {
      broadcaster.subscribe(
        Subscriber(
          subscription: SubscriptionState(startsWithInitialValue: false),
          receiveCompletion: receiveCompletion, receiveValue: receiveValue))
    }
  }

  /// The number of subscribers at the moment.
  package var subscriberCount: Int { broadcaster.subscriberCount }
}

extension EventSubject where Output == Void {
  /// Sends an event without a value to every subscriber.
  ///
  /// ```swift
  /// let taps = EventSubject<Void, Never>()
  /// let token = taps.sink { print("tapped") }
  /// taps.send()  // prints tapped
  /// ```
  public func send() { send(()) }
}
