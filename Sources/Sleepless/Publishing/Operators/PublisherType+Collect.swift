extension PublisherType {
  /// Sends all values in one array when this publisher finishes.
  ///
  /// The array is empty if there was no value. A failure is passed on, and the values are dropped.
  ///
  /// ```swift
  /// let numbers = EventSubject<Int, Never>()
  /// let token = numbers.collect().sink { print($0) }
  /// numbers.send(1)
  /// numbers.send(2)  // until here, prints nothing
  /// numbers.send(completion: .finished)  // prints [1, 2]
  /// ```
  public func collect() -> ErasedPublisher<[Output], Failure> {
    collect(upTo: .max, sendsEmpty: true)
  }

  /// Sends the values in arrays of this length, and the remaining ones when this publisher finishes.
  ///
  /// A failure is passed on, and the waiting values are dropped. The length must be positive; anything else stops
  /// the program at the caller's line.
  ///
  /// ```swift
  /// let numbers = EventSubject<Int, Never>()
  /// let token = numbers.collect(2).sink { print($0) }
  /// for number in 1...3 { numbers.send(number) }  // prints [1, 2]
  /// numbers.send(completion: .finished)  // prints [3]
  /// ```
  public func collect(
    _ count: Int,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<[Output], Failure> {
    guard count > 0 else {
      misuse(
        "The number of values to collect must be positive (was \(count)).",
        at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    }
    return collect(upTo: count, sendsEmpty: false)
  }

  private func collect(upTo count: Int, sendsEmpty: Bool) -> ErasedPublisher<[Output], Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      let waiting = Locked<[Output]>([])
      let subscription = OperatorSubscription<PublisherEvent<Output, Failure>, [Output], Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, event in
        switch event {
        case .value(let value):
          let values = waiting.withLock { waiting -> [Output]? in
            waiting.append(value)
            guard waiting.count == count else { return nil }
            defer { waiting = [] }
            return waiting
          }
          if let values { subscription.send(values) }
        case .completion(.finished):
          let values = waiting.withLock { $0 }
          if sendsEmpty || !values.isEmpty { subscription.send(values) }
          subscription.send(.finished)
        case .completion(.failure(let error)): subscription.send(.failure(error))
        }
      }
      subscription.subscribe(to: self) { $0 }
      return subscription.token
    }
  }
}
