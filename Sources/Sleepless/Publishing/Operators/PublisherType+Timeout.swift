extension PublisherType {
  /// Ends the publisher when no value comes for an interval: with an error if one is given, else as
  /// finished.
  ///
  /// The interval starts with the subscription and again with each value. The scheduler delivers
  /// values and the end in their order. The timeout cancels the subscription to this publisher. An
  /// ``ImmediateScheduler`` never waits, so there the timeout comes at once.
  ///
  /// The example's error is `enum LoadError: Error { case offline }`.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let pages = EventSubject<String, LoadError>()
  /// let timed = pages.timeout(.seconds(5), scheduler: scheduler, customError: { .offline })
  /// let token = timed.replaceError(with: "no answer").sink { print($0) }
  /// scheduler.advance(by: .seconds(4))
  /// pages.send("page")  // the interval starts again
  /// scheduler.advance(by: .seconds(4))  // prints page
  /// scheduler.advance(by: .seconds(1))  // prints "no answer"
  /// ```
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
        // Events that came in time are delivered first, even if the timeout runs before their own
        // work.
        repeat {
          switch waiting.withLock({ $0.popFirst() }) {
          case .value(let value): subscription.send(value)
          case .completion(let completion): return subscription.send(completion)
          case nil:
            // A value that was delivered just now may have cancelled: then no error is made (P4).
            if isTimeout, !subscription.isOver {
              subscription.send(customError.map { .failure($0()) } ?? .finished)
            }
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
