extension PublisherType {
  /// Sends the first value and then finishes, like `prefix(1)`.
  ///
  /// ```swift
  /// let names = StateSubject<String, Never>("Ada")
  /// let token = names.first().sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// // prints Ada, then finished
  /// names.value = "Tom"  // prints nothing
  /// ```
  public func first() -> ErasedPublisher<Output, Failure> { prefix(1) }

  /// Sends the first values, up to a maximum number, and then finishes.
  ///
  /// The last of them ends the subscription to this publisher. With zero it finishes at once and does not subscribe.
  /// A negative length stops the program at the caller's line.
  ///
  /// ```swift
  /// let numbers = EventSubject<Int, Never>()
  /// let token = numbers.prefix(2)
  ///   .sink(receiveCompletion: { print($0) }, receiveValue: { print($0) })
  /// numbers.send(1)  // prints 1
  /// numbers.send(2)  // prints 2, then finished
  /// numbers.send(3)  // prints nothing
  /// ```
  public func prefix(
    _ maxLength: Int,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) -> ErasedPublisher<Output, Failure> {
    guard maxLength >= 0 else {
      misuse(
        "The length of a prefix must be at least 0 (was \(maxLength)).",
        at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
    }
    guard maxLength > 0 else { return .empty }
    return ErasedPublisher { receiveCompletion, receiveValue in
      let missing = Locked(maxLength)
      let subscription = OperatorSubscription<PublisherEvent<Output, Failure>, Output, Failure>(
        receiveCompletion: receiveCompletion, receiveValue: receiveValue
      ) { subscription, event in
        switch event {
        case .value(let value):
          let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
          }
          subscription.send(value)
          if isLast { subscription.send(.finished) }
        case .completion(let completion): subscription.send(completion)
        }
      }
      subscription.subscribe(to: self) { $0 }
      return subscription.token
    }
  }
}
