extension PublisherType {
  /// Delivers events on a queue, each by a piece of work of its own, in their order.
  ///
  /// Order holds on concurrent queues, too. Cancelling also calls off what waits on a queue in
  /// virtual time; on others that work does nothing when its turn comes.
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

  /// Delivers every event later by a delay, the end included, in their order.
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

  /// Keeps each event and asks for a turn, in which the event that has waited longest is delivered.
  private func delivered(
    whenever askForTurn: @escaping @Sendable (OperatorSubscription<Void, Output, Failure>) -> Void
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
        askForTurn(subscription)
      }
      return subscription.token
    }
  }
}
