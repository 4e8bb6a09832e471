/// Delivers what a subject sends: the lock around a ``Broadcast``, and the calls, made without it.
final class Broadcaster<Output: Sendable, Failure: Error>: Sendable {
  private struct State {
    var broadcast = Broadcast<Output, Failure>()
    /// Nil for a subject without a current value.
    var value: Output?
    /// What is shown instead of `value` while that is announced.
    var previous: Output?
  }

  private let state: Locked<State>
  private let hasValue: Bool

  /// - Parameter value: The current value of a subject that has one.
  init(value: Output?) {
    hasValue = value != nil
    state = Locked(State(value: value))
  }

  var subscriberCount: Int { state.withLock { $0.broadcast.count } }

  /// The current value; there must be one.
  var value: Output { state.withLock { $0.previous ?? $0.value! } }

  // MARK: Sending

  func send(_ value: Output) {
    guard let recipients = state.withLock({ $0.broadcast.accept(value) }) else { return }
    deliver(value, to: recipients)
    deliverWaiting()
  }

  /// Sends a value and makes it the current one, at once, or for `announcing` after it was
  /// delivered, unless another was sent in the meantime.
  func set(_ value: Output, announcing: Bool) {
    var released: (Output?, Output?)
    let recipients = state.withLock { state -> Broadcast<Output, Failure>.Recipients? in
      guard state.broadcast.completion == nil else { return nil }
      let recipients = state.broadcast.accept(value)
      released = (state.value, state.previous)
      state.previous = announcing && recipients != nil ? state.value : nil
      state.value = value
      return recipients
    }
    withExtendedLifetime(released) {}  // released after unlocking
    guard let recipients else { return }
    deliver(value, to: recipients)
    if announcing {
      let previous = state.withLock { $0.previous.take() }
      withExtendedLifetime(previous) {}
    }
    deliverWaiting()
  }

  func send(_ completion: PublisherCompletion<Failure>) {
    guard let recipients = state.withLock({ $0.broadcast.accept(completion) }) else { return }
    deliver(completion, to: recipients)
    deliverWaiting()
  }

  private func deliverWaiting() {
    while let (recipients, event) = state.withLock({ $0.broadcast.next() }) {
      switch event {
      case .value(let value): deliver(value, to: recipients)
      case .completion(let completion): deliver(completion, to: recipients)
      }
    }
  }

  private func deliver(_ value: Output, to recipients: Broadcast<Output, Failure>.Recipients) {
    for index in 0..<recipients.count { recipients.members[index]?.receive(value) }
  }

  private func deliver(
    _ completion: PublisherCompletion<Failure>, to recipients: Broadcast<Output, Failure>.Recipients
  ) {
    for index in 0..<recipients.count { recipients.members[index]?.receive(completion) }
    let roster = state.withLock { $0.broadcast.disband() }
    withExtendedLifetime(roster) {}  // released after unlocking
  }

  // MARK: Subscribing

  private enum Admission {
    case live(number: UInt64)
    case greeted(number: UInt64, with: Output, mustDeliver: Bool)
    case late(PublisherCompletion<Failure>)
  }

  func subscribe(
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) -> SubscriptionToken {
    let subscriber = Subscriber(
      isGreeted: hasValue, receiveCompletion: receiveCompletion, receiveValue: receiveValue)
    let admission = state.withLock { state -> Admission in
      if let completion = state.broadcast.completion { return .late(completion) }
      let number = state.broadcast.join(subscriber)
      guard let value = state.value else { return .live(number: number) }
      return .greeted(
        number: number, with: value, mustDeliver: state.broadcast.startDelivering())
    }
    switch admission {
    case .late(let completion):
      receiveCompletion(completion)
      return SubscriptionToken()
    case .live(let number):
      return token(number)
    case .greeted(let number, let value, let mustDeliver):
      subscriber.greet(with: value)
      if mustDeliver { deliverWaiting() }
      return token(number)
    }
  }

  private func token(_ number: UInt64) -> SubscriptionToken {
    SubscriptionToken { [weak self] in self?.remove(number) }
  }

  private func remove(_ number: UInt64) {
    let subscriber = state.withLock { $0.broadcast.leave(number) }
    subscriber?.cancel()
  }
}
