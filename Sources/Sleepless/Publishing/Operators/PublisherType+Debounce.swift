extension PublisherType {
  /// Delivers a value when no other value has followed it for a while.
  ///
  /// As in Combine, the scheduler delivers the end without a delay, and a waiting value is dropped.
  public func debounce(
    for quiet: Duration, scheduler: any SchedulerType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return ErasedPublisher { receiveCompletion, receiveValue in
      let waiting = Locked(Waiting<Output>())
      let subscription = OperatorSubscription<Turn<Failure>, Output, Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, turn in
        switch turn {
        case .quiet(let count):
          if let value = waiting.withLock({ $0.take(ifLatest: count) }) { subscription.send(value) }
        case .over(let completion): subscription.send(completion)
        }
      }
      subscription.observe(self) { event in
        switch event {
        case .value(let value):
          let (old, count) = waiting.withLock { ($0, $0.put(value)) }
          if let work = old.work { subscription.cancelWork(work) }
          let work = subscription.schedule(
            { _ in .quiet(count) }, after: quiet, on: scheduler, label: "debounce", at: site)
          waiting.withLock { $0.work = work }
        case .completion(let completion):
          let old = waiting.withLock { waiting in
            defer { waiting = Waiting() }
            return waiting
          }
          if let work = old.work { subscription.cancelWork(work) }
          subscription.enqueue(.over(completion), on: scheduler, label: "debounce", at: site)
        }
      }
      return subscription.token
    }
  }
}

private enum Turn<Failure: Error>: Sendable {
  case quiet(Int)
  case over(PublisherCompletion<Failure>)
}

/// The waiting value, and the number of values so far.
private struct Waiting<Value: Sendable>: Sendable {
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
