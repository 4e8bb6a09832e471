extension SchedulerType {
  /// Publishes the time since the subscription, at every interval.
  ///
  /// ```swift
  /// let scheduler = TestScheduler()
  /// let token = scheduler.timer(every: .seconds(1)).sink { print($0) }
  /// scheduler.advance(by: .seconds(2))  // prints 1.0 seconds, then 2.0 seconds
  /// ```
  ///
  /// In real time the values are the measured times. On an immediate scheduler there is one tick, at zero. Each
  /// subscriber has a timer of its own, which ends with the subscription; the publisher never ends. An interval that is
  /// not positive stops the program at the caller's line when it is subscribed to; on a test scheduler the test fails
  /// instead.
  public func timer(
    every interval: Duration, tolerance: Duration = .zero, label: String? = "timer",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Duration, Never> {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    return ErasedPublisher { receiveCompletion, receiveValue in
      // Ticks may overlap on a concurrent `OperationQueue`.
      let subscription = OperatorSubscription<Duration, Duration, Never>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, elapsed in subscription.send(elapsed) }
      let start = now
      let work = schedule(
        after: interval, every: interval, tolerance: tolerance, label: label, at: site
      ) { subscription.receive(now - start) }
      subscription.keep(SubscriptionToken { work.cancel() })
      return subscription.token
    }
  }
}
