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
  private let broadcaster = Broadcaster<Output, Failure>()
  private let state: Locked<CurrentValue>

  /// Makes a subject with a current value.
  public init(_ value: Output) { state = Locked(CurrentValue(value: Box(value))) }

  /// The current value; setting it sends it.
  public var value: Output {
    get {
      let box = state.withLock { $0.previous ?? $0.value }
      return unsafeDowncast(box, to: Box<Output>.self).content
    }
    set { send(newValue) }
  }

  /// Makes a value the current one and delivers it to every subscriber; after the end, does nothing.
  public func send(_ value: Output) { set(value, announcing: false) }

  /// Delivers a value while ``value`` is still the old one, and then makes it the current one.
  ///
  /// If another is sent in the meantime, from within a callback or on another thread, that one is
  /// current at once.
  package func announce(_ value: Output) { set(value, announcing: true) }

  private func set(_ value: Output, announcing: Bool) {
    let box = Box(value)
    // The order in which values become current is the order in which they enter the turnstile.
    let (isIn, released) = state.withLock { state -> (Bool, CurrentValue?) in
      guard !state.isOver else { return (false, nil) }
      let isIn = broadcaster.drain.enter(or: { { [broadcaster] in broadcaster.deliver(value) } }
      )
      let released = state
      state.previous = announcing && isIn ? state.value : nil
      state.value = box
      return (isIn, released)
    }
    withExtendedLifetime(released) {}  // released after unlocking
    guard isIn else { return }
    broadcaster.deliver(value)
    if announcing {
      let previous = state.withLock { $0.previous.take() }
      withExtendedLifetime(previous) {}
    }
    broadcaster.drain.leave()
  }

  /// Ends the publisher; after the end, does nothing.
  public func send(completion: PublisherCompletion<Failure>) {
    let isIn = state.withLock { state in
      guard !state.isOver else { return false }
      state.isOver = true
      return broadcaster.drain.enter(
        or: { { [broadcaster] in broadcaster.deliver(completion) } })
    }
    guard isIn else { return }
    broadcaster.deliver(completion)
    broadcaster.drain.leave()
  }

  /// Subscribes two closures; the second gets the current value before this returns.
  public func subscribe(
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> SubscriptionToken {
    let subscriber = Subscriber(
      subscription: SubscriptionState(isGreeted: true), receiveCompletion: receiveCompletion,
      receiveValue: receiveValue)
    let (isIn, box) = state.withLock { state -> (Bool, (any AnyObject & Sendable)?) in
      let isIn = broadcaster.drain.enter(
        or: { { [broadcaster] in broadcaster.join(subscriber) } })
      return (isIn, state.isOver ? nil : state.value)
    }
    if isIn { broadcaster.join(subscriber) }
    subscriber.sendInitialValue(with: box.map { unsafeDowncast($0, to: Box<Output>.self).content })
    if isIn { broadcaster.drain.leave() }
    return broadcaster.token(subscriber.subscription)
  }

  /// How many subscribe at the moment.
  package var subscriberCount: Int { broadcaster.subscriberCount }
}

/// The value of a subject, in a box, because that has the same size for every type of value.
private struct CurrentValue: Sendable {
  var value: any AnyObject & Sendable
  /// What is shown instead of the value while that is announced.
  var previous: (any AnyObject & Sendable)?
  /// Set when the end was accepted.
  var isOver = false
}

private final class Box<Content: Sendable>: Sendable {
  let content: Content

  init(_ content: Content) { self.content = content }
}

extension StateSubject where Output == Void {
  /// Tells every subscriber that it happened.
  public func send() { send(()) }
}
