extension PublisherType {
  /// Delivers events in their order on a queue, each as a separate piece of work.
  ///
  /// The order holds on concurrent queues, too. Cancelling also removes the waiting work from a
  /// queue in virtual time; on other queues that work runs and does nothing.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let names = EventSubject<String, Never>()
  /// let token = names.receive(on: scheduler).sink { print($0) }
  /// names.send("Ada")  // prints nothing
  /// scheduler.advance()  // prints Ada
  /// ```
  public func receive(
    on queue: any DispatchQueueType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return delivered { subscription in
      subscription.enqueue((), on: queue, label: "receive(on:)", at: site)
    }
  }

  /// Delivers every event after a delay, the end included, in their order.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let names = EventSubject<String, Never>()
  /// let token = names.delay(for: .seconds(2), scheduler: scheduler)
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// names.send("Ada")
  /// names.send(completion: .finished)
  /// scheduler.advance(by: .seconds(1))  // prints nothing
  /// scheduler.advance(by: .seconds(1))  // prints Ada, then finished
  /// ```
  public func delay(
    for delay: Duration, scheduler: any SchedulerType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return delivered { subscription in
      subscription.schedule({ _ in }, after: delay, on: scheduler, label: "delay", at: site)
    }
  }

  /// Stores each event and schedules a delivery, which delivers the oldest stored event.
  private func delivered(
    by scheduleDelivery: @escaping @Sendable (OperatorSubscription<Void, Output, Failure>) -> Void
  ) -> ErasedPublisher<Output, Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      let waiting = Locked(Fifo<PublisherEvent<Output, Failure>>())
      let subscription = OperatorSubscription<Void, Output, Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, _ in
        switch waiting.withLock({ $0.popFirst() }) {
        case .value(let value): subscription.send(value)
        case .completion(let completion): subscription.send(completion)
        case nil: break
        }
      }
      subscription.observe(self) { event in
        waiting.withLock { $0.append(event) }
        scheduleDelivery(subscription)
      }
      return subscription.token
    }
  }
}
