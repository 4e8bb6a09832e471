/// Delivers what a subject sends, to everybody in one order.
///
/// Whoever sends while nothing is being delivered becomes the one who delivers. Whoever sends,
/// subscribes or cancels meanwhile, from within a callback or on another thread, leaves that to be
/// done in its turn. So there is one order for all, callbacks never run at once, nested sends need
/// no stack, and an event is for exactly those who subscribed before it.
final class Broadcaster<Output: Sendable, Failure: Error>: Sendable {
  private let drain = SerialDrain()
  // Both are only touched by who is in the drain. The members are of type
  // `Subscriber<Output, Failure>`, in an array that is not generic, and are retained by hand, and access
  // is not checked: while events are delivered, nobody joins or leaves. With plain references and checks
  // "send to 1 sink" in Benchmarks/compare takes twice as long, and a quarter longer in debug.
  @exclusivity(unchecked)
  nonisolated(unsafe) private var subscriberList = SubscriberList<Unmanaged<AnyObject>>()
  nonisolated(unsafe) private var ending: Ending<Failure>?

  deinit { for member in subscriberList.members { member.release() } }

  // MARK: Taking turns

  /// Whether the caller is in, is to deliver the value, and then has to call `leave`. If not, the value
  /// will be delivered.
  func enter(orDeliver value: Output) -> Bool {
    drain.enter(or: { { self.deliver(value) } })
  }

  /// The same for the end.
  func enter(orDeliver completion: PublisherCompletion<Failure>) -> Bool {
    drain.enter(or: { { self.deliver(completion) } })
  }

  /// The same for a subscriber, which joins.
  func enter(orJoin subscriber: Subscriber<Output, Failure>) -> Bool {
    drain.enter(or: { { self.join(subscriber) } })
  }

  /// Does what has been left, and leaves.
  func leave() { drain.leave() }

  // MARK: Sending

  func send(_ value: Output) {
    guard enter(orDeliver: value) else { return }
    deliver(value)
    leave()
  }

  func send(_ completion: PublisherCompletion<Failure>) {
    guard enter(orDeliver: completion) else { return }
    deliver(completion)
    leave()
  }

  /// Delivers a value; for who is in the drain.
  func deliver(_ value: Output) {
    for index in 0..<subscriberList.members.count {
      subscriberList.members[index]._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: Subscriber<Output, Failure>.self).receive(value)
      }
    }
  }

  /// Delivers the end; for who is in the drain.
  func deliver(_ completion: PublisherCompletion<Failure>) {
    guard ending == nil else { return }
    ending = Ending(completion)
    let members = subscriberList.members
    for member in members {
      unsafeDowncast(member.takeUnretainedValue(), to: Subscriber<Output, Failure>.self)
        .receive(completion)
    }
    subscriberList = SubscriberList()
    // What they captured may use the subject when it is released.
    for member in members { member.release() }
  }

  // MARK: Subscribing

  func subscribe(_ subscriber: Subscriber<Output, Failure>) -> SubscriptionToken {
    if enter(orJoin: subscriber) {
      join(subscriber)
      leave()
    }
    return token(subscriber.subscription)
  }

  /// Adds a subscriber, or tells it that it comes too late; for who is in the drain.
  func join(_ subscriber: Subscriber<Output, Failure>) {
    if let ending {
      subscriber.receive(ending.completion)
    } else if !subscriber.subscription.isOver {
      subscriber.subscription.number = subscriberList.join(Unmanaged.passRetained(subscriber))
    }
  }

  func token(_ subscription: SubscriptionState) -> SubscriptionToken {
    SubscriptionToken { [weak self] in
      subscription.end()
      self?.remove(subscription)
    }
  }

  private func remove(_ subscription: SubscriptionState) {
    guard drain.enter(or: { { self.removeMember(subscription) } }) else { return }
    removeMember(subscription)
    leave()
  }

  private func removeMember(_ subscription: SubscriptionState) {
    let member = subscriberList.leave(subscription.number)
    // What it captured may use the subject when it is released.
    member?.release()
  }

  /// How many subscribe; for tests, and not while anything is going on.
  var subscriberCount: Int { subscriberList.members.count }
}

/// How a subject ended, in a place of the same size for every type of failure.
private final class Ending<Failure: Error>: Sendable {
  let completion: PublisherCompletion<Failure>

  init(_ completion: PublisherCompletion<Failure>) { self.completion = completion }
}
