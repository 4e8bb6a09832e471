extension PublisherType {
  /// Subscribes to this publisher on a queue; what the publisher does on subscription, it does there.
  ///
  /// The events come on the thread that sends them; use `receive(on:)` for another. A subscription that is cancelled
  /// before its turn does not take place. A later cancellation takes effect at once, on the cancelling thread.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let names = StateSubject<String, Never>("Ada")
  /// let token = names.subscribe(on: scheduler).sink { print($0) }  // prints nothing
  /// scheduler.advance()  // prints Ada
  /// names.value = "Tom"  // prints Tom, at once
  /// ```
  public func subscribe(
    on queue: any DispatchQueueType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return ErasedPublisher { receiveCompletion, receiveValue in
      // The turn takes the publisher out, because a subscription does not keep its publisher alive (P6).
      let publisher = Locked(Optional(self))
      // Nil is the turn in the queue.
      let subscription = OperatorSubscription<PublisherEvent<Output, Failure>?, Output, Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, event in
        switch event {
        case nil:
          guard let publisher = publisher.withLock({ $0.take() }) else { return }
          subscription.subscribe(to: publisher) { $0 }
        case .value(let value)?: subscription.send(value)
        case .completion(let completion)?: subscription.send(completion)
        }
      }
      subscription.enqueue(nil, on: queue, label: "subscribe(on:)", at: site)
      return subscription.token
    }
  }
}
