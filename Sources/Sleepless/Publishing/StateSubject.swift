/// A publisher with a current value: a subscriber gets the current value and then each new one.
///
/// The counterpart of Combine's `CurrentValueSubject`, with the order that ``EventSubject`` describes.
/// A new subscriber gets the current value before `subscribe` returns, exactly once, even if it
/// subscribes from within a callback. ``value`` is the latest value that was sent, even while that
/// value waits for its delivery. When no delivery is under way, every subscriber got it last.
///
/// ```swift
/// let subject = StateSubject<Int, Never>(1)
/// let token = subject.sink { print($0) }  // prints 1
/// subject.value = 2  // prints 2
/// ```
///
/// After the end, `send` and setting ``value`` change nothing. A new subscriber then gets the end and
/// no value.
public final class StateSubject<Output: Sendable, Failure: Error>: PublisherType {
  private let broadcaster = Broadcaster<Output, Failure>()
  private let locked = Locked(Status())
  // Both are used only under `locked`. They are raw memory beside it: for an object or a struct with a
  // value of type `Output`, each call would look up the type. That takes half of the time of a `send`:
  // "set state with 1 sink" in Benchmarks/compare.
  nonisolated(unsafe) private let current: UnsafeMutablePointer<Output>
  /// The value before the current one, while `announce` delivers; at other times not initialised.
  nonisolated(unsafe) private let previous: UnsafeMutablePointer<Output>

  /// Makes a subject with a current value.
  ///
  /// ```swift
  /// let volume = StateSubject<Int, Never>(5)
  /// print(volume.value)  // prints 5
  /// let token = volume.sink { print($0) }  // prints 5
  /// ```
  public init(_ value: Output) {
    current = .allocate(capacity: 2)
    previous = current + 1
    current.initialize(to: value)
  }

  deinit {
    current.deinitialize(count: 1)
    current.deallocate()
  }

  /// The current value. Setting it sends the new value.
  public var value: Output {
    get {
      let status = locked.lock()
      defer { locked.unlock() }
      return status.pointee.showsPrevious ? previous.pointee : current.pointee
    }
    set { send(newValue) }
  }

  /// Makes a value the current one and delivers it to every subscriber; after the end, does nothing.
  ///
  /// ```swift
  /// let volume = StateSubject<Int, Never>(5)
  /// volume.send(6)
  /// let token = volume.sink { print($0) }  // prints 6
  /// volume.send(6)  // prints 6 again: an equal value is sent, too
  /// ```
  public func send(_ value: Output) { set(value, announcing: false) }

  /// Delivers a value while ``value`` is still the old one, and then makes it the current one.
  ///
  /// A value that is sent in the meantime, from within a callback or on another thread, becomes current
  /// at once.
  package func announce(_ value: Output) { set(value, announcing: true) }

  private func set(_ value: Output, announcing: Bool) {
    let status = locked.lock()
    guard !status.pointee.isOver else { return locked.unlock() }
    // Under the lock, so values become current in the order in which they enter the drain.
    let isOwner = broadcaster.enter(orDeliver: value)
    let replaced = current.move()
    current.initialize(to: value)
    // Only the drain's owner initialises `previous`, so it is not initialised here.
    if announcing, isOwner { previous.initialize(to: replaced) }
    status.pointee.showsPrevious = announcing && isOwner
    locked.unlock()
    withExtendedLifetime(replaced) {}  // released after unlocking
    guard isOwner else { return }
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
  ///
  /// ```swift
  /// let volume = StateSubject<Int, Never>(5)
  /// let token = volume.sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// // prints 5
  /// volume.send(completion: .finished)  // prints finished
  /// volume.send(6)
  /// print(volume.value)  // prints 5
  /// ```
  public func send(completion: PublisherCompletion<Failure>) {
    let isOwner = locked.withLock { status in
      guard !status.isOver else { return false }
      status.isOver = true
      return broadcaster.enter(orDeliver: completion)
    }
    guard isOwner else { return }
    broadcaster.deliver(completion)
    broadcaster.leave()
  }

  /// Subscribes two closures; the second gets the current value before this function returns.
  ///
  /// ```swift
  /// let volume = StateSubject<Int, Never>(5)
  /// let token = volume.subscribe(
  ///   receiveCompletion: { print($0) },
  ///   receiveValue: { print($0) })  // prints 5
  /// volume.send(completion: .finished)  // prints finished
  /// ```
  public func subscribe(
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> SubscriptionToken {
    let subscriber = Subscriber(
      subscription: SubscriptionState(startsWithInitialValue: true),
      receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    let status = locked.lock()
    let isOwner = broadcaster.enter(orJoin: subscriber)
    let value = status.pointee.isOver ? nil : current.pointee
    locked.unlock()
    if isOwner { broadcaster.join(subscriber) }
    subscriber.sendInitialValue(value)
    if isOwner { broadcaster.leave() }
    return broadcaster.token(subscriber.subscription)
  }

  /// The number of subscribers at the moment.
  package var subscriberCount: Int { broadcaster.subscriberCount }
}

/// The state of a subject beside its values.
private struct Status {
  /// Whether the subject has accepted the end.
  var isOver = false
  /// Whether ``StateSubject/value`` returns the previous value, because `announce` delivers the current
  /// one.
  var showsPrevious = false
}

extension StateSubject where Output == Void {
  /// Sends an event without a value to every subscriber.
  ///
  /// ```swift
  /// let changes = StateSubject<Void, Never>(())
  /// let token = changes.sink { print("draw") }  // prints draw
  /// changes.send()  // prints draw
  /// ```
  public func send() { send(()) }
}
