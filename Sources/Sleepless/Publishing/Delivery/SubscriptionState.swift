/// Says whether one subscriber's closures may be called.
///
/// The subscriber's token holds the ticket and not the closures, which must not outlive the
/// subscription. Not generic, like everything that is needed for each event, because the metadata of
/// generic types, looked up again and again, would cost more than all the rest.
final class SubscriptionState: Sendable {
  /// - `greeted`: a call is under way that gives the subscriber its first value; what comes
  ///   meanwhile has to wait in the backlog.
  /// - `over`: it was cancelled, or has got its completion.
  private enum Phase {
    static let live: UInt = 0
    static let greeted: UInt = 1
    static let over: UInt = 2
  }

  /// Not behind a lock, with which "send to 10 sinks" in Benchmarks/compare takes twice as long.
  private let phase: SharedNumber
  /// Calls that wait for the greeting to end; nil where nobody is greeted.
  private let backlog: Locked<Fifo<@Sendable () -> Void>>?
  /// The place in the list of subscribers, or zero. Only the thread that is in the subject's drain uses it.
  nonisolated(unsafe) var number: UInt64 = 0

  init(isGreeted: Bool) {
    phase = SharedNumber(isGreeted ? Phase.greeted : Phase.live)
    backlog = isGreeted ? Locked(Fifo()) : nil
  }

  /// Whether a call may be made now.
  var isLive: Bool { phase.value == Phase.live }

  /// Whether no call will ever be made again.
  var isOver: Bool { phase.value == Phase.over }

  /// Allows no more calls.
  func end() {
    guard let backlog else { return phase.set(Phase.over) }
    // Under the lock, so that a greeting that is just ending does not bring it back to life.
    let unread = backlog.withLock { backlog in
      phase.set(Phase.over)
      let unread = backlog
      backlog = Fifo()
      return unread
    }
    withExtendedLifetime(unread) {}  // released after unlocking
  }

  /// Makes a call that cannot be made now, if it still may be made: after the greeting.
  func callLater(_ call: @escaping @Sendable () -> Void) {
    let isLate = backlog?.withLock { backlog in
      guard phase.value == Phase.greeted else { return true }
      backlog.append(call)
      return false
    }
    if isLate == true, isLive { call() }
  }

  /// Makes the first call, and then those that were to be made meanwhile.
  func sendInitialValue(_ call: () -> Void) {
    guard !isOver else { return }
    call()
    while let call = nextCall() { call() }
  }

  private func nextCall() -> (@Sendable () -> Void)? {
    backlog?.withLock { backlog in
      let call = backlog.popFirst()
      if call == nil, phase.value == Phase.greeted { phase.set(Phase.live) }
      return call
    }
  }
}
