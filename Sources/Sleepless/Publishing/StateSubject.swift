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
  private let locked = Locked(Status())
  // Both are only touched while `locked` is. They are raw memory beside it, since an
  // object or a struct with a value of type `Output` would have its type looked up in each call, and that
  // takes half of a `send`: "set state with 1 sink" in Benchmarks/compare.
  nonisolated(unsafe) private let current: UnsafeMutablePointer<Output>
  /// What was current before, while the new value is announced; at other times not initialised.
  nonisolated(unsafe) private let previous: UnsafeMutablePointer<Output>

  /// Makes a subject with a current value.
  public init(_ value: Output) {
    current = .allocate(capacity: 2)
    previous = current + 1
    current.initialize(to: value)
  }

  deinit {
    current.deinitialize(count: 1)
    current.deallocate()
  }

  /// The current value; setting it sends it.
  public var value: Output {
    get {
      let status = locked.lock()
      defer { locked.unlock() }
      return status.pointee.showsPrevious ? previous.pointee : current.pointee
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
    let status = locked.lock()
    guard !status.pointee.isOver else { return locked.unlock() }
    // The order in which values become current is the order in which they enter the drain.
    let isIn = broadcaster.enter(orDeliver: value)
    let replaced = current.move()
    current.initialize(to: value)
    // Only who is in needs the place, so it is free.
    if announcing, isIn { previous.initialize(to: replaced) }
    status.pointee.showsPrevious = announcing && isIn
    locked.unlock()
    withExtendedLifetime(replaced) {}  // released after unlocking
    guard isIn else { return }
    broadcaster.deliver(value)
    if announcing { endAnnouncement() }
    broadcaster.leave()
  }

  private func endAnnouncement() {
    let status = locked.lock()
    status.pointee.showsPrevious = false
    let replaced = previous.move()
    locked.unlock()
    withExtendedLifetime(replaced) {}
  }

  /// Ends the publisher; after the end, does nothing.
  public func send(completion: PublisherCompletion<Failure>) {
    let isIn = locked.withLock { status in
      guard !status.isOver else { return false }
      status.isOver = true
      return broadcaster.enter(orDeliver: completion)
    }
    guard isIn else { return }
    broadcaster.deliver(completion)
    broadcaster.leave()
  }

  /// Subscribes two closures; the second gets the current value before this returns.
  public func subscribe(
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> SubscriptionToken {
    let subscriber = Subscriber(
      subscription: SubscriptionState(isGreeted: true), receiveCompletion: receiveCompletion,
      receiveValue: receiveValue)
    let status = locked.lock()
    let isIn = broadcaster.enter(orJoin: subscriber)
    let value = status.pointee.isOver ? nil : current.pointee
    locked.unlock()
    if isIn { broadcaster.join(subscriber) }
    subscriber.sendInitialValue(with: value)
    if isIn { broadcaster.leave() }
    return broadcaster.token(subscriber.subscription)
  }

  /// How many subscribe at the moment.
  package var subscriberCount: Int { broadcaster.subscriberCount }
}

/// What a subject knows beside its values.
private struct Status {
  /// Set when the end was accepted.
  var isOver = false
  /// Whether the value before the current one is shown instead, because that is being announced.
  var showsPrevious = false
}

extension StateSubject where Output == Void {
  /// Tells every subscriber that it happened.
  public func send() { send(()) }
}
