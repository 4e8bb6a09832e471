/// Delivers a subject's events to all subscribers in one order.
///
/// If no delivery is under way, a send delivers its own event. During a delivery, from within a callback
/// or on another thread, sends, subscriptions and cancellations are queued. The delivering thread
/// performs them in their order. Therefore all subscribers see one order, callbacks never run at the
/// same time, nested sends do not deepen the stack, and an event goes exactly to the subscribers that
/// joined before it.
final class Broadcaster<Output: Sendable, Failure: Error>: Sendable {
  private let drain = SerialDrain()
  // Only the drain's owner uses the next two properties. The list holds objects of type
  // `Subscriber<Output, Failure>`.
  // They are retained by hand, in an array that is not generic, and exclusive access is not checked:
  // no subscriber joins or leaves during a delivery. With plain references and checks, "send to 1 sink"
  // in Benchmarks/compare takes twice as long in release and a quarter longer in debug.
  @exclusivity(unchecked)
  nonisolated(unsafe) private var subscriberList = SubscriberList<Unmanaged<AnyObject>>()
  nonisolated(unsafe) private var ending: Ending<Failure>?

  deinit { for member in subscriberList.members { member.release() } }

  // MARK: Entering and leaving the drain

  /// Returns true if the caller owns the drain now: it must deliver the value and call `leave`. Otherwise
  /// queues the value; the owner will deliver it.
  func enter(orDeliver value: Output) -> Bool {
    drain.enter(or: { { self.deliver(value) } })
  }

  /// Returns true if the caller owns the drain now: it must deliver the end and call `leave`. Otherwise
  /// queues the end; the owner will deliver it.
  func enter(orDeliver completion: PublisherCompletion<Failure>) -> Bool {
    drain.enter(or: { { self.deliver(completion) } })
  }

  /// Returns true if the caller owns the drain now: it must call `join`, then `leave`. Otherwise queues the
  /// subscriber; the owner will call `join`.
  func enter(orJoin subscriber: Subscriber<Output, Failure>) -> Bool {
    drain.enter(or: { { self.join(subscriber) } })
  }

  /// Performs the queued calls and leaves the drain.
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

  /// Delivers a value. Only the drain's owner may call this.
  func deliver(_ value: Output) {
    for index in 0..<subscriberList.members.count {
      subscriberList.members[index]._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: Subscriber<Output, Failure>.self).receive(value)
      }
    }
  }

  /// Delivers the end. Only the drain's owner may call this.
  func deliver(_ completion: PublisherCompletion<Failure>) {
    guard ending == nil else { return }
    ending = Ending(completion)
    let members = subscriberList.members
    for member in members {
      unsafeDowncast(member.takeUnretainedValue(), to: Subscriber<Output, Failure>.self)
        .receive(completion)
    }
    subscriberList = SubscriberList()
    // Released last, because the `deinit` of a captured object may use the subject.
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

  /// Adds a subscriber, or sends it the end if the subject has ended. Only the drain's owner may call this.
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
    // Released last, because the `deinit` of a captured object may use the subject.
    member?.release()
  }

  /// Whether there is neither a subscriber, nor an end, nor a delivery under way.
  var isUnused: Bool { drain.ifFree { subscriberList.members.isEmpty && ending == nil } ?? false }

  /// The number of subscribers. For tests; not safe during a delivery.
  var subscriberCount: Int { subscriberList.members.count }
}

/// How a subject ended, behind a reference that has the same size for every type of failure. Otherwise the
/// layout of `Broadcaster` would be computed at run time.
private final class Ending<Failure: Error>: Sendable {
  let completion: PublisherCompletion<Failure>

  init(_ completion: PublisherCompletion<Failure>) { self.completion = completion }
}
