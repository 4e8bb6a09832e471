/// One subscriber of a subject: its closures, and the state that says whether they may be called.
final class Subscriber<Output: Sendable, Failure: Error>: Sendable {
  let subscription: SubscriptionState
  private let receiveCompletion: @Sendable (PublisherCompletion<Failure>) -> Void
  private let receiveValue: @Sendable (Output) -> Void

  init(
    subscription: SubscriptionState,
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) {
    self.subscription = subscription
    self.receiveCompletion = receiveCompletion
    self.receiveValue = receiveValue
  }

  func receive(_ value: Output) {
    guard subscription.isLive else { return receiveLater(value) }
    receiveValue(value)
  }

  func receive(_ completion: PublisherCompletion<Failure>) {
    guard subscription.isLive else {
      return subscription.callLater { [subscription, receiveCompletion] in
        subscription.end()
        receiveCompletion(completion)
      }
    }
    subscription.end()
    receiveCompletion(completion)
  }

  /// Sends the initial value, if there is one, and then the events that came in the meantime.
  func sendInitialValue(_ value: Output?) {
    subscription.sendInitialValue {
      if let value { receiveValue(value) }
    }
  }

  /// Sends the value after the initial value, or never if the subscription is over by then.
  private func receiveLater(_ value: Output) {
    guard !subscription.isOver else { return }
    subscription.callLater { [receiveValue] in receiveValue(value) }
  }
}
