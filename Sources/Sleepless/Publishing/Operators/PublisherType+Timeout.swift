extension PublisherType {
  /// Ends the publisher when no value comes for a while: with an error if there is one, or else as
  /// finished.
  ///
  /// The time counts from the subscription and from each value. Values and the end are delivered by
  /// the scheduler, in their order. The subscription upstream ends with the timeout. On an
  /// ``ImmediateScheduler``, where nothing waits, that is at once.
  public func timeout(
    _ interval: Duration, scheduler: any SchedulerType,
    customError: (@Sendable () -> Failure)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return ErasedPublisher { receiveCompletion, receiveValue in
      let waiting = Locked(Fifo<PublisherEvent<Output, Failure>>())
      let timer = Locked(0)
      let subscription = OperatorSubscription<Bool, Output, Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, isTimeout in
        // What came in time is delivered, though the timeout may have the earlier turn.
        repeat {
          switch waiting.withLock({ $0.popFirst() }) {
          case .value(let value): subscription.send(value)
          case .completion(let completion): return subscription.send(completion)
          case nil:
            if isTimeout { subscription.send(customError.map { .failure($0()) } ?? .finished) }
            return
          }
        } while isTimeout
      }
      let restart: @Sendable () -> Void = {
        let new = subscription.schedule(
          { _ in true }, after: interval, on: scheduler, label: "timeout", at: site)
        timer.withLock { $0 = new }
      }
      restart()
      subscription.observe(self) { event in
        subscription.cancelWork(timer.withLock { $0 })
        waiting.withLock { $0.append(event) }
        subscription.enqueue(false, on: scheduler, label: "timeout", at: site)
        if case .value = event { restart() }
      }
      return subscription.token
    }
  }
}
