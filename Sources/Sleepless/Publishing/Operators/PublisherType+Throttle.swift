extension PublisherType {
  /// Delivers at most one value per interval.
  ///
  /// The scheduler delivers the first value without a delay. During the interval after a delivery,
  /// the operator keeps the latest or the first value, and delivers it at the end of the interval.
  /// The end of the publisher is delivered without a delay, or directly after a waiting value.
  ///
  /// If more values come before the scheduler has delivered the first, only one of them arrives: the latest,
  /// or the first.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let places = EventSubject<Int, Never>()
  /// let slow = places.throttle(for: .seconds(1), scheduler: scheduler, latest: true)
  /// let token = slow.sink { print($0) }
  /// places.send(1)
  /// scheduler.advance()  // prints 1
  /// for place in [2, 3] { places.send(place) }
  /// scheduler.advance(by: .seconds(1))  // prints 3; with latest: false, it would be 2
  /// ```
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
        let (value, completion) = state.withLock { $0.takePending(at: now) }
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

/// The waiting value and end, and the earliest time of the next delivery.
private struct Throttle<Output: Sendable, Failure: Error>: Sendable {
  let interval: Duration
  let takesLatest: Bool
  private var value: Output?
  private var completion: PublisherCompletion<Failure>?
  private var isScheduled = false
  private var earliest: Duration?

  init(interval: Duration, takesLatest: Bool) {
    self.interval = interval
    self.takesLatest = takesLatest
  }

  /// Takes an event and returns the delay until its delivery; nil if a delivery is scheduled
  /// already.
  mutating func receive(
    _ event: PublisherEvent<Output, Failure>, at now: Duration
  ) -> Duration? {
    switch event {
    case .value(let value):
      if self.value == nil || takesLatest { self.value = value }
    case .completion(let completion): self.completion = completion
    }
    guard !isScheduled else { return nil }
    isScheduled = true
    guard value != nil, let earliest else { return .zero }
    return max(.zero, earliest - now)
  }

  mutating func takePending(at now: Duration) -> (Output?, PublisherCompletion<Failure>?) {
    isScheduled = false
    if value != nil { earliest = now.saturatingAdding(interval) }
    return (value.take(), completion.take())
  }
}
