/// One subscription as its subject sees it: the closures, and whether they may be called.
final class Subscriber<Output: Sendable, Failure: Error>: Sendable {
  private let phase: SharedByte
  private let receiveCompletion: @Sendable (PublisherCompletion<Failure>) -> Void
  private let receiveValue: @Sendable (Output) -> Void
  /// Nil where nobody is greeted.
  private let backlog: Locked<Fifo<PublisherEvent<Output, Failure>>>?

  init(
    isGreeted: Bool,
    receiveCompletion: @escaping @Sendable (PublisherCompletion<Failure>) -> Void,
    receiveValue: @escaping @Sendable (Output) -> Void
  ) {
    phase = SharedByte(isGreeted ? Phase.greeted : Phase.live)
    backlog = isGreeted ? Locked(Fifo()) : nil
    self.receiveCompletion = receiveCompletion
    self.receiveValue = receiveValue
  }

  func cancel() {
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

  func receive(_ value: Output) {
    let phase = phase.value
    guard phase == Phase.live else {
      if phase == Phase.greeted { receiveLater(.value(value)) }
      return
    }
    receiveValue(value)
  }

  func receive(_ completion: PublisherCompletion<Failure>) {
    let phase = phase.value
    guard phase == Phase.live else {
      if phase == Phase.greeted { receiveLater(.completion(completion)) }
      return
    }
    self.phase.set(Phase.over)
    receiveCompletion(completion)
  }

  /// Gives the subscriber its first value, and then whatever other threads left for it meanwhile.
  func greet(with value: Output) {
    guard let backlog else { return }
    receiveValue(value)
    while true {
      let event = backlog.withLock { backlog -> PublisherEvent<Output, Failure>? in
        let event = backlog.popFirst()
        if event == nil, phase.value == Phase.greeted { phase.set(Phase.live) }
        return event
      }
      guard let event, phase.value == Phase.greeted else { return }
      switch event {
      case .value(let value): receiveValue(value)
      case .completion(let completion):
        phase.set(Phase.over)
        receiveCompletion(completion)
      }
    }
  }

  private func receiveLater(_ event: PublisherEvent<Output, Failure>) {
    let isLate = backlog?.withLock { backlog in
      guard phase.value == Phase.greeted else { return true }
      backlog.append(event)
      return false
    }
    guard isLate == true else { return }
    switch event {
    case .value(let value): receive(value)
    case .completion(let completion): receive(completion)
    }
  }
}

/// - `greeted`: a call is under way that gives the subscriber its first value; what comes meanwhile
///   has to wait in the backlog.
/// - `over`: it was cancelled, or has got its completion.
private enum Phase {
  static let live: UInt8 = 0
  static let greeted: UInt8 = 1
  static let over: UInt8 = 2
}
