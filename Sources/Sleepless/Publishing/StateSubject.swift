/// A publisher with a current value: every subscriber gets that first, and then each new one.
///
/// Combine's `CurrentValueSubject`, with the order that ``EventSubject`` describes. Who subscribes
/// gets the current value before `subscribe` returns, exactly once, even from within a callback.
/// ``value`` is the latest value that was sent, at once, also while it still waits to be delivered;
/// when nothing is being delivered, it is the last one that every subscriber got.
///
/// ```swift
/// let subject = StateSubject<Int, Never>(1)
/// let token = subject.sink { print($0) }  // prints 1
/// subject.value = 2  // prints 2
/// ```
///
/// After the end neither `send` nor setting ``value`` changes anything; who subscribes then gets the
/// end and no value.
public final class StateSubject<Output: Sendable, Failure: Error>: PublisherType {
  private let broadcaster: Broadcaster<Output, Failure>

  /// Makes a subject with a current value.
  public init(_ value: Output) { broadcaster = Broadcaster(value: value) }

  /// The current value; setting it sends it.
  public var value: Output {
    get { broadcaster.value }
    set { broadcaster.set(newValue, announcing: false) }
  }

  /// Makes a value the current one and delivers it to every subscriber; after the end, does nothing.
  public func send(_ value: Output) { broadcaster.set(value, announcing: false) }

  /// Ends the publisher; after the end, does nothing.
  public func send(completion: PublisherCompletion<Failure>) { broadcaster.send(completion) }

  /// Subscribes two closures; the second gets the current value before this returns.
  public func subscribe(
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> SubscriptionToken {
    broadcaster.subscribe(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
  }

  /// Delivers a value while ``value`` is still the old one, and then makes it the current one.
  ///
  /// If another is sent in the meantime, from within a callback or on another thread, that one is
  /// current at once.
  package func announce(_ value: Output) { broadcaster.set(value, announcing: true) }

  /// How many subscribe at the moment.
  package var subscriberCount: Int { broadcaster.subscriberCount }
}

extension StateSubject where Output == Void {
  /// Tells every subscriber that it happened.
  public func send() { send(()) }
}
