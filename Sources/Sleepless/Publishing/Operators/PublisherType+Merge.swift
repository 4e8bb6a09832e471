extension PublisherType {
  /// Sends the events of both publishers as they come.
  ///
  /// Finishes when both have finished. Fails when one fails, and then cancels the other
  /// subscription. Values from two threads are delivered one at a time, in one order.
  ///
  /// ```swift
  /// let (taps, keys) = (EventSubject<String, Never>(), EventSubject<String, Never>())
  /// let token = taps.merge(with: keys)
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// keys.send("key")  // prints key
  /// taps.send("tap")  // prints tap
  /// taps.send(completion: .finished)  // prints nothing: more keys may come
  /// keys.send(completion: .finished)  // prints finished
  /// ```
  public func merge(
    with other: some PublisherType<Output, Failure>
  ) -> ErasedPublisher<Output, Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      let open = Locked(2)
      let subscription = OperatorSubscription<PublisherEvent<Output, Failure>, Output, Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, event in
        switch event {
        case .value(let value): subscription.send(value)
        case .completion(.failure(let error)): subscription.send(.failure(error))
        case .completion(.finished):
          let isLast = open.withLock { open in
            open -= 1
            return open == 0
          }
          if isLast { subscription.send(.finished) }
        }
      }
      subscription.subscribe(to: self) { $0 }
      subscription.subscribe(to: other) { $0 }
      return subscription.token
    }
  }
}
