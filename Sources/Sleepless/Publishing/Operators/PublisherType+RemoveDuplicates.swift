extension PublisherType where Output: Equatable {
  /// Drops each value that equals the last value sent.
  ///
  /// ```swift
  /// let numbers = EventSubject<Int, Never>()
  /// let token = numbers.removeDuplicates().sink { print($0) }
  /// for number in [1, 1, 2, 1] { numbers.send(number) }  // prints 1, 2, 1
  /// ```
  public func removeDuplicates() -> ErasedPublisher<Output, Failure> {
    removeDuplicates { $0 == $1 }
  }
}

extension PublisherType {
  /// Drops each value that a predicate calls a duplicate of the last value sent.
  ///
  /// Each subscriber has its own last value.
  ///
  /// ```swift
  /// let heights = EventSubject<Int, Never>()
  /// let token = heights.removeDuplicates { abs($0 - $1) < 10 }.sink { print($0) }
  /// for height in [0, 6, 12, 18] { heights.send(height) }  // prints 0, then 12
  /// ```
  public func removeDuplicates(
    by isDuplicate: @escaping @Sendable (_ previous: Output, _ current: Output) -> Bool
  ) -> ErasedPublisher<Output, Failure> {
    ErasedPublisher { receiveCompletion, receiveValue in
      let latest = Locked<Output?>(nil)
      let state = SubscriptionState(startsWithInitialValue: false)
      let token = subscribe(receiveCompletion: receiveCompletion) { value in
        // Values come one at a time, so no write can come between this read and the write below.
        let previous = latest.withLock { $0 }
        if let previous {
          // The closure may have cancelled the subscription.
          guard !isDuplicate(previous, value), state.isLive else { return }
        }
        let released = latest.withLock { latest in
          defer { latest = value }
          return latest
        }
        withExtendedLifetime(released) {}  // released after unlocking
        receiveValue(value)
      }
      return state.token(ending: token)
    }
  }
}
