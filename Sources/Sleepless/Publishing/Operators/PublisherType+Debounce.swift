extension PublisherType {
  /// Delivers a value when no other value has followed it for a while.
  ///
  /// As in Combine, the scheduler delivers the end without a delay, and a waiting value is dropped.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let query = EventSubject<String, Never>()
  /// let token = query.debounce(for: .milliseconds(300), scheduler: scheduler).sink { print($0) }
  /// for text in ["s", "sw", "swift"] { query.send(text) }
  /// scheduler.advance(by: .milliseconds(299))  // prints nothing
  /// scheduler.advance(by: .milliseconds(1))  // prints swift
  /// ```
  public func debounce(
    for quiet: Duration, scheduler: any SchedulerType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return ErasedPublisher { receiveCompletion, receiveValue in
      let pending = Locked(PendingValue<Output>())
      let subscription = OperatorSubscription<DebounceInput<Failure>, Output, Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, input in
        switch input {
        case .elapsed(let count):
          if let value = pending.withLock({ $0.take(ifLatest: count) }) { subscription.send(value) }
        case .end(let completion): subscription.send(completion)
        }
      }
      subscription.observe(self) { event in
        switch event {
        case .value(let value):
          let (old, count) = pending.withLock { ($0, $0.put(value)) }
          if let work = old.work { subscription.cancelWork(work) }
          let work = subscription.schedule(
            { _ in .elapsed(count) }, after: quiet, on: scheduler, label: "debounce", at: site)
          pending.withLock { $0.work = work }
        case .completion(let completion):
          let old = pending.withLock { pending in
            defer { pending = PendingValue() }
            return pending
          }
          if let work = old.work { subscription.cancelWork(work) }
          subscription.enqueue(.end(completion), on: scheduler, label: "debounce", at: site)
        }
      }
      return subscription.token
    }
  }
}

/// The interval after the value with this number has elapsed, or the publisher has ended.
private enum DebounceInput<Failure: Error>: Sendable {
  case elapsed(Int)
  case end(PublisherCompletion<Failure>)
}

/// The pending value, and the number of values so far.
private struct PendingValue<Value: Sendable>: Sendable {
  private var value: Value?
  private var count = 0
  var work: Int?

  mutating func put(_ value: Value) -> Int {
    self.value = value
    count += 1
    return count
  }

  mutating func take(ifLatest count: Int) -> Value? { count == self.count ? value.take() : nil }
}
