/// Says whether one subscriber's closures may be called.
///
/// The subscriber's token retains this object and not the closures, which must not outlive the
/// subscription. It is not generic, like all code that runs for each event: looking up the metadata of
/// generic types would cost more than everything else.
final class SubscriptionState: Sendable {
  /// - `live`: calls are made at once.
  /// - `initial`: the call with the initial value has not returned yet; later calls wait in the backlog.
  /// - `over`: the subscription was cancelled, or the subscriber has got its completion.
  private enum Phase {
    static let live: UInt = 0
    static let initial: UInt = 1
    static let over: UInt = 2
  }

  /// An atomic: with a lock, "send to 10 sinks" in Benchmarks/compare takes twice as long.
  private let phase: SharedNumber
  /// Calls that wait until the initial value was sent; nil for a subject without initial values.
  private let backlog: Locked<Fifo<@Sendable () -> Void>>?
  /// The number in the list of subscribers, or zero. Only the owner of the subject's drain uses it.
  nonisolated(unsafe) var number: UInt64 = 0

  init(startsWithInitialValue: Bool) {
    phase = SharedNumber(startsWithInitialValue ? Phase.initial : Phase.live)
    backlog = startsWithInitialValue ? Locked(Fifo()) : nil
  }

  /// Whether a call may be made now.
  var isLive: Bool { phase.value == Phase.live }

  /// Whether no call will ever be made again.
  var isOver: Bool { phase.value == Phase.over }

  /// Allows no more calls.
  func end() {
    guard let backlog else { return phase.set(Phase.over) }
    // Under the lock, so that `nextCall` on another thread does not set the phase back to `live`.
    let unread = backlog.withLock { backlog in
      phase.set(Phase.over)
      let unread = backlog
      backlog = Fifo()
      return unread
    }
    withExtendedLifetime(unread) {}  // released after unlocking
  }

  /// Makes a token that ends this subscription and the one of an operator to its publisher.
  func token(ending upstream: SubscriptionToken) -> SubscriptionToken {
    SubscriptionToken {
      self.end()
      upstream.cancel()
    }
  }

  /// Makes a call after the initial value was sent, unless the subscription is over by then. Only for a subscription
  /// that starts with an initial value.
  func callLater(_ call: @escaping @Sendable () -> Void) {
    let isInitialValueSent = backlog?.withLock { backlog in
      guard phase.value == Phase.initial else { return true }
      backlog.append(call)
      return false
    }
    if isInitialValueSent == true, isLive { call() }
  }

  /// Makes the call with the initial value, and then the calls that came in the meantime.
  func sendInitialValue(_ call: () -> Void) {
    guard !isOver else { return }
    call()
    while let call = nextCall() { call() }
  }

  private func nextCall() -> (@Sendable () -> Void)? {
    backlog?.withLock { backlog in
      let call = backlog.popFirst()
      if call == nil, phase.value == Phase.initial { phase.set(Phase.live) }
      return call
    }
  }
}
