extension PublisherType {
  /// Delivers values no more often than once in an interval.
  ///
  /// The first is delivered by the scheduler at once. Of those that come before the interval is
  /// over, the latest or the first is delivered when it is. The end follows at once; if a value is
  /// waiting, right after that.
  public func throttle(
    for interval: Duration, scheduler: any SchedulerType, latest: Bool,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return ErasedPublisher { receiveCompletion, receiveValue in
      let state = Locked(Throttle<Output, Failure>(interval: interval, takesLatest: latest))
      let subscription = OperatorSubscription<Void, Output, Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, _ in
        let now = scheduler.now
        let (value, completion) = state.withLock { $0.takeTurn(at: now) }
        if let value { subscription.send(value) }
        if let completion { subscription.send(completion) }
      }
      subscription.observe(self) { event in
        let now = scheduler.now
        let (old, delay) = state.withLock { ($0, $0.receive(event, at: now)) }
        withExtendedLifetime(old) {}  // released after unlocking
        switch delay {
        case nil: break
        case .zero?: subscription.enqueue((), on: scheduler, label: "throttle", at: site)
        case let delay?:
          subscription.schedule({ _ in }, after: delay, on: scheduler, label: "throttle", at: site)
        }
      }
      return subscription.token
    }
  }
}

/// What waits, and when the next turn may be.
private struct Throttle<Output: Sendable, Failure: Error>: Sendable {
  let interval: Duration
  let takesLatest: Bool
  private var value: Output?
  private var completion: PublisherCompletion<Failure>?
  private var hasTurn = false
  private var earliest: Duration?

  init(interval: Duration, takesLatest: Bool) {
    self.interval = interval
    self.takesLatest = takesLatest
  }

  /// Takes an event and returns how long to wait for a turn; nil if one is coming anyway.
  mutating func receive(
    _ event: PublisherEvent<Output, Failure>, at now: Duration
  ) -> Duration? {
    switch event {
    case .value(let value):
      if self.value == nil || takesLatest { self.value = value }
    case .completion(let completion): self.completion = completion
    }
    guard !hasTurn else { return nil }
    hasTurn = true
    guard value != nil, let earliest else { return .zero }
    return max(.zero, earliest - now)
  }

  mutating func takeTurn(at now: Duration) -> (Output?, PublisherCompletion<Failure>?) {
    hasTurn = false
    if value != nil { earliest = now.saturatingAdding(interval) }
    return (value.take(), completion.take())
  }
}
